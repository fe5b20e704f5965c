import Testing

@testable import Kith

/// The username index against a plain list that is scanned from end to end under the same folding.
@Suite struct NameIndexTests {
  static let shapes = [(1, 2), (2, 3), (7, 2), (33, 3), (100, 8), (4_096, 8)]

  @Test("21,600 answers equal a full scan, at every shape, while names come, go and change", arguments: shapes)
  func churn(headCapacity: Int, fanout: Int) {
    for seed in 1...3 as ClosedRange<UInt64> {
      var world = World(seed: seed, headCapacity: headCapacity, fanout: fanout)
      for step in 1...600 {
        world.change(growing: step < 400)
        world.compareOneSearch()
        if step % 120 == 0 { world.checkInvariants() }
      }
    }
  }

  @Test("A pinned view searches its own instant while the writer goes on", arguments: [(3, 2), (64, 4)])
  func pins(headCapacity: Int, fanout: Int) {
    var world = World(seed: 11, headCapacity: headCapacity, fanout: fanout)
    for _ in 0..<12 {
      for _ in 0..<40 { world.change(growing: true) }
      var pinned = world.pin()
      for _ in 0..<60 { world.change(growing: false) }
      for _ in 0..<20 {
        pinned.compareOneSearch()
        world.compareOneSearch()
      }
      pinned.checkInvariants()
    }
    world.checkInvariants()
  }

  @Test("One segment of thousands of names answers like a scan, before and after churn")
  func rebuilding() {
    var world = World(seed: 5, headCapacity: 64, fanout: 4)
    world.fill(4_000)
    world.checkInvariants()
    #expect(world.partCounts == [63])
    for _ in 0..<150 { world.compareOneSearch() }
    for _ in 0..<300 { world.change(growing: false) }
    for _ in 0..<150 { world.compareOneSearch() }
    world.checkInvariants()
  }

  @Test("Removing most names shrinks the index, removing all empties it")
  func shrinking() {
    var world = World(seed: 6, headCapacity: 64, fanout: 4)
    world.fill(2_000)
    let full = world.index.byteCount
    while world.plain.count > 100 { world.remove() }
    world.checkInvariants()
    for _ in 0..<30 { world.compareOneSearch() }
    world.index.settle(names: world.names)
    world.checkInvariants()
    #expect(world.index.byteCount < full / 2)
    while world.plain.count > 0 { world.remove() }
    world.index.settle(names: world.names)
    world.checkInvariants()
    #expect(world.index.tiers.isEmpty && world.index.head.count == 0)
  }

  @Test("Names that differ by case or accent alone share a key and come in the order of their bytes")
  func equalKeys() {
    var world = World(seed: 1, headCapacity: 3, fanout: 2)
    for name in ["éva", "EVA", "eva", "Eva", "e\u{301}va", "ÉVA", "evA"] { world.add(name) }
    #expect(world.found("eva") == ["EVA", "Eva", "evA", "eva", "e\u{301}va", "ÉVA", "éva"])
    #expect(world.found("eva", fold: .strict) == ["EVA", "Eva", "evA", "eva"])
    #expect(world.found("Év", .prefix, fold: .strict) == ["e\u{301}va", "ÉVA", "éva"])
    #expect(world.found("eva", .exact, after: "evA") == ["eva", "e\u{301}va", "ÉVA", "éva"])
    #expect(world.found("ev", after: "eva!") == [])
  }

