/// How a username must match a query.
public enum Match: String, Hashable, Sendable {
  /// The query stands somewhere in the name.
  case substring
  /// The name begins with the query.
  case prefix
  /// The name is the query.
  case exact
  /// Some part of the name is the query up to one edit, from four scalars of its key on, or two from eight: a scalar
  /// inserted, deleted or replaced. It has an order of its own: by edits, then by name.
  case fuzzy
  /// The name, in NFC, holds a match of the query as a regular expression of RE2, whatever the case; the fold is not
  /// asked. Only with the package trait `Regex`. It ends within a twentieth of a second of its thread's time.
  case regex
}

/// How to search usernames.
public struct UserSearch: Hashable, Sendable {
  /// Who comes first. Within each order: by loose name, exact name, id.
  public enum Order: String, Hashable, Sendable {
    /// By name alone.
    case name
    /// Names that begin with the query first.
    case prefixFirst
    /// Those whom the viewer follows first; needs a viewer.
    case followedFirst
    /// Those whom most people follow first.
    case popular
  }

  /// Where the query must stand.
  public var match: Match
  /// What it looks past.
  public var fold: Fold
  /// Who comes first.
  public var order: Order
  /// Who asks: results say whom they follow, and leave out whoever is across a block.
  public var viewer: UserID?
  /// One user to leave out: oneself, mostly.
  public var excluding: UserID?
  /// Items of a page, 1…1,000.
  public var limit: Int
  /// Where to go on.
  public var cursor: Cursor?
  /// Whether to count all matches, which costs a walk over them.
  public var counting: Bool
  /// Whether each result tells where in its name the query stands as it is; of regex, nothing is told.
  public var highlighting: Bool

  /// The defaults: a loose substring, twenty at a time, by name.
  public init(
    match: Match = .substring, fold: Fold = .loose, order: Order = .name, viewer: UserID? = nil,
    excluding: UserID? = nil, limit: Int = 20, cursor: Cursor? = nil, counting: Bool = false, highlighting: Bool = false
  ) {
    self.match = match
    self.fold = fold
    self.order = order
    self.viewer = viewer
    self.excluding = excluding
    self.limit = limit
    self.cursor = cursor
    self.counting = counting
    self.highlighting = highlighting
  }
}

/// Which way a timeline is read.
public enum Direction: String, Hashable, Sendable {
  /// From the newest, or a cursor, to older posts.
  case older
  /// From the oldest, or a cursor, to newer posts: nearest first chosen, newest first printed.
  case newer
}

/// Which part of a timeline.
public struct TimelineOptions: Hashable, Sendable {
  /// Posts of a page, 1…1,000.
  public var limit: Int
  /// Where to go on.
  public var cursor: Cursor?
  /// Which way.
  public var direction: Direction
  /// Only posts created before this time.
  public var before: Timestamp?
  /// Only posts created after this time.
  public var after: Timestamp?
  /// Whether one's own posts belong to it.
  public var includeSelf: Bool

  /// The defaults: the newest twenty posts, one's own among them.
  public init(
    limit: Int = 20, cursor: Cursor? = nil, direction: Direction = .older, before: Timestamp? = nil,
    after: Timestamp? = nil, includeSelf: Bool = true
  ) {
    self.limit = limit
    self.cursor = cursor
    self.direction = direction
    self.before = before
    self.after = after
    self.includeSelf = includeSelf
  }
}

/// How to search posts.
public struct PostSearch: Hashable, Sendable {
  /// Only posts of this author.
  public var author: UserID?
  /// Only posts of those the viewer follows; needs a viewer.
  public var following: Bool
  /// What the search looks past.
  public var fold: Fold
  /// Only posts created before this time.
  public var before: Timestamp?
  /// Only posts created after this time.
  public var after: Timestamp?
  /// Who asks: results say whether they like them, and leave out whoever is across a block.
  public var viewer: UserID?
  /// Posts of a page, 1…1,000.
  public var limit: Int
  /// Where to go on.
  public var cursor: Cursor?
  /// Whether the page tells where in each text the words stand.
  public var highlighting: Bool

  /// The defaults: everybody's posts, loosely, twenty at a time, newest first.
  public init(
    author: UserID? = nil, following: Bool = false, fold: Fold = .loose, before: Timestamp? = nil,
    after: Timestamp? = nil, viewer: UserID? = nil, limit: Int = 20, cursor: Cursor? = nil, highlighting: Bool = false
  ) {
    self.author = author
    self.following = following
    self.fold = fold
    self.before = before
    self.after = after
    self.viewer = viewer
    self.limit = limit
    self.cursor = cursor
    self.highlighting = highlighting
  }
}

/// How to page through a list of people or posts.
public struct ListOptions: Hashable, Sendable {
  /// The order of followers and followees; other lists have one order each.
  public enum Order: String, Hashable, Sendable {
    /// By (second, id), descending.
    case newest
    /// By loose name, then exact name.
    case name
  }

  /// The order.
  public var order: Order
  /// Items of a page, 1…1,000.
  public var limit: Int
  /// Where to go on.
  public var cursor: Cursor?
  /// Who asks.
  public var viewer: UserID?

  /// The defaults: the newest twenty.
  public init(order: Order = .newest, limit: Int = 20, cursor: Cursor? = nil, viewer: UserID? = nil) {
    self.order = order
    self.limit = limit
    self.cursor = cursor
    self.viewer = viewer
  }
}
