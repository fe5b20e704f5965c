import CKith
import Kith

/// A query of C that answers with a page: its arguments, checked and copied.
struct PageQuery: Sendable {
  private let kind: Int
  private let flags: Int
  private let user: UserID
  private let target: Int64
  private let viewer: UserID?
  private let excluded: UserID?
  private let before: Timestamp?
  private let after: Timestamp?
  private let text: String
  private let cursor: Cursor?
  private let ids: [Int64]
  private let limit: Int
  private let followLimit: Int
  private let namedCount: Int
  private let match: UserQuery.Match
  private let folding: TextFolding
  private let order: Int32
  private let direction: TimelineQuery.Direction

  init(_ query: UnsafePointer<kith_query>?) throws {
    let raw = try needed(query, "query").pointee
    guard raw.reserved == (0, 0, 0, 0, 0) else { throw Failure.invalid("reserved members of kith_query are not 0") }
    (kind, flags) = (Int(raw.kind), Int(raw.flags))
    guard flags & ~Self.allFlags == 0 else { throw Failure.invalid("\(flags) has an unknown flag") }
    (user, target) = (UserID(raw.user), raw.target)
    viewer = raw.viewer == 0 ? nil : UserID(raw.viewer)
    excluded = raw.excluded == 0 ? nil : UserID(raw.excluded)
    before = flags & KITH_HAS_BEFORE == 0 ? nil : Timestamp(raw.before)
    after = flags & KITH_HAS_AFTER == 0 ? nil : Timestamp(raw.after)
    text = try string(raw.text, "text")
    cursor = raw.cursor.data == nil && raw.cursor.size == 0 ? nil : Cursor(try string(raw.cursor, "cursor"))
    guard raw.id_count <= Limits.idCount else { throw Failure.invalid("at most \(Limits.idCount) ids are looked up") }
    ids = raw.id_count == 0 ? [] : Array(try buffer(raw.ids, raw.id_count, "ids"))
    limit = raw.limit == 0 ? 20 : Int(raw.limit)
    followLimit = raw.follow_limit == 0 ? Limits.followCount : Int(raw.follow_limit)
    namedCount = Int(raw.named_count)
    match = try choice(raw.match, of: [.substring, .prefix, .exact, .fuzzy, .regex], "match")
    folding = try choice(raw.folding, of: [.loose, .strict], "folding")
    order = raw.order
    direction = try choice(raw.direction, of: [.older, .newer], "direction")
  }

  private static let allFlags = 2 * KITH_HAS_AFTER - 1

  private func has(_ flag: Int) -> Bool { flags & flag != 0 }

  // MARK: Options of the engine

  private func userSearch() throws -> UserQuery {
    UserQuery(
      match: match, fold: folding,
      order: try choice(order, of: [.name, .prefixFirst, .followedFirst, .popular], "order of a search"),
      excludedUser: excluded, countsMatches: has(KITH_COUNTS_MATCHES),
      includesHighlights: has(KITH_INCLUDES_HIGHLIGHTS), limit: limit, cursor: cursor,
      viewer: viewer)
  }

  private var postSearch: PostQuery {
    PostQuery(
      author: target == 0 ? nil : UserID(target), followedOnly: has(KITH_FOLLOWED_ONLY), fold: folding, before: before,
      after: after, includesHighlights: has(KITH_INCLUDES_HIGHLIGHTS), limit: limit, cursor: cursor, viewer: viewer)
  }

  private var timeline: TimelineQuery {
    TimelineQuery(
      direction: direction, before: before, after: after, includesOwnPosts: !has(KITH_EXCLUDES_OWN_POSTS), limit: limit,
      cursor: cursor)
  }

  private func list() throws -> ListQuery {
    ListQuery(
      order: try choice(order, of: [.newest, .name], "order of a list"), limit: limit, cursor: cursor, viewer: viewer)
  }

  private var mutual: MutualQuery {
    MutualQuery(countsMatches: has(KITH_COUNTS_MATCHES), limit: limit, cursor: cursor, viewer: viewer)
  }

  private var suggestion: SuggestionQuery {
    SuggestionQuery(namedCount: namedCount, followLimit: followLimit, limit: limit)
  }

  // MARK: Running

