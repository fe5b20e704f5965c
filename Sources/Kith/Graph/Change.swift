/// Everything that can happen to a graph: at once what a writer asks for, what a file records and what an observer
/// sees.
///
/// A change that is applied carries its own time and ids, so that the same changes in the same order give the same
/// graph anywhere. Where a writer leaves an id or a time nil, the engine fills it in before it numbers the change.
/// Times are milliseconds; follows and likes keep whole seconds, rounded down.
public enum Change: Hashable, Sendable {
  /// A user appears. Errors: `invalidUsername`, `usernameTaken`, `idTaken`, `invalidRequest` (an id below 1).
  case addUser(id: UserID?, username: String)
  /// A user takes another name. Errors: `unknownUser`, `invalidUsername`, `usernameTaken`.
  case renameUser(UserID, username: String)
  /// A user goes, with their posts, follows both ways, likes, blocks and mutes. Error: `unknownUser`.
  case removeUser(UserID)
  /// The first follows the second. Errors: `unknownUser`, `cannotFollowSelf`, `blocked`, `invalidRequest` (the time).
  case follow(UserID, UserID, at: Timestamp?)
  /// The first no longer follows the second. Error: `unknownUser`.
  case unfollow(UserID, UserID)
  /// A post appears. Errors: `unknownUser`, `idTaken`, `textTooLong`, `invalidRequest` (the id, the time).
  case addPost(id: PostID?, author: UserID, text: String, createdAt: Timestamp?)
  /// A post goes, with its likes. Error: `unknownPost`.
  case removePost(PostID)
  /// A user likes a post. Errors: `unknownUser`, `unknownPost`, `blocked`, `invalidRequest` (the time).
  case like(UserID, PostID, at: Timestamp?)
  /// A user likes a post no more. Errors: `unknownUser`, `unknownPost`, `blocked`.
  case unlike(UserID, PostID)
  /// The first blocks the second; follows both ways go. Errors: `unknownUser`, `invalidRequest` (oneself).
  case block(UserID, UserID)
  /// The first no longer blocks the second; no follow comes back. Error: `unknownUser`.
  case unblock(UserID, UserID)
  /// The second's posts leave the first's timeline. Errors: `unknownUser`, `invalidRequest` (oneself).
  case mute(UserID, UserID)
  /// The second's posts return to the first's timeline. Error: `unknownUser`.
  case unmute(UserID, UserID)
}
