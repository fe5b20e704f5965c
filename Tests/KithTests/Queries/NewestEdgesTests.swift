import Testing

@testable import Kith

/// Likes and followees, newest first, of a user with thousands: equal to a sort, and made of a part of them.
@Suite struct NewestEdgesTests {
  /// How the times of likes follow the order of posts.
  enum Order: CaseIterable, Sendable {
    case ascending, descending, random
    /// Few seconds, each with thousands of likes.
    case tied

    func second(_ number: Int, of count: Int, _ random: inout SeededRandom) -> Int64 {
      switch self {
      case .ascending: Int64(number / 3 + random.below(20))
      case .descending: Int64((count - number) / 3 + random.below(20))
      case .random: Int64(random.below(count))
      case .tied: Int64(random.below(3))
      }
    }
  }

  private static let ann = UserID(1)
  private static let authorCount = 9

  /// Posts 1… by the users 2…9, liked by ann. What comes late comes one by one.
  private static func graph(
    _ order: Order, count: Int, _ form: ListForm
  ) throws -> (graph: SocialGraph, seconds: [PostID: Int64]) {
    let graph = SocialGraph(options: SocialGraph.Options { $0.compactLists = form == .compact })
    var random = SeededRandom(seed: 7)
    var seconds: [PostID: Int64] = [:]
    for number in 1...count { seconds[PostID(Int64(number))] = order.second(number, of: count, &random) }
    try graph.bulk { batch throws(KithError) in
      for number in 1...authorCount { try batch.apply(.addUser(id: nil, username: "user \(number)")) }
      for number in 1...count {
        let author = UserID(Int64(2 + number % (authorCount - 1)))
        try batch.apply(.addPost(id: nil, by: author, text: "", createdAt: 0))
      }
      for number in 1...count where number % 5 > 0 {
        let post = PostID(Int64(number))
        try batch.apply(.like(as: ann, post: post, at: Timestamp((seconds[post] ?? 0) * 1_000)))
      }
    }
    for number in 1...count where number % 5 == 0 {
      let post = PostID(Int64(number))
      try graph.like(post, as: ann, at: Timestamp((seconds[post] ?? 0) * 1_000))
    }
    return (graph, seconds)
  }

  /// All pages of likes.
  private static func walk(_ view: borrowing GraphView, limit: Int, viewer: UserID?) throws -> [PostID] {
    var (found, query): ([PostID], ListQuery) = ([], ListQuery(limit: limit, viewer: viewer))
    repeat {
      let page = try view.likes(of: ann, query)
      found += page.map(\.id)
      query.cursor = page.next
    } while query.cursor != nil && found.count < 10_000
    return found
  }

  private static func sorted(_ seconds: [PostID: Int64]) -> [PostID] {
    seconds.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map(\.key)
  }

  @Test(
    "Thousands of likes come newest first, page by page, while some are added and removed", arguments: Order.allCases,
    ListForm.allCases)
  func pages(order: Order, form: ListForm) throws {
    var (graph, seconds) = try Self.graph(order, count: 3_500, form)
    let (pin, before) = (graph.pin(), Self.sorted(seconds))
    #expect(pin.view.verify() == [])
    #expect(try Self.walk(pin.view, limit: 250, viewer: nil) == before)
    // The newest and the oldest go, and come back with other times; others are removed with their posts.
    for (index, post) in (before.prefix(300) + before.suffix(300)).enumerated() {
      try graph.unlike(post, as: Self.ann)
      seconds[post] = nil
      if index % 3 == 0 {
        seconds[post] = Int64(index * 37 % 5_000)
        try graph.like(post, as: Self.ann, at: Timestamp(Int64(index * 37 % 5_000) * 1_000))
      }
    }
    for post in before where post.rawValue % 4 == 1 {
      try graph.removePost(post)
      seconds[post] = nil
    }
    let changed = graph.pin()
    #expect(changed.view.verify() == [])
    #expect(try Self.walk(changed.view, limit: 250, viewer: nil) == Self.sorted(seconds))
    #expect(try Self.walk(pin.view, limit: 250, viewer: nil) == before)
    // An author who is hidden from the viewer.
    try graph.block(4, as: Self.ann)
    let hidden = graph.pin()
    let shown = seconds.filter { 2 + $0.key.rawValue % Int64(Self.authorCount - 1) != 4 }
    #expect(try Self.walk(hidden.view, limit: 1_000, viewer: Self.ann) == Self.sorted(shown))
  }

  @Test("A page of likes is made of a part of them", arguments: Order.allCases, ListForm.allCases)
  func readCount(order: Order, form: ListForm) throws {
    let count = 20_000
    let (graph, seconds) = try Self.graph(order, count: count, form)
    let newest = Self.sorted(seconds)
    let state = graph.pin()
    for place in [0, 1_000, count / 2] {
      let last = place == 0 ? nil : newest[place - 1]
      var selection = EdgeSelection(
        limit: 21, after: last.map { (UInt32(truncatingIfNeeded: seconds[$0] ?? 0), $0.rawValue) })
      let own = try state.view.state.userRow(Self.ann)
      let read = selection.push(targetsOf: own, in: state.view.state.likes) {
        state.view.state.posts.identifiers.ids[$0]
      }
      #expect(selection.best().map { PostID($0.id) } == Array(newest[place..<place + 21]), "\(order), \(place)")
      switch order {
      case .ascending, .descending: #expect(read <= 3 * 1_024, "\(order), \(place): \(read) were read")
      case .random: #expect(place > 0 || read <= 21 * 1_024 && read < count, "\(read) were read")
      case .tied: #expect(read <= count)
      }
    }
  }
}
