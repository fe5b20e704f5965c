/// A kind of query or change, as statistics and instruments name it. The names are those of the operations of
/// `kith query`, where it has one.
public enum GraphOperation: String, CaseIterable, Codable, CodingKeyRepresentable, Hashable, Sendable {
  /// `GraphView.searchUsers`.
  case users
  /// `GraphView.searchPosts`.
  case posts
  /// `GraphView.timeline` and `timelineIDs`.
  case timeline
  /// `GraphView.twoHopTimeline`.
  case twoHopTimeline
  /// `GraphView.user`, one or several by id.
  case user
  /// `GraphView.post`, one or several by id.
  case post
  /// `GraphView.isFollowing`.
  case isFollowing
  /// `GraphView.relations`.
  case relations
  /// `GraphView.followees`.
  case followees
  /// `GraphView.followers`.
  case followers
  /// `GraphView.likers`.
  case likers
  /// `GraphView.likes`.
  case likes
  /// `GraphView.blocked`.
  case blocked
  /// `GraphView.muted`.
  case muted
  /// `GraphView.mutualFollowees`, `mutualFollowers` and their count.
  case mutuals
  /// `GraphView.suggestions`.
  case suggestions
  /// `GraphView.shortestPath`.
  case shortestPath = "distance"
  /// `Change.addUser`.
  case addUser
  /// `Change.renameUser`.
  case renameUser
  /// `Change.removeUser`.
  case removeUser
  /// `Change.addPost`.
  case addPost
  /// `Change.removePost`.
  case removePost
  /// `Change.follow`.
  case follow
  /// `Change.unfollow`.
  case unfollow
  /// `Change.like`.
  case like
  /// `Change.unlike`.
  case unlike
  /// `Change.block`.
  case block
  /// `Change.unblock`.
  case unblock
  /// `Change.mute`.
  case mute
  /// `Change.unmute`.
  case unmute
  /// `SocialGraph.batch`, with all its changes.
  case batch

  /// Whether it changes the graph. All others are queries.
  public var isChange: Bool {
    switch self {
    case .users, .posts, .timeline, .twoHopTimeline, .user, .post, .isFollowing, .relations, .followees, .followers,
      .likers, .likes, .blocked, .muted, .mutuals, .suggestions, .shortestPath:
      false
    default: true
    }
  }

  /// The position in `allCases`.
  var index: Int { Self.indexes[self] ?? 0 }

  private static let indexes = Dictionary(uniqueKeysWithValues: zip(allCases, 0...))
}

extension Change {
  /// What it does, for statistics.
  var operation: GraphOperation {
    switch self {
    case .addUser: .addUser
    case .renameUser: .renameUser
    case .removeUser: .removeUser
    case .addPost: .addPost
    case .removePost: .removePost
    case .follow: .follow
    case .unfollow: .unfollow
    case .like: .like
    case .unlike: .unlike
    case .block: .block
    case .unblock: .unblock
    case .mute: .mute
    case .unmute: .unmute
    }
  }
}