  @Test("Full, simple and loose readings of \"whatever the case\" are told apart by names")
  func readings() {
    var world = World(seed: 1, headCapacity: 3, fanout: 2)
    let names = [
      "Straße", "STRASSE", "STRAẞE", "ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς", "İstanbul", "istanbul", "ısparta", "ISPARTA", "ﬁn", "FIN",
    ]
    for name in names { world.add(name) }
    // Full case folding turns ß into ss, which the simple one does not; so does strict.
    #expect(Set(world.found("strasse", .exact, fold: .strict)) == ["Straße", "STRASSE", "STRAẞE"])
    #expect(Set(world.found("ﬁN", .exact, fold: .strict)) == ["ﬁn", "FIN"])
    #expect(Set(world.found("ὀδυσσεύσ", .exact, fold: .strict)) == ["ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"])
    #expect(Set(world.found("οδυσσευς", .exact)) == ["ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"])
    #expect(world.found("οδυσσευς", .exact, fold: .strict) == [])
    // İ folds to i and a dot above, never to i alone; ı is a letter of its own. Loosely both are i.
    #expect(world.found("istanbul", .exact, fold: .strict) == ["istanbul"])
    #expect(world.found("i\u{307}stanbul", .exact, fold: .strict) == ["İstanbul"])
    #expect(Set(world.found("istanbul", .exact)) == ["istanbul", "İstanbul"])
    #expect(world.found("isparta", .exact, fold: .strict) == ["ISPARTA"])
    #expect(Set(world.found("isparta", .exact)) == ["ISPARTA", "ısparta"])
  }

  @Test("Brackets, bars and carets are letters like others; names that differ by case alone are two")
  func nicknames() {
    var world = World(seed: 1, headCapacity: 2, fanout: 2)
    for name in ["[bot]", "{bot}", "|bot|", "^bot^", "\\bot", "Bot", "bot", "b%t"] { world.add(name) }
    #expect(world.found("[") == ["[bot]"])
    #expect(world.found("{") == ["{bot}"])
    #expect(world.found("|", .prefix) == ["|bot|"])
    #expect(world.found("^") == ["^bot^"])
    #expect(world.found("\\") == ["\\bot"])
    #expect(world.found("%") == ["b%t"])
    #expect(world.found("BOT", .exact) == ["Bot", "bot"])
    #expect(world.found("bot") == ["[bot]", "\\bot", "^bot^", "Bot", "bot", "{bot}", "|bot|"])
  }

  @Test("Text that no key can hold finds nothing, no text finds all")
  func edges() {
    var world = World(seed: 1, headCapacity: 2, fanout: 2)
    for name in ["b", "a", "\u{301}", "ab", "日本語"] { world.add(name) }
    for match in [NameQuery.Match.substring, .prefix, .exact] {
      #expect(world.found("", match) == ["\u{301}", "a", "ab", "b", "日本語"])
      #expect(world.found("\u{301}", match) == [])
      #expect(world.found("\0", match) == [])
      #expect(world.found("a\0ab", match) == [])
    }
    #expect(world.found("a", limit: 0) == [])
    #expect(world.found("本") == ["日本語"])
    #expect(world.found(String(repeating: "ab", count: 120)) == [])
  }
}

/// An index, its names, and the plain list they are compared with.
struct World: ~Copyable {
  var index: NameIndex
  var names = TextColumn()
  var plain: [UInt32: Entry] = [:]
  var random: SeededRandom
  /// One that was begun and not yet brought back.
  var merge: NameMerge?
  let story: String

  struct Entry {
    let name: [UInt8]
    let loose: [UInt8]
    let strict: [UInt8]

    init(_ name: [UInt8]) {
      self.name = name
      loose = Folding.loose(name.span)
      strict = Folding.strict(name.span)
    }
  }

  init(seed: UInt64, headCapacity: Int, fanout: Int, namesPerPart: Int = NameSegment.namesPerGroup) {
    index = NameIndex(headCapacity: headCapacity, fanout: fanout, namesPerPart: namesPerPart)
    random = SeededRandom(seed: seed)
    story = "seed \(seed), head of \(headCapacity), fanout \(fanout)"
  }

  private init(
    index: consuming NameIndex, names: consuming TextColumn, plain: [UInt32: Entry], random: SeededRandom, story: String
  ) {
    self.index = index
    self.names = names
    self.plain = plain
    self.random = random
    self.story = story + ", pinned"
  }

  mutating func pin() -> World {
    World(index: index.pin(), names: names.pin(), plain: plain, random: random, story: story)
  }

  // MARK: - Changes

  mutating func change(growing: Bool) {
    mergeAtRandom()
    changeNames(growing: growing)
  }

