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
  private let sources: Int
  private let replies: TimelineQuery.Replies
  private let reposts: TimelineQuery.Reposts
  private let masks: FlagFilter
  private let audiences: Set<Audience>
  private let userKind: String?

  init(_ query: UnsafePointer<kith_query>?) throws {
    let raw = try needed(query, "query").pointee
    guard raw.reserved == 0 else { throw Failure.invalid("reserved members of kith_query are not 0") }
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
    match = try UserQuery.Match(numbered: raw.match)
    folding = try TextFolding(numbered: raw.folding)
    order = raw.order
    direction = try TimelineQuery.Direction(numbered: raw.direction)
    sources = Int(raw.sources)
    replies = try TimelineQuery.Replies(numbered: raw.replies)
    reposts = try TimelineQuery.Reposts(numbered: raw.reposts)
    userKind = try optionalString(raw.user_kind, "user_kind")
    masks = FlagFilter(all: raw.flags_all, any: raw.flags_any, none: raw.flags_none)
    // Most queries ask for none, and allocate none.
    audiences = raw.audiences == 0 ? [] : Set(Audience.allCases.filter { raw.audiences >> $0.number & 1 == 1 })
    guard Int(raw.audiences) < 1 << Audience.allCases.count else {
      throw Failure.invalid("\(raw.audiences) has a bit of no audience")
    }
  }

  static var allFlags: Int {
    KITH_COUNTS_MATCHES | KITH_INCLUDES_HIGHLIGHTS | KITH_FOLLOWED_ONLY | KITH_EXCLUDES_OWN_POSTS | KITH_HAS_BEFORE
      | KITH_HAS_AFTER | KITH_INCLUDES_BLOCKED | KITH_INCLUDES_AUTHORS | KITH_INCLUDES_PAYLOADS
      | KITH_MENTIONS_VISIBLE | KITH_INCLUDES_CURSOR | KITH_LEAVES_OUT_MUTED | KITH_USERNAMES_ALONE
  }

  private func has(_ flag: Int) -> Bool { flags & flag != 0 }

  // MARK: Options of the engine

  private func userSearch() throws -> UserQuery {
    UserQuery(
      match: match, names: has(KITH_USERNAMES_ALONE) ? .username : .either, kind: userKind, fold: folding,
      order: try UserQuery.Order(numbered: order), flags: masks, excludedUser: excluded,
      includesBlocked: has(KITH_INCLUDES_BLOCKED), countsMatches: has(KITH_COUNTS_MATCHES),
      includesHighlights: has(KITH_INCLUDES_HIGHLIGHTS), limit: limit, cursor: cursor, viewer: viewer)
  }

  private func postSearch() throws -> PostQuery {
    guard replies == .all || replies == .none else { throw Failure.invalid("a search shows all replies or none") }
    return PostQuery(
      author: target == 0 ? nil : UserID(target), followedOnly: has(KITH_FOLLOWED_ONLY), fold: folding, before: before,
      after: after, flags: masks, audiences: audiences, includesReplies: replies == .all,
      leavesOutMuted: has(KITH_LEAVES_OUT_MUTED), includesHighlights: has(KITH_INCLUDES_HIGHLIGHTS),
      includesAuthors: has(KITH_INCLUDES_AUTHORS), limit: limit, cursor: cursor, viewer: viewer)
  }

  private func timeline() throws -> TimelineQuery {
    TimelineQuery(
      direction: direction, before: before, after: after, includesOwnPosts: !has(KITH_EXCLUDES_OWN_POSTS),
      sources: try timelineSources(), replies: replies, reposts: reposts,
      mentions: has(KITH_MENTIONS_VISIBLE) ? .ofVisible : .all, flags: masks, audiences: audiences,
      includesAuthors: has(KITH_INCLUDES_AUTHORS), limit: limit, cursor: cursor,
      includesCursor: has(KITH_INCLUDES_CURSOR))
  }

  private func timelineSources() throws -> TimelineQuery.Sources {
    // In a call a relation's name alone counts.
    func relation(_ name: Substring) -> Relation { Relation(String(name), from: .user, to: .user) }
    return switch sources {
    case KITH_OF_FOLLOWEES: .followees
    case KITH_OF_TARGETS: .targets(text.split(separator: " ").map(relation))
    case KITH_OF_MEMBERS: .members(relation(text[...]), of: PostID(target))
    case KITH_OF_USERS: .users(ids.map { UserID($0) })
    case KITH_OF_AUTHOR: .author(UserID(target))
    case KITH_OF_EVERYONE: .everyone
    default: throw Failure.invalid("\(sources) are no sources of a timeline")
    }
  }

  private func list() throws -> ListQuery {
    ListQuery(
      order: try ListQuery.Order(numbered: order), includesAuthors: has(KITH_INCLUDES_AUTHORS),
      leavesOutMuted: has(KITH_LEAVES_OUT_MUTED), limit: limit, cursor: cursor, viewer: viewer)
  }

  private func edges() throws -> EdgeQuery {
    EdgeQuery(
      order: try EdgeQuery.Order(numbered: order), includesAuthors: has(KITH_INCLUDES_AUTHORS),
      countsEdges: has(KITH_COUNTS_MATCHES), leavesOutMuted: has(KITH_LEAVES_OUT_MUTED), limit: limit, cursor: cursor,
      viewer: viewer)
  }

  /// What leads to a user.
  func incoming() throws -> (user: UserID, query: IncomingQuery) {
    guard kind == KITH_INCOMING else { throw Failure.invalid("\(kind) is not the kind KITH_INCOMING") }
    let names = text.split(separator: " ").map { Relation(String($0), from: .user, to: .user) }
    let query = IncomingQuery(
      relations: text.isEmpty ? nil : names, sources: has(KITH_FOLLOWED_ONLY) ? .followees : .anyone, before: before,
      after: after, includesAuthors: has(KITH_INCLUDES_AUTHORS), limit: limit, cursor: cursor)
    return (user, query)
  }

  private func thread() throws -> ThreadQuery {
    ThreadQuery(
      order: try ThreadQuery.Order(numbered: order), includesAuthors: has(KITH_INCLUDES_AUTHORS),
      leavesOutMuted: has(KITH_LEAVES_OUT_MUTED), limit: limit, cursor: cursor, viewer: viewer)
  }

  private var mutual: MutualQuery {
    MutualQuery(countsMatches: has(KITH_COUNTS_MATCHES), limit: limit, cursor: cursor, viewer: viewer)
  }

  private var suggestion: SuggestionQuery {
    SuggestionQuery(namedCount: namedCount, followLimit: followLimit, kind: userKind, flags: masks, limit: limit)
  }

  // MARK: Running

  /// The query as a read of the engine.
  func read() throws -> Read {
    let read = try plainRead()
    if !has(KITH_INCLUDES_PAYLOADS) { return read }
    if kind == KITH_SUGGESTIONS { throw Failure.invalid("suggestions have no payloads") }
    return .adding(ResultDetails(includesPayloads: true), to: read)
  }

  private func plainRead() throws -> Read {
    let other = UserID(target)
    return switch kind {
    case KITH_SEARCH_USERS: .users(named: text, try userSearch())
    case KITH_SEARCH_POSTS: .posts(matching: text, try postSearch())
    case KITH_TIMELINE: .timeline(of: user, try timeline())
    case KITH_TWO_HOP_TIMELINE: .twoHopTimeline(of: user, try timeline(), followLimit: followLimit)
    case KITH_FOLLOWERS: .list(.follow, .sources, of: user, try list())
    case KITH_FOLLOWEES: .list(.follow, .targets, of: user, try list())
    case KITH_LIKERS: .likers(of: PostID(target), try list())
    case KITH_LIKES: .likes(of: user, try list())
    case KITH_BLOCKED_USERS: .list(.block, .targets, of: user, try list())
    case KITH_MUTED_USERS: .list(.mute, .targets, of: user, try list())
    case KITH_MUTUAL_FOLLOWEES: .mutualFollowees(of: user, and: other, mutual)
    case KITH_MUTUAL_FOLLOWERS: .mutualFollowers(of: user, and: other, mutual)
    // Without a viewer, no user has the id 0.
    case KITH_FAMILIAR_FOLLOWERS: .familiarFollowers(of: user, as: viewer ?? UserID(0), mutual)
    case KITH_SUGGESTIONS: .suggestions(for: user, suggestion)
    case KITH_USER: .user(user, as: viewer, includesBlocked: has(KITH_INCLUDES_BLOCKED))
    case KITH_POST: .post(PostID(target), as: viewer, includesAuthors: has(KITH_INCLUDES_AUTHORS))
    case KITH_USERS: .usersByID(ids.map { UserID($0) }, as: viewer, includesBlocked: has(KITH_INCLUDES_BLOCKED))
    case KITH_POSTS: .postsByID(ids.map { PostID($0) }, as: viewer, includesAuthors: has(KITH_INCLUDES_AUTHORS))
    case KITH_TARGETS: .edgeListByName(text, .targets, of: target, try edges())
    case KITH_SOURCES: .edgeListByName(text, .sources, of: target, try edges())
    case KITH_THREAD: .thread(of: PostID(target), try thread())
    case KITH_ANCESTORS:
      .ancestors(of: PostID(target), limit: limit, as: viewer, includesAuthors: has(KITH_INCLUDES_AUTHORS))
    default: throw Failure.invalid("\(kind) is no kind of query")
    }
  }

  /// The ids of a page of a timeline.
  func timelineIDs(_ view: borrowing GraphView, into ids: inout [PostID]) throws {
    guard kind == KITH_TIMELINE else { throw Failure.invalid("ids are those of a timeline") }
    try view.timelineIDs(of: user, timeline(), into: &ids)
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
    let read = try PageQuery(query).read()
    try Handle(graph).read { view in try read.answer(view) }.write(to: page)
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
