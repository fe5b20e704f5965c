/// A page of a timeline: whose posts, which of them, and which part of the list.
///
/// Every filter acts before the limit: a page that is not full is the last.
public struct TimelineQuery: Hashable, Sendable {
  /// The direction in which a timeline is read.
  public enum Direction: String, CaseIterable, Hashable, Sendable {
    /// From the newest, or a cursor, to older posts.
    case older
    /// From the oldest, or a cursor, to newer posts. The nearest posts are chosen, and returned newest first.
    case newer
  }

  /// Whose posts a timeline has: those of its *sources*, and, where relations enter timelines
  /// (`Relation.entersTimelines`), posts that lead to them, and posts that they reposted.
  @nonexhaustive
  public enum Sources: Hashable, Sendable {
    /// The users whom the user follows.
    case followees
    /// The users whom edges of relations lead to from the user: people, and tags that the user subscribes to.
    case targets([Relation])
    /// The users whom edges of a relation lead to from a post: a list of people.
    case members(Relation, of: PostID)
    /// Some users, at most 1,000: a tag, a community.
    case users([UserID])
    /// One user, as a profile shows them: also if the user mutes them.
    case author(UserID)
    /// All users. Without reposts.
    case everyone
  }

  /// Which replies are shown. Those of the user are shown unless none is.
  public enum Replies: String, CaseIterable, Hashable, Sendable {
    /// All.
    case all
    /// None.
    case none
    /// Those to a post of a user whom the user follows, of the user, or of the author of the reply.
    case toFollowed
    /// The same with the sources of the timeline in place of those whom the user follows.
    case toSources
    /// Those to a post of the author of the reply, also of the user's own: a profile without answers to others.
    case toAuthor
  }

  /// How often a post is shown.
  public enum Reposts: String, CaseIterable, Hashable, Sendable {
    /// Once: at its own time if it belongs there, else at that of its oldest repost. So nothing rises to the top again.
    case once
    /// At its own time if it belongs there, and at each repost.
    case all
    /// Only at its own time.
    case none
  }

  /// Which posts with mentions are shown (`Relation.grantsAccess`).
  public enum Mentions: String, CaseIterable, Hashable, Sendable {
    /// All.
    case all
    /// Those that mention no user whom the user mutes, and none across a block.
    case ofVisible
  }

  /// The direction of the scan.
  public var direction: Direction
  /// Only posts and reposts from before this time.
  public var before: Timestamp?
  /// Only posts and reposts from after this time.
  public var after: Timestamp?
  /// Whether the user is a source, too.
  public var includesOwnPosts: Bool
  /// Whose posts.
  public var sources: Sources
  /// Which replies.
  public var replies: Replies
  /// Which reposts.
  public var reposts: Reposts
  /// Which posts with mentions.
  public var mentions: Mentions
  /// The flags that posts must, may or must not have.
  public var flags: FlagFilter
  /// The audiences that posts may have, those of private authors as `Audience` says; none for all. What the user may
  /// not see is never shown.
  public var audiences: Set<Audience> {
    get { audienceMask.audiences }
    set { audienceMask = AudienceMask(newValue) }
  }
  var audienceMask: AudienceMask
  /// Whether each post has its author's counts, and whether the user follows the author (`Post.Author.user`).
  public var includesAuthors: Bool
  /// The most posts of a page, 1…1,000.
  public var limit: Int
  /// The cursor of the page; nil for the first. `Page.next` with the direction `older`, `Page.previous` with `newer`,
  /// `Page.cursor(at:)` with either. It is bound to the user and the sources; filters may change.
  public var cursor: Cursor?
  /// Whether the page includes the post that the cursor is at, if it still is in the timeline: to restore a place.
  public var includesCursor: Bool

  /// The defaults: the newest twenty posts of the followees and of the user, each once.
  public init(
    direction: Direction = .older, before: Timestamp? = nil, after: Timestamp? = nil, includesOwnPosts: Bool = true,
    sources: Sources = .followees, replies: Replies = .all, reposts: Reposts = .once, mentions: Mentions = .all,
    flags: FlagFilter = FlagFilter(), audiences: Set<Audience> = [], includesAuthors: Bool = false, limit: Int = 20,
    cursor: Cursor? = nil, includesCursor: Bool = false
  ) {
    self.direction = direction
    self.before = before
    self.after = after
    self.includesOwnPosts = includesOwnPosts
    self.sources = sources
    self.replies = replies
    self.reposts = reposts
    self.mentions = mentions
    self.flags = flags
    audienceMask = AudienceMask(audiences)
    self.includesAuthors = includesAuthors
    self.limit = limit
    self.cursor = cursor
    self.includesCursor = includesCursor
  }

  /// Whether only the posts of followees are asked for, and all of them, if nothing is reposted.
  @inline(__always)
  var isOfFollowees: Bool {
    guard case .followees = sources else { return false }
    return replies == .all && mentions == .all && flags.isEmpty && audienceMask.isEmpty
  }
}

/// Masks of the sixteen flags that a host keeps with a user or a post.
public struct FlagFilter: Hashable, Sendable {
  /// Flags that must all be set.
  public var all: UInt16
  /// Flags of which one must be set, if there are any.
  public var any: UInt16
  /// Flags that must not be set.
  public var none: UInt16

  /// The default lets everything pass.
  public init(all: UInt16 = 0, any: UInt16 = 0, none: UInt16 = 0) { (self.all, self.any, self.none) = (all, any, none) }

  /// Whether everything passes.
  @inline(__always)
  var isEmpty: Bool { all | any | none == 0 }

  @inline(__always)
  func passes(_ flags: UInt16) -> Bool {
    flags & all == all && flags & none == 0 && (any == 0 || flags & any != 0)
  }
}
