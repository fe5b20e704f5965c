import Testing

@testable import Kith

/// Fuzzy search and regular expressions in the username index, against a plain list that is scanned by the same test.
@Suite struct NamePatternTests {
  static let shapes = [(1, 2, 64), (7, 2, 64), (33, 3, 128), (4_096, 8, 64), (64, 4, 2_048)]

  @Test("5,000 fuzzy and regex answers equal a full scan during additions, removals and renames", arguments: shapes)
  func churn(memtableCapacity: Int, fanout: Int, namesPerPart: Int) throws {
    var world = World(seed: 21, memtableCapacity: memtableCapacity, fanout: fanout, namesPerPart: namesPerPart)
    for step in 1...500 {
      world.change(growing: step < 300)
      try world.compareOnePattern()
      try world.compareOnePattern()
    }
    world.checkInvariants()
  }

  @Test("Blocks that the prefilter excludes hold no match among thousands of names")
  func manyWords() throws {
    var world = World(seed: 22, memtableCapacity: 64, fanout: 4, namesPerPart: NameSegment.maximumNamesPerPart)
    world.fill(5_000)
    for _ in 0..<200 { try world.compareOnePattern() }
    for _ in 0..<200 { world.change(growing: false) }
    for _ in 0..<100 { try world.compareOnePattern() }
  }

  @Test("Grams that occur in hundreds of blocks, whose postings are intersected as bitmaps, exclude no match")
  func broadPrefilters() throws {
    var world = World(seed: 23, memtableCapacity: 4_096, fanout: 4, namesPerPart: NameSegment.maximumNamesPerPart)
    world.fill(24_000)
    for _ in 0..<60 { try world.compareOnePattern() }
  }

  @Test("The bit-parallel matcher agrees with the plain table, for texts of one scalar to two words")
  func matcher() {
    func edits(_ text: [UInt8], _ key: [UInt8]) -> Int { EditMatcher(text.span).edits(in: key.span) }
    func parts(_ text: [UInt8]) -> [String] {
      String(decoding: text, as: UTF8.self).unicodeScalars.map { String($0) }
    }
    var random = SeededRandom(seed: 7)
    let letters = ["a", "b", "c", "é", "日", "🙂"]
    for round in 0..<4_000 {
      let kinds = 2 + random.below(letters.count - 1)
      func word(_ count: Int) -> [UInt8] {
        Array((0..<count).map { _ in letters[random.below(kinds)] }.joined().utf8)
      }
      let text = word(1 + random.below(round % 10 == 0 ? 140 : 20))
      var key = word(random.below(60))
      if round % 3 == 0 { key += parts(text).dropLast(random.below(3)).joined().utf8 + word(random.below(4)) }
      let found = edits(text, key)
      let expected = leastEdits(text, in: key)
      #expect(found == expected, "\(String(decoding: text, as: UTF8.self)) in \(String(decoding: key, as: UTF8.self))")
    }
    for count in [63, 64, 65, 128] {
      let text = [UInt8](repeating: 0x61, count: count)
      #expect(edits(text, text) == 0)
      #expect(edits(text, text.dropLast(2)) == 2)
      #expect(edits(text, []) == count)
    }
  }

