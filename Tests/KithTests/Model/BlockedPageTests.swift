import Testing

@testable import Kith

/// Every list for a viewer with blocks, page by page: whichever way it is found, nobody across a block is on a page.
///
/// Two users have nearly all others as followees and followers, one has half of them and one has few, so that lists
/// are long and short, alike and unlike: each plan of a list is taken.
@Suite struct BlockedPageTests {
  private static let userCount: Int64 = 180
  private static let (hub, second, half, few, viewer, stranger) =
    (UserID(1), UserID(2), UserID(3), UserID(4), UserID(5), UserID(6))
  private static let popularPost = PostID(1)

  /// - Parameter ascends: whether ids ascend as rows do, which faster plans rely on.
  private static func pair(ascends: Bool, _ form: ListForm) throws -> ModelPair {
    var pair = ModelPair(SocialGraph.Options { $0.compactLists = form == .compact })
    for user in 1...userCount {
      // The ids of every second pair of rows are swapped.
      let id = ascends || user < 12 || user % 4 > 1 ? user : user % 4 == 0 ? user + 1 : user - 1
      let name = "\(user % 3 == 0 ? "snow" : "ann") \(user)"
      if id <= userCount { try pair.make(.addUser(id: UserID(id), username: name)) }
    }
    let all = pair.model.users.keys.sorted()
    for user in all {
      let time = Timestamp(user.rawValue % 7 * 1_000)
      for big in [hub, second] where user != big {
        try pair.make(.follow(as: user, target: big, at: time))
        try pair.make(.follow(as: big, target: user, at: time))
      }
      if user != half && user.rawValue % 2 == 0 {
        try pair.make(.follow(as: user, target: half, at: time))
        try pair.make(.follow(as: half, target: user, at: time))
      }
      if (8...10).contains(user.rawValue) {
        try pair.make(.follow(as: user, target: few, at: time))
        try pair.make(.follow(as: few, target: user, at: time))
      }
      if user != viewer && user.rawValue % 5 < 3 { try pair.make(.follow(as: viewer, target: user, at: time)) }
      try pair.make(.addPost(id: nil, by: user, text: "deep snow \(user)", createdAt: time))
      try pair.make(.like(as: user, post: popularPost, at: time))
      try pair.make(.like(as: hub, post: PostID(Int64(pair.model.posts.count)), at: time))
    }
    for user in all where user.rawValue > 6 && user.rawValue % 5 < 2 {
      try pair.make(user.rawValue % 2 == 0 ? .block(as: viewer, target: user) : .block(as: user, target: viewer))
    }
    if form == .compact { pair.graph.compressTexts() }
    pair.graph.settlePosts()
    return pair
  }

  /// The lists that hide somebody, with all that they hold on one page.
  private static func lists(viewer: UserID?) -> [Question] {
    var lists: [Question] = []
    for (user, other) in [(hub, second), (hub, half), (few, hub), (half, few)] {
      for counts in [false, true] {
        let query = MutualQuery(countsMatches: counts, limit: 1_000, viewer: viewer)
        lists += Question.Mutuals.allCases.map { .mutuals(user, other, $0, query) }
      }
    }
    for user in [hub, half, few] {
      for order in ListQuery.Order.allCases {
        let query = ListQuery(order: order, limit: 1_000, viewer: viewer)
        lists += [.followees(user, query), .followers(user, query)]
      }
    }
    let plain = ListQuery(limit: 1_000, viewer: viewer)
    lists += [.likers(popularPost, plain), .likes(hub, plain)]
    for text in ["", "n", "snow", "snow 1"] {
      for order in UserQuery.Order.allCases where viewer != nil || order != .followedFirst {
        for match in [UserQuery.Match.substring, .prefix] where match == .substring || text != "n" {
          let counts = text == "snow"
          let query = UserQuery(match: match, order: order, countsMatches: counts, limit: 1_000, viewer: viewer)
          lists.append(.searchUsers(text, query))
        }
      }
    }
    lists.append(.searchUsers("snwo", UserQuery(match: .fuzzy, limit: 1_000, viewer: viewer)))
    for text in ["", "snow", "deep", "ann snow"] {
      for followedOnly in [false, true] where viewer != nil || !followedOnly {
        lists.append(.searchPosts(text, PostQuery(followedOnly: followedOnly, limit: 1_000, viewer: viewer)))
      }
    }
    return lists
  }

  /// The lists that are always somebody's own.
  private static func ownLists(of user: UserID) -> [Question] {
    [TimelineQuery.Direction.older, .newer].flatMap { direction -> [Question] in
      let query = TimelineQuery(direction: direction, limit: 1_000)
      return [.timeline(user, query), .twoHops(user, query, followLimit: SocialGraph.Limits.followCount)]
    }
  }