  /// The result from one version of the graph.
  func run(_ view: borrowing GraphView) throws -> PageValue {
    let other = UserID(target)
    return switch kind {
    case KITH_SEARCH_USERS: .users(try view.searchUsers(text, try userSearch()))
    case KITH_SEARCH_POSTS: .posts(try view.searchPosts(text, postSearch))
    case KITH_TIMELINE: .posts(try view.timeline(of: user, timeline))
    case KITH_TWO_HOP_TIMELINE: .posts(try view.twoHopTimeline(of: user, timeline, followLimit: followLimit))
    case KITH_FOLLOWERS: .users(try view.followers(of: user, try list()))
    case KITH_FOLLOWEES: .users(try view.followees(of: user, try list()))
    case KITH_LIKERS: .users(try view.likers(of: PostID(target), try list()))
    case KITH_LIKES: .posts(try view.likes(of: user, try list()))
    case KITH_BLOCKED_USERS: .users(try view.blocked(by: user, try list()))
    case KITH_MUTED_USERS: .users(try view.muted(by: user, try list()))
    case KITH_MUTUAL_FOLLOWEES: .users(try view.mutualFollowees(of: user, and: other, mutual))
    case KITH_MUTUAL_FOLLOWERS: .users(try view.mutualFollowers(of: user, and: other, mutual))
    case KITH_SUGGESTIONS: .suggestions(try view.suggestions(for: user, suggestion))
    case KITH_USER: .user(try view.user(user, as: viewer))
    case KITH_POST: .post(try view.post(PostID(target), as: viewer))
    case KITH_USERS: .userList(try view.users(ids.map { UserID($0) }, as: viewer))
    case KITH_POSTS: .postList(try view.posts(ids.map { PostID($0) }, as: viewer))
    default: throw Failure.invalid("\(kind) is no kind of query")
    }
  }

  /// The same query, live.
  func live() throws -> LiveQuery<PageValue, KithError> {
    let other = UserID(target)
    return switch kind {
    case KITH_SEARCH_USERS: LiveQuery.searchUsers(text, try userSearch()).map { .users($0) }
    case KITH_SEARCH_POSTS: LiveQuery.searchPosts(text, postSearch).map { .posts($0) }
    case KITH_TIMELINE: LiveQuery.timeline(of: user, timeline).map { .posts($0) }
    case KITH_TWO_HOP_TIMELINE:
      LiveQuery.twoHopTimeline(of: user, timeline, followLimit: followLimit).map { .posts($0) }
    case KITH_FOLLOWERS: LiveQuery.followers(of: user, try list()).map { .users($0) }
    case KITH_FOLLOWEES: LiveQuery.followees(of: user, try list()).map { .users($0) }
    case KITH_LIKERS: LiveQuery.likers(of: PostID(target), try list()).map { .users($0) }
    case KITH_LIKES: LiveQuery.likes(of: user, try list()).map { .posts($0) }
    case KITH_BLOCKED_USERS: LiveQuery.blocked(by: user, try list()).map { .users($0) }
    case KITH_MUTED_USERS: LiveQuery.muted(by: user, try list()).map { .users($0) }
    case KITH_MUTUAL_FOLLOWEES: LiveQuery.mutualFollowees(of: user, and: other, mutual).map { .users($0) }
    case KITH_MUTUAL_FOLLOWERS: LiveQuery.mutualFollowers(of: user, and: other, mutual).map { .users($0) }
    case KITH_SUGGESTIONS: LiveQuery.suggestions(for: user, suggestion).map { .suggestions($0) }
    case KITH_USER: LiveQuery.user(user, as: viewer).map { .user($0) }
    case KITH_POST: LiveQuery.post(PostID(target), as: viewer).map { .post($0) }
    case KITH_USERS: LiveQuery.users(ids.map { UserID($0) }, as: viewer).map { .userList($0) }
    case KITH_POSTS: LiveQuery.posts(ids.map { PostID($0) }, as: viewer).map { .postList($0) }
    default: throw Failure.invalid("\(kind) is no kind of query")
    }
  }

  /// The ids of a page of a timeline.
  func timelineIDs(_ view: borrowing GraphView, into ids: inout [PostID]) throws {
    guard kind == KITH_TIMELINE else { throw Failure.invalid("ids are those of a timeline") }
    try view.timelineIDs(of: user, timeline, into: &ids)
  }
}

/// Described in kith.h.
@c @implementation
public func kith_run(
  _ graph: OpaquePointer?, _ query: UnsafePointer<kith_query>?, _ page: UnsafeMutablePointer<kith_page>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  page?.pointee = kith_page()
  return finish(error) {
    let page = try needed(page, "page")
    let query = try PageQuery(query)
    try Handle(graph).read { view in try query.run(view) }.write(to: page)
  }
}

/// Described in kith.h.
@c @implementation
public func kith_timeline_ids(
  _ graph: OpaquePointer?, _ query: UnsafePointer<kith_query>?, _ posts: UnsafeMutablePointer<Int64>?,
  _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  count?.pointee = 0
  return finish(error) {
    let (posts, count) = (try needed(posts, "posts"), try needed(count, "count"))
    let query = try PageQuery(query)
    var ids: [PostID] = []
    try Handle(graph).read { view in try query.timelineIDs(view, into: &ids) }
    for (index, id) in ids.enumerated() { posts[index] = id.rawValue }
    count.pointee = ids.count
  }
}