  @Test("A required part occurs in every text within the edit distance")
  func parts() {
    var random = SeededRandom(seed: 8)
    for _ in 0..<3_000 {
      let text = Array((0..<4 + random.below(30)).map { _ in ["a", "b", "c", "é"][random.below(4)] }.joined().utf8)
      let edits = random.below(3)
      var scalars = String(decoding: text, as: UTF8.self).unicodeScalars.map { String($0) }
      var edited: Set<Int> = []
      for _ in 0..<edits {
        let (place, kind) = (random.below(scalars.count - 1), random.below(4))
        let places = kind == 3 ? [place, place + 1] : [place]
        if !edited.isDisjoint(with: places) { continue }
        edited.formUnion(places)
        switch kind {
        case 0: scalars[place] = ""
        case 1: scalars[place] = "x" + scalars[place]
        case 2: scalars[place] = "y"
        default: scalars.swapAt(place, place + 1)
        }
      }
      let slipped = Array("..\(scalars.joined())..".utf8)
      let pattern = NamePattern(loose: text, edits: edits)
      let prefilters = pattern.prefilters
      #expect((0..<prefilters.count).contains { prefilters.occurs($0, in: slipped) })
      // The variants, which depend on the letters beside each other in the names: also of texts whose unedited runs are
      // more selective.
      var builder = NameSegmentBuilder(namesPerPart: NameSegment.maximumNamesPerPart)
      builder.add(0, key: slipped[...])
      let part = builder.build(generations: 0...0, names: TextColumn()) {}.parts[0]
      let variants = pattern.prefilters(for: part, maximumEstimate: -1)
      let isFound = variants.groups.contains { group in
        group.prefilters.contains { variants.occurs($0, in: slipped) }
          && group.besides?.contains { variants.isPosted($0, in: slipped) } ?? true
      }
      let story = "\(String(decoding: text, as: UTF8.self)) with \(edits) edits: \(scalars.joined())"
      #expect(isFound, "\(story)")
      let count = String(decoding: text, as: UTF8.self).unicodeScalars.count
      #expect(variants.groups.count == (edits == 2 && count <= 16 ? 5 : 1), "\(story)")
      #expect(part.blockEstimate(of: pattern.prefilters) > 0)
    }
    #expect(DeletionNeighborhood(Array("abc".utf8), edits: 2) == nil)
  }

  @Test("A required prefix is derived only where every match has it")
  func beginnings() {
    let cases = [
      ("^abc", ["abc"]), ("^AbC$", ["abc"]), ("^abc?", ["ab"]), ("^abc*d", ["ab"]), ("^abc+", ["abc"]),
      ("^ab{2}", ["a"]), ("^ab|c", [""]), ("abc", [""]), ("^a.c", ["a"]), ("^", [""]), ("^a_1\\.", ["a_1"]),
      ("^日", [""]), ("^[ba]c", ["ac", "bc"]), ("^[A-C]x", ["ax", "bx", "cx"]), ("^a[xy0-2]*", ["a"]),
      ("^[ab]+c", ["a", "b"]), ("^[^a]b", [""]), ("^a[b.]", ["a"]), ("^a[b-]", ["a"]), ("^a[A-z]", ["a"]),
      ("^a[[:alpha:]]", ["a"]), ("^a[]b]", ["a"]), ("^a[é]", ["a"]), ("^[ab][cd]?", ["a", "b"]), ("^a[", ["a"]),
    ]
    for (pattern, beginnings) in cases {
      let found = RegularExpression.beginnings(of: Array(pattern.utf8))
      #expect(found == beginnings.map { Array($0.utf8) }, "\(pattern)")
    }
    // Too many alternatives are cut to their common prefix.
    #expect(RegularExpression.beginnings(of: Array("^[a-j][a-j]".utf8)).count == 10)
  }

  @Test("Required parts do not depend on case or on marks that follow")
  func looseRuns() {
    let parts = Folding.looseRuns(of: Array("日か本が'’タ".utf8).span)
    #expect(parts == [Array("日か".utf8.dropLast()), Array("本が".utf8.dropLast()), Array("''タ".utf8.dropLast(2))])
    for value in UInt32(1)..<0x3_0000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let lower = scalar.properties.lowercaseMapping
      guard lower.unicodeScalars.count == 1 else { continue }
      let runs = Folding.looseRuns(of: Array(lower.utf8).span)
      for mark in ["", "\u{5B4}", "\u{E38}", "\u{323}", "\u{3099}", "\u{200D}\u{309A}"] {
        let key = Folding.loose(Array("b\(scalar)\(mark)c".utf8).span)
        #expect(runs.allSatisfy { ByteSearch.contains($0.span, in: key.span) }, "U+\(String(value, radix: 16)) \(mark)")
      }
    }
  }
}

