import Kith

/// Friend search without the viewer, twenty users with whether they are followed: any part of a name, and names as they
/// are typed from their first letter on; 1 to 10 letters, each length as often. The baseline is an index on bare arrays
/// in C.
///
/// The other orders have no baseline: theirs is the one by name.
struct SearchWorkload {
  private struct Question {
    let query: String
    let folded: [UInt8]
    let viewer: Int
  }

  private struct Row {
    let name: String
    let questions: [Question]
    var match = UserQuery.Match.substring
    var order = UserQuery.Order.name
  }

  private static let limit = 20
  private static let checked = 100
  private static let questionCount = 1_000

  let network: Network
  let graph: SocialGraph

  func run(_ harness: inout Harness, against plain: PlainAnswers, seed: UInt64) throws -> [Measurement] {
    let baseline = SearchBaseline(network, order: plain.names)
    return try rows(seed: seed).map { try measure($0, &harness, plain, baseline) }
  }

  private func rows(seed: UInt64) -> [Row] {
    let parts = questions(seed: seed, typed: false)
    let beginnings = questions(seed: seed, typed: true)
    let hostile = hostileQuestions(seed: seed)
    var rows = [
      Row(name: "search, any part, 1 to 10 letters", questions: parts),
      Row(name: "search, any part, 1 letter", questions: parts.filter { $0.query.count == 1 }),
      Row(name: "search, any part, 2 letters", questions: parts.filter { $0.query.count == 2 }),
      Row(name: "search, any part, 3 to 10 letters", questions: parts.filter { $0.query.count > 2 }),
      Row(name: "search, any part, 8 letters", questions: parts.filter { $0.query.count == 8 }),
      Row(name: "search, any part, as a name is typed", questions: beginnings),
      Row(name: "search, common grams, hardly a hit", questions: hostile),
      Row(name: "autocomplete, as a name is typed", questions: beginnings, match: .prefix),
      Row(name: "search, prefix first", questions: parts, order: .prefixFirst),
      Row(name: "search, most followed first", questions: parts, order: .popular),
    ]
    for fanIn in network.fanIns {
      let asked = parts.enumerated().map { index, question in
        Question(
          query: question.query, folded: question.folded,
          viewer: fanIn.users.lowerBound + index % fanIn.users.count)
      }
      let name = "search, followed first, \(grouped(fanIn.followeeCount)) followed"
      rows.append(Row(name: name, questions: asked, order: .followedFirst))
    }
    return rows
  }

  private func measure(
    _ row: Row, _ harness: inout Harness, _ plain: PlainAnswers, _ baseline: SearchBaseline
  ) throws -> Measurement {
    for question in row.questions.prefix(Self.checked) { try check(question, row, plain, baseline) }
    let isPrefix = row.match == .prefix
    let enginePage: (Int) throws -> Int = { number in
      try graph.read { (view) throws(KithError) in try ask(row.questions[number], row, view) }.count
    }
    let baselinePage: (Int) -> Int = { number in
      let question = row.questions[number]
      return baseline.page(question.folded, prefix: isPrefix, viewer: question.viewer, limit: Self.limit)
    }
    return try harness.measure(
      row.name, questions: row.questions.count, engine: enginePage, baseline: row.order == .name ? baselinePage : nil)
  }

  @inline(__always)
  private func ask(_ question: Question, _ row: Row, _ view: borrowing GraphView) throws(KithError) -> Page<User> {
    let viewer = Network.userID(question.viewer)
    return try view.searchUsers(
      question.query,
      UserQuery(match: row.match, order: row.order, excludedUser: viewer, limit: Self.limit, viewer: viewer))
  }

  private func check(_ question: Question, _ row: Row, _ plain: PlainAnswers, _ baseline: SearchBaseline) throws {
    let page = try graph.read { (view) throws(KithError) in try ask(question, row, view) }
    let isPrefix = row.match == .prefix
    let known = plain.search(
      question.query, prefix: isPrefix, order: row.order, viewer: question.viewer, limit: Self.limit)
    let isEqual = page.elementsEqual(known) { user, known in
      user.id == Network.userID(known.user) && user.username == network.names[known.user]
        && user.isFollowedByViewer == known.following
    }
    if !isEqual { throw WrongAnswer(message: "\(row.name): the answer to \"\(question.query)\" is not the plain one") }
    if row.order != .name { return }
    let baselinePage = baseline.users(question.folded, prefix: isPrefix, viewer: question.viewer, limit: Self.limit)
    if !baselinePage.elementsEqual(known, by: ==) {
      throw WrongAnswer(message: "the baseline's answer to \"\(question.query)\" is not the plain one")
    }
  }

  // MARK: - Queries

  private func question(_ query: String, _ random: inout RandomSource) -> Question {
    Question(query: query, folded: Array(query.lowercased().utf8), viewer: random.below(network.userCount))
  }

  private func questions(seed: UInt64, typed: Bool) -> [Question] {
    var random = RandomSource(seed: seed, stream: typed ? 11 : 12)
    var questions: [Question] = []
    while questions.count < Self.questionCount {
      let count = 1 + questions.count % 10
      let name = Array(random.pick(network.names))
      if name.count < count { continue }
      let start = typed ? 0 : random.below(name.count - count + 1)
      questions.append(question(String(name[start..<start + count]), &random))
    }
    return questions
  }

  /// Letters whose every trigram occurs in some name, while all of them rarely do.
  private func hostileQuestions(seed: UInt64) -> [Question] {
    var random = RandomSource(seed: seed, stream: 13)
    var questions: [Question] = []
    while questions.count < Self.questionCount {
      let count = [4, 5, 6, 8][questions.count % 4]
      var letters = Array(random.pick(network.names).prefix(3))
      for _ in 0..<2_000 where letters.count >= 3 && letters.count < count {
        let name = Array(random.pick(network.names))
        let next = name.indices.dropLast(2).first { name[$0...$0 + 1] == letters[(letters.count - 2)...] }
        if let next { letters.append(name[next + 2]) }
      }
      if letters.count == count { questions.append(question(String(letters), &random)) }
    }
    return questions
  }
}