  mutating func changeNames(growing: Bool) {
    switch random.below(10) {
    case 0..<(growing ? 7 : 3): add(randomName())
    case 0..<8 where !plain.isEmpty: rename()
    default: remove()
    }
  }

  /// Merges begin and end at any two moments; now and then all that is due is merged at once, under one that runs.
  private mutating func mergeAtRandom() {
    switch random.below(12) {
    case 0 where merge == nil: merge = index.beginMerge(besides: [], names: &names)
    case 1, 2: finishMerge()
    case 3 where random.below(4) == 0: index.settle(names: names)
    case 4 where merge == nil: merge = index.beginRestMerge(names: &names)
    default: break
    }
  }

  mutating func finishMerge() {
    guard let running = merge.take() else { return }
    index.adopt(running.segment(), inPlaceOf: running.inputs)
  }

  mutating func add(_ name: String) {
    if isTaken(name) { return }
    plain[UInt32(names.count)] = Entry(Array(name.utf8))
    names.append(Array(name.utf8).span)
    index.insert(UInt32(names.count - 1), names: names)
  }

  mutating func rename() {
    guard let row = randomRow() else { return }
    let name = randomName()
    if isTaken(name) { return }
    index.remove(row, names: names)
    names.set(Int(row), Array(name.utf8).span)
    index.insert(row, names: names)
    plain[row] = Entry(Array(name.utf8))
  }

  mutating func remove() {
    guard let row = randomRow() else { return }
    index.remove(row, names: names)
    names.set(Int(row), [UInt8]().span)
    plain[row] = nil
  }

  mutating func fill(_ count: Int) {
    var taken: Set<[UInt8]> = []
    while plain.count < count {
      let name = Array(randomName().utf8)
      if !taken.insert(name).inserted { continue }
      plain[UInt32(names.count)] = Entry(name)
      names.append(name.span)
    }
    index.rebuild(names: names)
  }

  private func isTaken(_ name: String) -> Bool { plain.values.contains { $0.name.elementsEqual(name.utf8) } }

  mutating func randomRow() -> UInt32? {
    plain.isEmpty ? nil : plain.keys.sorted()[random.below(plain.count)]
  }

  /// How many parts each segment has.
  var partCounts: [Int] {
    index.tiers.compactMap { tier in if case .segment(let segment) = tier.body { segment.parts.count } else { nil } }
  }

  /// Few letters, so that grams collide; several scripts and spellings, so that keys do.
  private static let letters = [
    "a", "b", "A", "B", "e", "é", "e\u{301}", "ß", "ss", "ſ", "_", " ", "日", "本", "İ", "i", "Ａ", "🙂", "\u{200D}", "я",
    "Σ", "ς", "한", "ᄒ", "ש", "ा", "[", "]", "^", "\\", "{", "}", "|", "%", "K", "\u{212A}",
  ]

  mutating func randomName() -> String {
    let length = random.below(20) == 0 ? 40 : 1 + random.below(9)
    let letters = random.below(3) == 0 ? Self.letters[...] : Self.letters[..<(3 + random.below(4))]
    return (0..<length).map { _ in letters[random.below(letters.count)] }.joined()
  }

  // MARK: - Questions

  mutating func compareOneSearch() {
    let text = randomText()
    let match = [NameQuery.Match.substring, .substring, .prefix, .exact][random.below(4)]
    let fold = random.below(2) == 0 ? Fold.loose : .strict
    let after = random.below(2) == 0 ? nil : NameKey(name: Array(randomText().utf8))
    let limit = [1, 3, 20, 1_000][random.below(4)]
    let refused = random.below(3) == 0 ? UInt32(random.below(4)) : 5
    let accept: (UInt32) -> Bool = { $0 % 4 != refused }
    let query = NameQuery(text: text, match: match, fold: fold)
    let expected = scan(text, match, fold, accept: accept)
    let behind = expected.filter { isBehind(after, $0) }
    let question = "\(text.debugDescription) \(match) \(fold) after \(after?.name ?? []) limit \(limit): \(story)"
    let search = NameSearch(query: query, after: after, limit: limit)
    let found = index.search(search, names: names) { accept($0) ? .take(front: 0) : .leaveOut }.found
    #expect(found.map(\.row) == Array(behind.prefix(limit)), "\(question)")
    let fronts = 1 + random.below(4)
    compareFronts(expected, NameSearch(query: query, after: after, limit: limit), fronts, accept, question)
    let counted = index.count(query, names: names, accept: accept)
    #expect(counted == expected.count, "\(question)")
  }

