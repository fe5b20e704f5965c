/// One thing of a graph that an answer was made of: a change that touches none of an answer's dependencies leaves it as
/// it is.
public struct Dependency: Hashable, Sendable {
  enum Kind: UInt8 {
    case user, name, followees, followers, posts, likes, mutes, blocks, post, timeline
    case anyName, anyFollow, anyPost, removedPosts, everything
  }

  let kind: Kind
  let id: Int64

  private init(_ kind: Kind, _ id: Int64 = 0) {
    self.kind = kind
    self.id = id
  }

  /// All that a `User` says: the name and the counts of followers, followees and posts.
  public static func user(_ user: UserID) -> Dependency { Dependency(.user, user.rawValue) }
  /// The name of a user.
  public static func name(of user: UserID) -> Dependency { Dependency(.name, user.rawValue) }
  /// Whom a user follows.
  public static func followees(of user: UserID) -> Dependency { Dependency(.followees, user.rawValue) }
  /// Who follows a user.
  public static func followers(of user: UserID) -> Dependency { Dependency(.followers, user.rawValue) }
  /// The posts that a user wrote.
  public static func posts(by user: UserID) -> Dependency { Dependency(.posts, user.rawValue) }
  /// The posts that a user likes.
  public static func likes(of user: UserID) -> Dependency { Dependency(.likes, user.rawValue) }
  /// Whom a user mutes.
  public static func mutes(of user: UserID) -> Dependency { Dependency(.mutes, user.rawValue) }
  /// Whom a user blocks, and who blocks them.
  public static func blocks(of user: UserID) -> Dependency { Dependency(.blocks, user.rawValue) }
  /// A post: that it is there, and who likes it.
  public static func post(_ post: PostID) -> Dependency { Dependency(.post, post.rawValue) }
  /// Which posts a user and those whom they follow wrote; not whom they follow.
  public static func timeline(of user: UserID) -> Dependency { Dependency(.timeline, user.rawValue) }
  /// Which names there are.
  public static let anyName = Dependency(.anyName)
  /// Who follows whom.
  public static let anyFollow = Dependency(.anyFollow)
  /// Which posts there are.
  public static let anyPost = Dependency(.anyPost)
  /// Which posts were removed.
  public static let removedPosts = Dependency(.removedPosts)
  /// Whatever a change can change.
  public static let everything = Dependency(.everything)

  @inline(__always)
  var place: WatchFilter.Place { WatchFilter.Place(id: id, kind: kind.rawValue) }
}

/// A change that was made, and what cannot be told from the graph afterwards.
struct MadeChange: Sendable {
  let change: Change
  /// Who wrote the post that it removed; noted only where somebody watches.
  let removedAuthor: UserID?

  /// Whose post came or went.
  var postAuthor: UserID? { if case .addPost(_, let author, _, _) = change { author } else { removedAuthor } }

  /// Whether so much hangs on it that everybody is to look again: a user goes with all follows, posts and likes.
  var touchesAll: Bool { if case .removeUser = change { true } else { false } }

  /// Names what it touches, but for timelines, which depend on who follows whom.
  func forEachTouched(_ body: (Dependency) -> Void) {
    switch change {
    case .addUser(let user, _):
      if let user { body(.user(user)) }
      body(.anyName)
    case .renameUser(let user, _):
      body(.user(user))
      body(.name(of: user))
      body(.anyName)
    case .removeUser: break
    case .follow(let user, let target, _), .unfollow(let user, let target): Self.follow(user, target, body)
    case .addPost(let post, let author, _, _):
      if let post { body(.post(post)) }
      body(.user(author))
      body(.posts(by: author))
      body(.anyPost)
    case .removePost(let post):
      body(.post(post))
      if let removedAuthor {
        body(.user(removedAuthor))
        body(.posts(by: removedAuthor))
      }
      body(.anyPost)
      body(.removedPosts)
    case .like(let user, let post, _), .unlike(let user, let post):
      body(.post(post))
      body(.likes(of: user))
    case .block(let user, let target):
      Self.follow(user, target, body)
      Self.follow(target, user, body)
      body(.blocks(of: user))
      body(.blocks(of: target))
    case .unblock(let user, let target):
      body(.blocks(of: user))
      body(.blocks(of: target))
    case .mute(let user, _), .unmute(let user, _): body(.mutes(of: user))
    }
    body(.everything)
  }

  private static func follow(_ user: UserID, _ target: UserID, _ body: (Dependency) -> Void) {
    body(.user(user))
    body(.user(target))
    body(.followees(of: user))
    body(.followers(of: target))
    body(.anyFollow)
  }
}
