import Kith

/// Friend search by a user who is left out of it, twenty users with whether they are followed: any part of a name, and
/// names as they are typed from their first letter on; 1 to 10 letters, each length as often.
///
/// No floor stands beside it yet: an honest one needs an index of its own on bare arrays.
struct SearchWorkload {
  private struct Question {
    let query: String
    let viewer: UserID
  }

  private static let limit = 20
  private static let checked = 100
  private static let questionCount = 1_000

  let network: Network
  let graph: SocialGraph

  func run(_ harness: inout Harness, against plain: PlainAnswers, seed: UInt64) throws -> [Measurement] {
    let parts = questions(seed: seed, typed: false)
    let beginnings = questions(seed: seed, typed: true)
    let rows: [(name: String, questions: [Question], match: Match)] = [
      ("search, any part, 1 to 10 letters", parts, .substring),
      ("search, any part, 1 letter", parts.filter { $0.query.count == 1 }, .substring),
      ("search, any part, 2 letters", parts.filter { $0.query.count == 2 }, .substring),
      ("search, any part, 3 to 10 letters", parts.filter { $0.query.count > 2 }, .substring),
      ("search, any part, as a name is typed", beginnings, .substring),
      ("autocomplete, as a name is typed", beginnings, .prefix),
    ]
    return try rows.map { try measure($0.name, $0.questions, $0.match, &harness, plain) }
  }

  private func measure(
    _ name: String, _ questions: [Question], _ match: Match, _ harness: inout Harness, _ plain: PlainAnswers
  ) throws -> Measurement {
    for question in questions.prefix(Self.checked) { try check(question, match, plain) }
    return try harness.measure(name, questions: questions.count) { number in
      let question = questions[number]
      return try graph.read { (view) throws(KithError) in try ask(question, match, view) }.count
    }
  }

  @inline(__always)
  private func ask(
    _ question: Question, _ match: Match, _ view: borrowing GraphView
  ) throws(KithError) -> Page<User> {
    try view.searchUsers(
      question.query,
      UserSearch(match: match, viewer: question.viewer, excluding: question.viewer, limit: Self.limit))
  }

  private func check(_ question: Question, _ match: Match, _ plain: PlainAnswers) throws {
    let page = try graph.read { (view) throws(KithError) in try ask(question, match, view) }
    let known = plain.search(
      question.query, prefix: match == .prefix, viewer: Int(question.viewer.rawValue) - 1, limit: Self.limit)
    let isEqual = page.elementsEqual(known) { user, known in
      user.id == Network.userID(known.user) && user.username == network.names[known.user]
        && user.following == known.following
    }
    if !isEqual { throw WrongAnswer(message: "the engine's answer to \"\(question.query)\" is not the plain one") }
  }

  private func questions(seed: UInt64, typed: Bool) -> [Question] {
    var random = RandomSource(seed: seed, stream: typed ? 11 : 12)
    var questions: [Question] = []
    while questions.count < Self.questionCount {
      let count = 1 + questions.count % 10
      let name = Array(random.pick(network.names))
      if name.count < count { continue }
      let start = typed ? 0 : random.below(name.count - count + 1)
      questions.append(
        Question(
          query: String(name[start..<start + count]), viewer: Network.userID(random.below(network.userCount))))
    }
    return questions
  }
}
