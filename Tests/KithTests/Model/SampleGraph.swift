@testable import Kith

/// A small graph of everything, the same for the same numbers in every process: names of many scripts, given and
/// assigned ids, ties, removed users and posts, blocks and mutes.
final class SampleGraph {
  let graph = SocialGraph()
  private(set) var model = ReferenceModel()
  private var random: SeededRandom

  /// The one in `golden-1.0.kith.zst`.
  static func golden() throws -> SampleGraph { try SampleGraph(userCount: 40, seed: 1) }

  init(userCount: Int, seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    for index in 0..<userCount { try add(index) }
    for _ in 0..<userCount * 6 { try makeEdge(Int64(userCount)) }
    for index in 0..<userCount / 8 { try change(index, Int64(userCount)) }
  }

  private static let names = [
    "Ann", "Zoë", "日本", "Ærø", "e\u{301}mile", "STRASSE", "straße", "🙂\u{200D}", "ivan", "Иван",
  ]
  private static let words = ["snow", "Schnee", "雪", "снег", "neige", "x.y", "e\u{301}", "100 %", "\n", "🙂"]
  private static let base: Int64 = 1_600_000_000_000

  private func below(_ bound: Int) -> Int { random.below(bound) }

  private func time() -> Timestamp { Timestamp(Self.base + Int64(below(40)) * 700) }

  /// Engine and model accept it or refuse it alike.
  private func play(_ change: Change) throws {
    switch (graph.outcome(of: change), model.outcome(of: change)) {
    case (.success, .success), (.failure, .failure): return
    case (let outcome, let expected): throw Difference(description: "\(change) gave \(outcome), not \(expected)")
    }
  }

  /// A user and three posts, some with ids of the host.
  private func add(_ index: Int) throws {
    let id: UserID? = index % 10 == 9 ? UserID(Int64(1_000 - index)) : nil
    try play(.addUser(id: id, username: "\(Self.names[index % Self.names.count]) \(index / 3)"))
    for place in 0..<3 {
      let text = (0..<below(6)).map { _ in Self.words[below(Self.words.count)] }.joined(separator: " ")
      let post: PostID? = below(6) == 0 ? PostID(Int64(5_000 - index * 3 - place)) : nil
      let author = UserID(Int64(1 + below(index + 1)))
      try play(.addPost(id: post, by: author, text: text, createdAt: time()))
    }
  }

  private func makeEdge(_ userCount: Int64) throws {
    let users = model.users.keys.sorted()
    let posts = model.posts.keys.sorted()
    let (user, other) = (users[below(users.count)], users[min(below(users.count), below(users.count))])
    switch below(20) {
    case 0..<11: try play(.follow(as: user, target: other, at: time()))
    case 11..<18: try play(.like(as: user, post: posts[below(posts.count)], at: time()))
    case 18: try play(.mute(as: user, target: other))
    default: try play(.block(as: user, target: other))
    }
  }

  private func change(_ index: Int, _ userCount: Int64) throws {
    let users = model.users.keys.sorted()
    let posts = model.posts.keys.sorted()
    try play(.removeUser(users[below(users.count)]))
    try play(.removePost(posts[below(posts.count)]))
    try play(.renameUser(users[below(users.count)], to: "renamed é \(index)"))
    try play(.unfollow(as: users[below(users.count)], target: users[below(users.count)]))
  }

  /// Compares the model and a graph that should be the same by some queries. Returns the differences as text.
  func differences(from other: borrowing GraphView, questions: Int) -> [String] {
    var draw = Draw(seed: 7, userCount: 10)
    var differences = other.verify().map { "\($0)" }
    if other.rows != model.rows { differences.append("rows") }
    if other.counts != model.counts { differences.append("counts") }
    if other.sequence != model.sequence { differences.append("sequence") }
    for _ in 0..<questions {
      let question = draw.question(for: model)
      let reply = other.reply(to: question)
      let expected = model.reply(to: question)
      if !reply.agrees(with: expected) { differences.append("\(question): \(reply), not \(expected)") }
    }
    return differences
  }
}

extension [Section] {
  /// The content of the sections, for comparing: their ids, encodings, counts and bytes.
  var contents: [[UInt8]] {
    map { section -> [UInt8] in
      let head =
        "\(section.id) \(section.head.version) \(section.encoding) \(section.head.isCritical) \(section.elementCount) "
      return [UInt8](head.utf8) + section.content
    }
  }

  /// One hash over all of them.
  var digest: UInt64 {
    let bytes = contents.flatMap { $0 }
    return XXH64.hash(bytes.span)
  }
}
