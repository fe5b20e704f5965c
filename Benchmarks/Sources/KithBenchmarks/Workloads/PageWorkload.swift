import Kith

/// Further pages of home timelines: pages two to five, a page ninety days back, and the first page with cold caches.
struct PageWorkload {
  private static let limit = 20
  private static let ninetyDays: Int64 = 90 * 86_400_000

  /// One page: the query of the engine and of the baseline.
  private struct Question {
    let user: Int
    var options: TimelineQuery
    var bound: UInt32
  }

  let network: Network
  let graph: SocialGraph

  func run(_ harness: inout Harness) throws -> [Measurement] {
    let baseline = TimelineBaseline(network)
    let past = (network.times.max() ?? 0) - Self.ninetyDays
    let pastRank = UInt32(network.times.lazy.filter { $0 < past }.count)
    let everything = UInt32(network.authors.count)
    var measurements: [Measurement] = []
    for fanIn in network.fanIns {
      let name = "\(grouped(fanIn.followeeCount)) followed"
      let back = fanIn.users.map { user in
        Question(user: user, options: TimelineQuery(before: Timestamp(past)), bound: pastRank)
      }
      let first = fanIn.users.map { Question(user: $0, options: TimelineQuery(), bound: everything) }
      try measure(&harness, "timeline, pages 2 to 5, \(name)", try further(fanIn, baseline), baseline, &measurements)
      try measure(&harness, "timeline, 90 days back, \(name)", back, baseline, &measurements)
      try measure(&harness, "timeline, first page, cold, \(name)", first, baseline, isCold: true, &measurements)
    }
    return measurements
  }

  private func measure(
    _ harness: inout Harness, _ name: String, _ questions: [Question], _ baseline: TimelineBaseline,
    isCold: Bool = false,
    _ measurements: inout [Measurement]
  ) throws {
    for question in questions { try check(question, baseline) }
    let eviction = isCold ? Eviction() : nil
    measurements.append(
      try harness.measure(name, questions: questions.count, samples: isCold ? 200 : nil) {
        eviction?.run()
      } engine: { index in
        try page(questions[index]).count
      } baseline: { index in
        baseline.page(of: questions[index].user, before: questions[index].bound, limit: Self.limit)
      })
  }

  private func page(_ question: Question) throws(KithError) -> Page<Post> {
    try graph.read { (view) throws(KithError) in
      try view.timeline(of: Network.userID(question.user), question.options)
    }
  }

  /// Pages two to five of every user.
  private func further(_ fanIn: Network.FanIn, _ baseline: TimelineBaseline) throws -> [Question] {
    var questions: [Question] = []
    for user in fanIn.users {
      var question = Question(user: user, options: TimelineQuery(), bound: 0)
      for _ in 2...5 {
        let page = try page(question)
        guard let last = page.last, let cursor = page.next else { break }
        question.options.cursor = cursor
        question.bound = baseline.ranks[Int(last.id.rawValue) - 1]
        questions.append(question)
      }
    }
    return questions
  }

  private func check(_ question: Question, _ baseline: TimelineBaseline) throws {
    let page = try page(question).map {
      PlainPost(
        id: $0.id.rawValue, createdAt: $0.createdAt.rawValue, author: $0.author.id.rawValue,
        username: $0.author.username, text: $0.text, likeCount: $0.likeCount, liked: $0.isLikedByViewer == true)
    }
    if page != baseline.posts(of: question.user, before: question.bound, limit: Self.limit) {
      throw WrongAnswer(message: "a further page of user row \(question.user) is not the baseline's")
    }
  }
}

/// Reads more memory than caches hold.
final class Eviction {
  private let words = [UInt64](repeating: 1, count: 6 << 20)
  private(set) var sum: UInt64 = 0

  func run() { for index in stride(from: 0, to: words.count, by: 8) { sum &+= words[index] } }
}
