import Kith

/// Search by names that are nearly known, and by regular expressions: by a user who is left out, the first twenty.
///
/// Fuzzy: names and parts of names with a slip or two, beside a scan of all names in C with the same bit-parallel
/// matcher, which is asked a few times only. Expressions with a literal stand beside the floor's search for the literal
/// alone: the least that finding their names costs.
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
    let floor = SearchFloor(network, order: plain.names)
    var measurements: [Measurement] = []
    let rows = [
      ("one slip, 4 letters", 4...4), ("one slip, 5 letters", 5...5), ("one slip, 6 and 7 letters", 6...7),
      ("two slips, 8 letters", 8...8), ("two slips, 9 to 16 letters", 9...16), ("4 to 16 letters", 4...16),
    ]
    for (name, lengths) in rows {
      measurements.append(try measureFuzzy("fuzzy, \(name)", lengths, &harness, floor, seed))
    }
    #if Regex
      measurements += try measureExpressions(&harness, floor, seed)
    #endif
    return measurements
  }

  private func measureFuzzy(
    _ name: String, _ lengths: ClosedRange<Int>, _ harness: inout Harness, _ floor: SearchFloor, _ seed: UInt64
  ) throws -> Measurement {
    let questions = slippedNames(of: lengths, seed: seed)
    for question in questions.prefix(Self.scannedCount) {
      let page = try graph.read { (view) throws(KithError) in try ask(question, .fuzzy, view) }
      if page.map({ Int($0.id.rawValue) - 1 }) != floor.fuzzyUsers(question.folded, question.viewer, Self.limit) {
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
        floor.fuzzyPage(questions[number].folded, viewer: questions[number].viewer, limit: Self.limit)
      })
    return Measurement(name: name, engine: engine.engine, floor: scan.engine)
  }

  #if Regex
    private func measureExpressions(
      _ harness: inout Harness, _ floor: SearchFloor, _ seed: UInt64
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
      // Beyond, a pattern that no literal narrows down ends with `budgetExceeded`.
      if network.userCount <= 200_000 { rows.append(("regex, anchored classes", anchored, false)) }
      return try rows.map { name, questions, hasFloor in
        try harness.measure(
          name, questions: questions.count, samples: hasFloor ? nil : Self.scannedCount,
          engine: { number in
            try graph.read { (view) throws(KithError) in try ask(questions[number], .regex, view) }.count
          },
          floor: hasFloor
            ? { number in
              let question = questions[number]
              return floor.page(question.folded, prefix: false, viewer: question.viewer, limit: Self.limit)
            } : nil)
      }
    }
  #endif

  @inline(__always)
  private func ask(_ question: Question, _ match: Match, _ view: borrowing GraphView) throws(KithError) -> UserPage {
    let viewer = Network.userID(question.viewer)
    return try view.searchUsers(
      question.query, UserSearch(match: match, viewer: viewer, excluding: viewer, limit: Self.limit))
  }

  /// Parts of names in ASCII, mostly whole ones, after one slip, or two from eight letters on.
  private func slippedNames(of lengths: ClosedRange<Int>, seed: UInt64) -> [Question] {
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
