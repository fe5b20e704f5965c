/// A search for users by name: by username, display name, or both.
public struct UserQuery: Hashable, Sendable {
  /// How a name must match the text.
  @nonexhaustive
  public enum Match: String, CaseIterable, Hashable, Sendable {
    /// The name contains the text.
    case substring
    /// The name begins with the text.
    case prefix
    /// The name equals the text.
    case exact
    /// Typo-tolerant: a part of the name is within one edit of the text if its loose key has four scalars or more,
    /// within two edits from eight on, and equal to it otherwise. An edit inserts, deletes or replaces a scalar, or
    /// swaps two neighbours. No scalar is edited twice (optimal string alignment). A strict search requires the same of
    /// the strict key. Results have their own order: by the number of edits in the key of the requested fold, then by
    /// name.
    case fuzzy
    /// The name, in NFC, contains a match of the text as an RE2 regular expression. Case-insensitive; the fold is
    /// ignored. Requires the package trait `Regex`. Limited to 50 ms of the thread's CPU time. Usernames alone match.
    case regex
  }

  /// Which names of a user are searched. Orders are those of usernames with either.
  @nonexhaustive
  public enum Names: String, CaseIterable, Hashable, Sendable {
    /// The username and the display name, of which one must match.
    case either
    /// The username.
    case username
  }

  /// The order of the results. Ties are broken by loose name, exact name, id.
  @nonexhaustive
  public enum Order: String, CaseIterable, Hashable, Sendable {
    /// By name alone.
    case name
    /// Users whose username begins with the text first.
    case prefixFirst
    /// Users whom the viewer follows first. Requires a viewer.
    case followedFirst
    /// Users with the most followers first.
    case popular
  }

  /// How a name must match the text.
  public var match: Match
  /// Which names are searched.
  public var names: Names
  /// The kind of the users who are found, by name; nil for `user`.
  public var kind: String?
  /// The differences between letters that are ignored.
  public var fold: TextFolding
  /// The order of the results.
  public var order: Order
  /// The flags that users must have.
  public var flags: FlagFilter
  /// A user to omit, usually the viewer.
  public var excludedUser: UserID?
  /// Whether users whom the viewer blocks are found, too. Those who block the viewer stay hidden.
  public var includesBlocked: Bool
  /// Whether the page has the number of all matches (`total`). Costs a walk over all matches.
  public var countsMatches: Bool
  /// Whether the page has the ranges of the text's matches in each name (`highlights`, `displayNameHighlights`),
  /// unedited ones only. Ignored for `regex`.
  public var includesHighlights: Bool
  /// The most items of a page, 1…1,000.
  public var limit: Int
  /// The cursor of the page; nil for the first.
  public var cursor: Cursor?
  /// The viewer. Results show which users the viewer follows, and omit users across a block (but see
  /// `includesBlocked`).
  public var viewer: UserID?

  /// The defaults: a loose substring, twenty at a time, by name.
  public init(
    match: Match = .substring, names: Names = .either, kind: String? = nil, fold: TextFolding = .loose,
    order: Order = .name,
    flags: FlagFilter = FlagFilter(), excludedUser: UserID? = nil, includesBlocked: Bool = false,
    countsMatches: Bool = false, includesHighlights: Bool = false, limit: Int = 20,
    cursor: Cursor? = nil, viewer: UserID? = nil
  ) {
    self.match = match
    self.names = names
    self.kind = kind
    self.flags = flags
    self.fold = fold
    self.order = order
    self.excludedUser = excludedUser
    self.includesBlocked = includesBlocked
    self.countsMatches = countsMatches
    self.includesHighlights = includesHighlights
    self.limit = limit
    self.cursor = cursor
    self.viewer = viewer
  }
}

/// A search for posts by words.
public struct PostQuery: Hashable, Sendable {
  /// Only posts of this author.
  public var author: UserID?
  /// Only posts by users whom the viewer follows. Requires a viewer.
  public var followedOnly: Bool
  /// The differences between letters that are ignored.
  public var fold: TextFolding
  /// Only posts created before this time.
  public var before: Timestamp?
  /// Only posts created after this time.
  public var after: Timestamp?
  /// The flags that posts must, may or must not have.
  public var flags: FlagFilter
  /// The audiences that posts may have, those of private authors as `Audience` says; none for all. What the viewer may
  /// not see is never shown.
  public var audiences: Set<Audience> {
    get { audienceMask.audiences }
    set { audienceMask = AudienceMask(newValue) }
  }
  var audienceMask: AudienceMask
  /// Whether replies are shown.
  public var includesReplies: Bool
  /// Whether posts of users are left out whom the viewer mutes, or hides from timelines (`Relation.hides`). Requires a
  /// viewer.
  public var leavesOutMuted: Bool
  /// Whether the page has the ranges of the words' matches in each text (`highlights`).
  public var includesHighlights: Bool
  /// Whether each post has its author's counts, and whether the viewer follows the author (`Post.Author.user`).
  public var includesAuthors: Bool
  /// The most posts of a page, 1…1,000.
  public var limit: Int
  /// The cursor of the page; nil for the first.
  public var cursor: Cursor?
  /// The viewer. Results show which posts the viewer likes, and omit those that the viewer may not see.
  public var viewer: UserID?

