import Kith

/// The lists of a microblog, for `comparison/microblog`, which declares the same relations.
enum Microblog {
  private static let member = Relation("member", from: .post, to: .user, isTimed: true)
  /// The relations that users are told of, by the names of their edges, with their numbers in Kith's order.
  private static let numbers = ["follow": 0, "like": 1, "repost": 4, "reply": 5, "mention": 6]
  private static let told: [Relation] = [
    .follow, .like, Relation("repost", from: .user, to: .post, entersTimelines: true),
    Relation("reply", from: .post, to: .post, isThread: true),
    Relation("mention", from: .post, to: .user, grantsAccess: true),
  ]

  /// Arguments are the user who reads, the subject, and the number of the page. What has no such page is empty.
  static func reading(_ operation: String, _ arguments: inout Question.Arguments) throws -> Question.Ask? {
    guard ["home", "filtered", "list", "tag", "profile", "thread", "incoming"].contains(operation) else { return nil }
    let (user, subject, number) = (try arguments.user(), try arguments.number(), Int(try arguments.number()))
    let place = Place(pagesBefore: number - 1)
    if operation == "thread" {
      return paged(place) { (view, cursor) throws(KithError) in
        try view.thread(of: PostID(subject), ThreadQuery(cursor: cursor, viewer: user))
      } keep: { post, page in
        page.keepEntry(post)
      }
    }
    if operation == "incoming" {
      return paged(place) { (view, cursor) throws(KithError) in
        try view.incoming(to: user, IncomingQuery(relations: told, cursor: cursor))
      } keep: { edge, page in
        page.keep(edge, relation: numbers[edge.relation.name] ?? -1)
      }
    }
    let query = timeline(operation, subject)
    return paged(place) { (view, cursor) throws(KithError) in
      var query = query
      query.cursor = cursor
      return try view.timeline(of: user, query)
    } keep: { post, page in
      page.keepEntry(post)
    }
  }

  private static func timeline(_ operation: String, _ subject: Int64) -> TimelineQuery {
    switch operation {
    case "filtered": TimelineQuery(replies: .toFollowed, flags: FlagFilter(none: 1))
    case "list": TimelineQuery(includesOwnPosts: false, sources: .members(member, of: PostID(subject)))
    case "tag": TimelineQuery(includesOwnPosts: false, sources: .users([UserID(subject)]))
    case "profile": TimelineQuery(sources: .author(UserID(subject)), replies: .none)
    default: TimelineQuery()
    }
  }

  /// Where a page begins: found once, by the pages before it.
  private final class Place {
    private(set) var cursor: Cursor?
    private(set) var isBehindEnd = false
    private var pagesBefore: Int

    init(pagesBefore: Int) { self.pagesBefore = pagesBefore }

    func find(_ next: (Cursor?) throws(KithError) -> Cursor?) throws(KithError) {
      while pagesBefore > 0 && !isBehindEnd {
        cursor = try next(cursor)
        isBehindEnd = cursor == nil
        pagesBefore -= 1
      }
    }
  }

  private static func paged<Element>(
    _ place: Place, _ read: @escaping (borrowing GraphView, Cursor?) throws(KithError) -> Page<Element>,
    keep: @escaping (Element, inout HostPage) -> Void
  ) -> Question.Ask {
    { (graph, page) throws(KithError) in
      try place.find { (cursor) throws(KithError) in
        try graph.read { (view) throws(KithError) in try read(view, cursor) }.next
      }
      if place.isBehindEnd { return }
      let cursor = place.cursor
      for element in try graph.read({ (view) throws(KithError) in try read(view, cursor) }) { keep(element, &page) }
    }
  }
}