  /// More than any list of the graph has.
  private static let mostItems = 5_000

  /// The items of all pages.
  private static func walk(_ question: Question, limit: Int, _ view: borrowing GraphView) -> [String] {
    var (items, cursor): ([String], Cursor?) = ([], nil)
    while true {
      let reply = view.reply(to: question.changed(limit: limit), from: cursor)
      let page = reply.answer.descriptions
      items = question.isNewer ? page + items : items + page
      cursor = question.isNewer ? reply.previous : reply.next
      if question.isNewer ? page.count < limit : cursor == nil { return items }
      if items.count > mostItems { return items + ["a list without an end"] }
      // A list that goes on has a full page.
      if page.count != limit { return items + ["a short page of \(page.count)"] }
    }
  }

  @Test(
    "Users whom the viewer blocks are shown on request, those who block the viewer never", arguments: ListForm.allCases)
  func includesBlocked(form: ListForm) throws {
    var pair = try Self.pair(ascends: true, form)
    let (blocked, blocker, both) = (UserID(10), UserID(11), UserID(16))
    try pair.make(.block(as: both, target: Self.viewer))
    let pin = pair.graph.pin()
    let relations = try pin.view.relations(of: Self.viewer, to: [blocked, blocker, both])
    #expect(relations.map(\.isBlocking) == [true, false, true])
    #expect(relations.map(\.isBlockedBy) == [false, true, true])
    let ids = [blocked, blocker, both, Self.stranger]
    let (found, shown) = (
      try pin.view.users(ids, as: Self.viewer), try pin.view.users(ids, as: Self.viewer, includesBlocked: true)
    )
    #expect(found.map { $0?.id } == [nil, nil, nil, Self.stranger])
    #expect(shown.map { $0?.id } == [blocked, nil, nil, Self.stranger])
    #expect(try pin.view.users(ids, includesBlocked: true).map { $0?.id } == ids)
    var questions: [Question] = pair.model.everUsers.map { .user($0, viewer: Self.viewer, includesBlocked: true) }
    for case .searchUsers(let text, var query) in Self.lists(viewer: Self.viewer) {
      query.includesBlocked = true
      let page = try pin.view.searchUsers(text, query)
      #expect(!page.contains { $0.id == both || $0.id == blocker }, "\(text), \(query)")
      if text.isEmpty { #expect(page.contains { $0.id == blocked }, "\(query)") }
      questions.append(.searchUsers(text, query))
    }
    for question in questions {
      let (reply, expected) = (pin.view.reply(to: question), pair.model.reply(to: question))
      #expect(reply.agrees(with: expected), "\(form), \(question) answers \(reply), not \(expected)")
    }
  }

  @Test(
    "Pages of every list and plan equal the model's, with blocks and without", arguments: [true, false],
    ListForm.allCases)
  func pages(ascends: Bool, form: ListForm) throws {
    let pair = try Self.pair(ascends: ascends, form)
    let pin = pair.graph.pin()
    #expect(pin.view.verify() == [])
    #expect(pin.view.state.users.identifiers.isAscending == ascends)
    for viewer in [Self.viewer, nil] {
      let questions = Self.lists(viewer: viewer) + Self.ownLists(of: viewer ?? Self.hub)
      for question in questions {
        let (reply, expected) = (pin.view.reply(to: question), pair.model.reply(to: question))
        let story = "\(form), ids ascend: \(ascends): \(question)"
        guard reply.agrees(with: expected) else {
          Issue.record("\(story) answers \(reply), not \(expected)")
          continue
        }
        let items = reply.answer.descriptions
        #expect(!items.isEmpty, "\(story)")
        for limit in [1, 3, 50] where limit > 1 || items.count < 12 {
          #expect(Self.walk(question, limit: limit, pin.view) == items, "\(story), by \(limit)")
        }
      }
      for limit in [1, 3, 50, 1_000] {
        for namedCount in [0, 2] {
          let query = SuggestionQuery(namedCount: namedCount, limit: limit)
          let question = Question.suggestions(viewer ?? Self.half, query)
          let agrees = pin.view.reply(to: question).agrees(with: pair.model.reply(to: question))
          #expect(agrees, "\(form), \(question)")
        }
      }
    }
    // Of these lists the viewer's blocks hide something.
    for (own, others) in zip(Self.lists(viewer: Self.viewer), Self.lists(viewer: Self.stranger)) {
      let (seen, all) = (pin.view.reply(to: own).answer.itemCount, pin.view.reply(to: others).answer.itemCount)
      if case .searchPosts(_, let query) = own, query.followedOnly { continue }
      // Its viewer is the other user.
      if case .mutuals(_, _, .familiar, _) = own { continue }
      #expect(seen < all, "\(own)")
    }
  }
}