extension NamePrefilters {
  /// Whether a key contains the text of a prefilter, and all of its grams.
  fileprivate func occurs(_ prefilter: Int, in key: [UInt8]) -> Bool {
    ByteSearch.contains(texts[text(of: prefilter)].span, in: key.span) && isPosted(prefilter, in: key)
  }

  /// Whether a key contains all grams of a prefilter.
  fileprivate func isPosted(_ prefilter: Int, in key: [UInt8]) -> Bool {
    var posted: Set<UInt32> = []
    Grams.forEachTrigram(of: key.span, after: 0) { posted.insert($0) }
    Grams.forEachShortGram(of: key.span, after: 0) { posted.insert($0) }
    return posted.isSuperset(of: grams[grams(of: prefilter)])
  }
}

extension World {
  fileprivate mutating func compareOnePattern() throws {
    let (query, story, holds) = try randomPattern()
    let after = random.below(2) == 0 ? nil : NameKey(name: Array(randomText().utf8))
    let refused = random.below(3) == 0 ? UInt32(random.below(4)) : 5
    let accept: (UInt32) -> Bool = { $0 % 4 != refused }
    let matches = plain.filter { accept($0.key) && holds($0.value) }
    let expected = matches.sorted {
      Self.isOrdered(($0.value.loose, $0.value.name), ($1.value.loose, $1.value.name))
    }.map(\.key)
    let limit = [1, 3, 20, 1_000][random.below(4)]
    let search = NameSearch(query: query, after: after, limit: limit)
    var budget = QueryBudget()
    let found = index.search(search, names: names, &budget) { row, _ in accept(row) ? 0 : nil }
    let behind = expected.filter { isBehind(after, $0) }
    #expect(
      found.map(\.row) == Array(behind.prefix(limit)), "\(story) after \(after?.name ?? []), \(limit): \(self.story)")
    let counted = index.count(query, names: names, &budget, accept: accept)
    #expect(counted == expected.count, "\(story): \(self.story)")
    #expect(budget.canContinue)
  }

  /// A query, its description, and the plain test of a name.
  private mutating func randomPattern() throws -> (NameQuery, String, (Entry) -> Bool) {
    #if Regex
      if random.below(2) == 0 {
        var draw = Draw(seed: UInt64(random.below(.max)), userCount: 9)
        let pattern = draw.pattern(of: (0..<4).map { _ in randomText() })
        // Rarely it is invalid; then there is nothing to compare.
        if let expression = try? RegularExpression(pattern, milliseconds: 60_000) {
          let holds: (Entry) -> Bool = { entry in
            var budget = QueryBudget()
            return expression.holds(in: Folding.nfc(entry.name.span).span, atBeginning: false, &budget)
          }
          return (
            NameQuery(NamePattern(try RegularExpression(pattern, milliseconds: 60_000))), pattern.debugDescription,
            holds
          )
        }
      }
    #endif
    var text = randomText()
    while Folding.loose(text).isEmpty || text.utf8.contains(0) { text = randomText() + "ab" }
    if random.below(2) == 0 { text += randomText() }
    var draw = Draw(seed: UInt64(random.below(.max)), userCount: 9)
    let slipped = draw.slipped(text)
    if !Folding.loose(slipped).isEmpty { text = slipped }
    let (loose, strict) = (Folding.loose(text), Folding.strict(text))
    let edits = random.below(ReferenceModel.mostEdits(loose) + 1)
    if random.below(3) > 0 {
      let pattern = NamePattern(loose: loose, edits: edits)
      return (
        NameQuery(pattern), "\(text.debugDescription) with \(edits) edits",
        { entry in leastEdits(loose, in: entry.loose) == edits }
      )
    }
    let mostEdits = ReferenceModel.mostEdits(loose)
    let pattern = NamePattern(loose: loose, strict: strict, edits: edits, mostEdits: mostEdits)
    return (
      NameQuery(pattern), "\(text.debugDescription) with \(edits) strict edits",
      { entry in
        leastEdits(strict, in: entry.strict) == edits
          && leastEdits(loose, in: entry.loose) <= mostEdits
      }
    )
  }
}
