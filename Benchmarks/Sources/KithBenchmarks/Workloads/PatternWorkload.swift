import Kith

/// Fuzzy search and regular expressions, without the viewer: the first twenty users.
///
/// Fuzzy: names and parts of names with one or two typos, beside a scan of all names in C with the same bit-parallel
/// matcher, which is run only a few times. Expressions with a literal are beside the baseline's search for the literal,
/// which is the least cost of finding their names.
struct PatternWorkload {
  private struct Question {
    let query: String
    let folded: [UInt8]
    let viewer: Int
  }

  private static let limit = 20
  private static let questionCount = 1_000
  private static let scannedCount = 20

  let network: Network
  let graph: SocialGraph

  func run(_ harness: inout Harness, against plain: PlainAnswers, seed: UInt64) throws -> [Measurement] {
    let baseline = SearchBaseline(network, order: plain.names)
    var measurements: [Measurement] = []
    let rows = [
      ("one typo, 4 letters", 4...4), ("one typo, 5 letters", 5...5), ("one typo, 6 and 7 letters", 6...7),
      ("two typos, 8 letters", 8...8), ("two typos, 9 to 16 letters", 9...16), ("4 to 16 letters", 4...16),
    ]
    for (name, lengths) in rows {
      measurements.append(try measureFuzzy("fuzzy, \(name)", lengths, &harness, baseline, seed))
    }
    #if Regex
      measurements += try measureExpressions(&harness, baseline, seed)
    #endif
    return measurements
  }

  private func measureFuzzy(
    _ name: String, _ lengths: ClosedRange<Int>, _ harness: inout Harness, _ baseline: SearchBaseline, _ seed: UInt64
  ) throws -> Measurement {
    let questions = mistypedNames(of: lengths, seed: seed)
    for question in questions.prefix(Self.scannedCount) {
      let page = try graph.read { (view) throws(KithError) in try ask(question, .fuzzy, view) }
      if page.map({ Int($0.id.rawValue) - 1 }) != baseline.fuzzyUsers(question.folded, question.viewer, Self.limit) {
        throw WrongAnswer(message: "\(name): the answer to \"\(question.query)\" is not the scan's")
      }
    }
    let engine = try harness.measure(
      name, questions: questions.count,
      engine: { number in
        try graph.read { (view) throws(KithError) in try ask(questions[number], .fuzzy, view) }.count
      })
    let scan = harness.measure(
      name, questions: Self.scannedCount, samples: Self.scannedCount,
      engine: { number in
        baseline.fuzzyPage(questions[number].folded, viewer: questions[number].viewer, limit: Self.limit)
      })
    return Measurement(name: name, engine: engine.engine, baseline: scan.engine)
  }

  #if Regex
    private func measureExpressions(
      _ harness: inout Harness, _ baseline: SearchBaseline, _ seed: UInt64
    ) throws -> [Measurement] {
      var random = RandomSource(seed: seed, stream: 22)
      var withLiteral: [Question] = []
      var anchored: [Question] = []
      while withLiteral.count < Self.questionCount {
        let name = Array(random.pick(network.names).lowercased())
        guard name.count > 6, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { continue }
        let start = random.below(name.count - 5)
        let literal = String(name[start..<start + 5])
        let pattern = random.pick([".\(literal)", "\(literal)[a-z0-9]*$", "(\(literal))+", "[aeiou]?\(literal)"])
        let viewer = random.below(network.userCount)
        withLiteral.append(Question(query: pattern, folded: Array(literal.utf8), viewer: viewer))
        let class1 = "[\(name[0])-\(name[0])\(name[1])]"
        anchored.append(Question(query: "^\(class1)[^a-m][0-9x-z]..$", folded: [], viewer: viewer))
      }
      var rows = [("regex, a literal of 5 letters", withLiteral, true)]
      // With more names, a pattern without a selective literal ends with `budgetExceeded`.
      if network.userCount <= 200_000 { rows.append(("regex, anchored classes", anchored, false)) }
      return try rows.map { name, questions, hasBaseline in
        try harness.measure(
          name, questions: questions.count, samples: hasBaseline ? nil : Self.scannedCount,
          engine: { number in
            try graph.read { (view) throws(KithError) in try ask(questions[number], .regex, view) }.count
          },
          baseline: hasBaseline
            ? { number in
              let question = questions[number]
              return baseline.page(question.folded, prefix: false, viewer: question.viewer, limit: Self.limit)
            } : nil)
      }
    }
  #endif

  @inline(__always)
  private func ask(_ question: Question, _ match: UserQuery.Match, _ view: borrowing GraphView) throws(KithError)
    -> Page<User>
  {
    let viewer = Network.userID(question.viewer)
    return try view.searchUsers(
      question.query, UserQuery(match: match, excludedUser: viewer, limit: Self.limit, viewer: viewer))
  }

  /// Parts of names in ASCII, mostly whole ones, after one typo, or two from eight letters on.
  private func mistypedNames(of lengths: ClosedRange<Int>, seed: UInt64) -> [Question] {
    var random = RandomSource(seed: seed, stream: 21)
    var questions: [Question] = []
    let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
    while questions.count < Self.questionCount {
      var name = Array(random.pick(network.names).lowercased().utf8)
      if !name.allSatisfy({ $0 < 0x80 }) || name.count < lengths.lowerBound { continue }
      name = Array(name.prefix(lengths.upperBound))
      for _ in 0..<(name.count < 8 ? 1 : 1 + random.below(2)) {
        let place = random.below(name.count)
        switch random.below(3) {
        case 0 where name.count > lengths.lowerBound: name.remove(at: place)
        case 1 where name.count < lengths.upperBound: name.insert(letters[random.below(26)], at: place)
        default: name[place] = letters[random.below(26)]
        }
      }
      let query = String(decoding: name, as: UTF8.self)
      questions.append(Question(query: query, folded: name, viewer: random.below(network.userCount)))
    }
    return questions
  }
}