  /// The defaults: posts of all users, loose matches, twenty at a time, newest first.
  public init(
    author: UserID? = nil, followedOnly: Bool = false, fold: TextFolding = .loose, before: Timestamp? = nil,
    after: Timestamp? = nil, flags: FlagFilter = FlagFilter(), audiences: Set<Audience> = [],
    includesReplies: Bool = true, leavesOutMuted: Bool = false, includesHighlights: Bool = false,
    includesAuthors: Bool = false, limit: Int = 20, cursor: Cursor? = nil, viewer: UserID? = nil
  ) {
    self.author = author
    self.followedOnly = followedOnly
    self.fold = fold
    self.before = before
    self.after = after
    self.flags = flags
    audienceMask = AudienceMask(audiences)
    self.includesReplies = includesReplies
    self.leavesOutMuted = leavesOutMuted
    self.includesHighlights = includesHighlights
    self.includesAuthors = includesAuthors
    self.limit = limit
    self.cursor = cursor
    self.viewer = viewer
  }
}

/// A page of the users or posts at one end of a node's edges.
public struct EdgeQuery: Hashable, Sendable {
  /// The order of a list of edges.
  @nonexhaustive
  public enum Order: String, CaseIterable, Hashable, Sendable {
    /// By (second of the edge, id of the other end), descending.
    case newest
    /// The same, ascending.
    case oldest
    /// By loose name, then exact name: of users alone.
    case name
  }

  /// The order.
  public var order: Order
  /// Whether posts carry their authors as users (`Post.Author.user`).
  public var includesAuthors: Bool
  /// Whether the page has the number of all edges (`total`), also of those that the viewer may not see.
  public var countsEdges: Bool
  /// Whether users are left out whom the viewer mutes, or hides from timelines (`Relation.hides`), and posts by them.
  /// Requires a viewer.
  public var leavesOutMuted: Bool
  /// The most items of a page, 1…1,000.
  public var limit: Int
  /// The cursor of the page; nil for the first.
  public var cursor: Cursor?
  /// The viewer. Edges, users and posts that the viewer may not see are omitted.
  public var viewer: UserID?

  /// The defaults: the newest twenty.
  public init(
    order: Order = .newest, includesAuthors: Bool = false, countsEdges: Bool = false, leavesOutMuted: Bool = false,
    limit: Int = 20, cursor: Cursor? = nil, viewer: UserID? = nil
  ) {
    self.order = order
    self.includesAuthors = includesAuthors
    self.countsEdges = countsEdges
    self.leavesOutMuted = leavesOutMuted
    self.limit = limit
    self.cursor = cursor
    self.viewer = viewer
  }
}

/// A page of a list of users or posts.
public struct ListQuery: Hashable, Sendable {
  /// The order of followers and followees. Every other list has one fixed order.
  @nonexhaustive
  public enum Order: String, CaseIterable, Hashable, Sendable {
    /// By (second of the edge, id), descending.
    case newest
    /// By loose name, then exact name.
    case name
  }

  /// The order.
  public var order: Order
  /// In a list of posts, whether each has its author's counts, and whether the viewer follows the author
  /// (`Post.Author.user`).
  public var includesAuthors: Bool
  /// Whether users are left out whom the viewer mutes, or hides from timelines (`Relation.hides`), and posts by them.
  /// Requires a viewer. No such users are left out of lists of blocked and muted users.
  public var leavesOutMuted: Bool
  /// The most items of a page, 1…1,000.
  public var limit: Int
  /// The cursor of the page; nil for the first.
  public var cursor: Cursor?
  /// The viewer. Results omit users across a block, and posts that the viewer may not see.
  public var viewer: UserID?

  /// The defaults: the newest twenty.
  public init(
    order: Order = .newest, includesAuthors: Bool = false, leavesOutMuted: Bool = false, limit: Int = 20,
    cursor: Cursor? = nil, viewer: UserID? = nil
  ) {
    self.order = order
    self.includesAuthors = includesAuthors
    self.leavesOutMuted = leavesOutMuted
    self.limit = limit
    self.cursor = cursor
    self.viewer = viewer
  }
}