  /// The same question where a number goes before the name.
  private mutating func compareFronts(
    _ matches: [UInt32], _ search: NameSearch, _ fronts: Int, _ accept: (UInt32) -> Bool, _ question: String
  ) {
    var search = search
    let front: (UInt32) -> Int = { Int($0 / 4) % fronts }
    let bound = search.after == nil ? fronts : random.below(fronts)
    (search.afterFront, search.ceiling) = (bound, min(bound, fronts - 1))
    let expected = matches.filter { row in
      front(row) < bound || front(row) == bound && isBehind(search.after, row)
    }.enumerated().sorted { (-front($0.element), $0.offset) < (-front($1.element), $1.offset) }.map(\.element)
    let found = index.search(search, names: names) { accept($0) ? .take(front: front($0)) : .leaveOut }.found
    #expect(found.map(\.row) == Array(expected.prefix(search.limit)), "\(fronts) fronts, after \(bound): \(question)")
    #expect(found.allSatisfy { $0.front == front($0.row) })
  }

  func checkInvariants() {
    let problems = index.checkInvariants(names: names)
    #expect(problems == [], "\(story)")
  }

  func found(
    _ text: String, _ match: NameQuery.Match = .substring, fold: Fold = .loose, after: String? = nil, limit: Int = 20
  ) -> [String] {
    let query = NameQuery(text: text, match: match, fold: fold)
    let place = after.map { NameKey(name: Array($0.utf8)) }
    let search = NameSearch(query: query, after: place, limit: limit)
    return index.search(search, names: names) { _ in .take(front: 0) }.found.map { names.string(Int($0.row)) }
  }

  /// Part of a name that is there, a whole one, or letters at random.
  mutating func randomText() -> String {
    guard random.below(4) != 0, let row = randomRow() else { return random.below(4) == 0 ? "" : randomName() }
    let scalars = Array(names.string(Int(row)).unicodeScalars)
    if random.below(4) == 0 { return names.string(Int(row)) }
    let start = random.below(scalars.count)
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<min(scalars.count, start + 1 + random.below(6))])
    return String(text)
  }

  private func scan(_ text: String, _ match: NameQuery.Match, _ fold: Fold, accept: (UInt32) -> Bool) -> [UInt32] {
    let (loose, strict) = (Folding.loose(text), Folding.strict(text))
    let rows = plain.filter { row, entry in
      if text.isEmpty { return accept(row) }
      if loose.isEmpty || !Self.holds(loose, in: entry.loose, match) { return false }
      return (fold == .loose || Self.holds(strict, in: entry.strict, match)) && accept(row)
    }
    return rows.sorted { Self.isOrdered(($0.value.loose, $0.value.name), ($1.value.loose, $1.value.name)) }.map(\.key)
  }

  private static func holds(_ text: [UInt8], in key: [UInt8], _ match: NameQuery.Match) -> Bool {
    switch match {
    case .substring: key.indices.contains { key[$0...].starts(with: text) }
    case .prefix: key.starts(with: text)
    case .exact: key == text
    case .pattern: false  // see NamePatternTests
    }
  }

  static func isOrdered(_ left: ([UInt8], [UInt8]), _ right: ([UInt8], [UInt8])) -> Bool {
    left.0 == right.0 ? left.1.lexicographicallyPrecedes(right.1) : left.0.lexicographicallyPrecedes(right.0)
  }

  func isBehind(_ place: NameKey?, _ row: UInt32) -> Bool {
    guard let place, let entry = plain[row] else { return true }
    return Self.isOrdered((place.loose, place.name), (entry.loose, entry.name))
  }
}
