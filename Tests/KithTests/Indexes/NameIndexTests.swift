import Testing

@testable import Kith

/// The username index against a plain list that is scanned from end to end under the same folding.
@Suite struct NameIndexTests {
  static let shapes = [(1, 2), (2, 3), (7, 2), (33, 3), (100, 8), (4_096, 8)]

  @Test("21,600 answers equal a full scan, at every shape, during additions, removals and renames", arguments: shapes)
  func churn(memtableCapacity: Int, fanout: Int) {
    for seed in 1...3 as ClosedRange<UInt64> {
      var world = World(seed: seed, memtableCapacity: memtableCapacity, fanout: fanout)
      for step in 1...600 {
        world.change(growing: step < 400)
        world.compareOneSearch()
        if step % 120 == 0 { world.checkInvariants() }
      }
    }
  }

  @Test("A pinned view searches its own version beside a writer", arguments: [(3, 2), (64, 4)])
  func pins(memtableCapacity: Int, fanout: Int) {
    var world = World(seed: 11, memtableCapacity: memtableCapacity, fanout: fanout)
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
    var world = World(seed: 5, memtableCapacity: 64, fanout: 4)
    world.fill(4_000)
    world.checkInvariants()
    #expect(world.partCounts == [63])
    #expect(world.frequentGramCount > 10)
    for _ in 0..<150 { world.compareOneSearch() }
    for _ in 0..<300 { world.change(growing: false) }
    for _ in 0..<150 { world.compareOneSearch() }
    world.checkInvariants()
  }

  @Test("A compaction in a cancelled task keeps all names")
  func cancelledCompaction() async {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      var world = World(seed: 7, memtableCapacity: 1_500, fanout: 2)
      world.fill(9_000)
      world.index.settle(names: world.names)
      world.checkInvariants()
    }
    task.cancel()
    await task.value
  }

  @Test("Removing most names shrinks the index, removing all empties it")
  func shrinking() {
    var world = World(seed: 6, memtableCapacity: 64, fanout: 4)
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
    #expect(world.index.sortedRuns.isEmpty && world.index.memtable.count == 0)
  }

  @Test("Names that differ only by case or accent share a key and come in byte order")
  func equalKeys() {
    var world = World(seed: 1, memtableCapacity: 3, fanout: 2)
    for name in ["éva", "EVA", "eva", "Eva", "e\u{301}va", "ÉVA", "evA"] { world.add(name) }
    #expect(world.found("eva") == ["EVA", "Eva", "evA", "eva", "e\u{301}va", "ÉVA", "éva"])
    #expect(world.found("eva", fold: .strict) == ["EVA", "Eva", "evA", "eva"])
    #expect(world.found("Év", .prefix, fold: .strict) == ["e\u{301}va", "ÉVA", "éva"])
    #expect(world.found("eva", .exact, after: "evA") == ["eva", "e\u{301}va", "ÉVA", "éva"])
    #expect(world.found("ev", after: "eva!") == [])
  }

  @Test("Full, simple and loose case folding differ on known names")
  func readings() {
    var world = World(seed: 1, memtableCapacity: 3, fanout: 2)
    let names = [
      "Straße", "STRASSE", "STRAẞE", "ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς", "İstanbul", "istanbul", "ısparta", "ISPARTA", "ﬁn", "FIN",
    ]
    for name in names { world.add(name) }
    // Full case folding turns ß into ss, simple folding does not; the strict key uses full folding.
    #expect(Set(world.found("strasse", .exact, fold: .strict)) == ["Straße", "STRASSE", "STRAẞE"])
    #expect(Set(world.found("ﬁN", .exact, fold: .strict)) == ["ﬁn", "FIN"])
    #expect(Set(world.found("ὀδυσσεύσ", .exact, fold: .strict)) == ["ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"])
    #expect(Set(world.found("οδυσσευς", .exact)) == ["ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"])
    #expect(world.found("οδυσσευς", .exact, fold: .strict) == [])
    // İ folds to i and a dot above, never to i alone; ı is a letter of its own. In the loose key both are i.
    #expect(world.found("istanbul", .exact, fold: .strict) == ["istanbul"])
    #expect(world.found("i\u{307}stanbul", .exact, fold: .strict) == ["İstanbul"])
    #expect(Set(world.found("istanbul", .exact)) == ["istanbul", "İstanbul"])
    #expect(world.found("isparta", .exact, fold: .strict) == ["ISPARTA"])
    #expect(Set(world.found("isparta", .exact)) == ["ISPARTA", "ısparta"])
  }

  @Test("Brackets, bars and carets are ordinary characters")
  func nicknames() {
    var world = World(seed: 1, memtableCapacity: 2, fanout: 2)
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

  @Test("Text that no key can hold finds nothing, empty text finds all")
  func edges() {
    var world = World(seed: 1, memtableCapacity: 2, fanout: 2)
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
  /// A compaction that was begun and not installed yet.
  var merge: NameCompaction?
  /// Whether half of the names have display names beside them.
  var hasDisplayNames = false
  let story: String

  struct Entry {
    let name: [UInt8]
    let loose: [UInt8]
    let strict: [UInt8]
    var displayName: [UInt8] = []

    init(_ name: [UInt8]) {
      self.name = name
      loose = Folding.loose(name.span)
      strict = Folding.strict(name.span)
    }
  }

  init(seed: UInt64, memtableCapacity: Int, fanout: Int, namesPerPart: Int = NameSegment.namesPerGroup) {
    index = NameIndex(memtableCapacity: memtableCapacity, fanout: fanout, namesPerPart: namesPerPart)
    random = SeededRandom(seed: seed)
    story = "seed \(seed), head of \(memtableCapacity), fanout \(fanout)"
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

  /// Compactions begin and end at any two moments; now and then all that is due is compacted at once, while one runs.
  private mutating func mergeAtRandom() {
    switch random.below(12) {
    case 0 where merge == nil: merge = index.beginCompaction(besides: [], names: &names)
    case 1, 2: finishMerge()
    case 3 where random.below(4) == 0: index.settle(names: names)
    case 4 where merge == nil: merge = index.beginIdleCompaction(names: &names)
    default: break
    }
  }

  mutating func finishMerge() {
    guard let running = merge.take() else { return }
    index.install(running.segment(), inPlaceOf: running.inputs)
  }

  mutating func add(_ name: String) {
    if isTaken(name) { return }
    let row = UInt32(names.count)
    plain[row] = Entry(Array(name.utf8))
    names.append(Array(name.utf8).span)
    setDisplayName(of: row)
    index.insert(row, names: names)
  }

  mutating func rename() {
    guard let row = randomRow() else { return }
    let name = randomName()
    if isTaken(name) { return }
    index.remove(row, names: names)
    names.set(Int(row), Array(name.utf8).span)
    plain[row] = Entry(Array(name.utf8))
    setDisplayName(of: row)
    index.insert(row, names: names)
  }

  private mutating func setDisplayName(of row: UInt32) {
    if !hasDisplayNames { return }
    let displayName = random.below(2) == 0 ? [] : Array(randomName().utf8)
    plain[row]?.displayName = displayName
    index.setDisplayName(displayName.span, of: row)
  }

  mutating func remove() {
    guard let row = randomRow() else { return }
    index.remove(row, names: names)
    index.setDisplayName(Span(), of: row)
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
      setDisplayName(of: UInt32(names.count - 1))
    }
    index.rebuild(names: names)
  }

  private func isTaken(_ name: String) -> Bool { plain.values.contains { $0.name.elementsEqual(name.utf8) } }

  mutating func randomRow() -> UInt32? {
    plain.isEmpty ? nil : plain.keys.sorted()[random.below(plain.count)]
  }

  /// How many parts each segment has.
  var partCounts: [Int] {
    index.sortedRuns.compactMap { sortedRun in
      if case .segment(let segment) = sortedRun.body { segment.parts.count } else { nil }
    }
  }

  var frequentGramCount: Int {
    index.sortedRuns.reduce(0) { count, sortedRun in
      if case .segment(let segment) = sortedRun.body { count + segment.firstRanks.grams.count } else { count }
    }
  }

  /// Few letters, so that grams collide; several scripts and spellings, so that keys do.
  private static let letters = [
    "a", "b", "A", "B", "e", "é", "e\u{301}", "ß", "ss", "ſ", "_", " ", "日", "本", "İ", "i", "Ａ", "🙂", "\u{200D}", "я",
    "Σ", "ς", "한", "ᄒ", "ש", "ा", "[", "]", "^", "\\", "{", "}", "|", "%", "K", "\u{212A}", "\t",
  ]

  mutating func randomName() -> String {
    let length = random.below(20) == 0 ? 40 : 1 + random.below(9)
    let letters = random.below(3) == 0 ? Self.letters[...] : Self.letters[..<(3 + random.below(4))]
    return (0..<length).map { _ in letters[random.below(letters.count)] }.joined()
  }

  // MARK: - Queries

  mutating func compareOneSearch() {
    let text = randomText()
    let match = [NameQuery.Match.substring, .substring, .prefix, .exact][random.below(4)]
    let fold = random.below(2) == 0 ? TextFolding.loose : .strict
    let after = random.below(2) == 0 ? nil : NameKey(name: Array(randomText().utf8))
    let limit = [1, 3, 20, 1_000][random.below(4)]
    let refused = random.below(3) == 0 ? UInt32(random.below(4)) : 5
    let accept: (UInt32) -> Bool = { $0 % 4 != refused }
    var query = NameQuery(text: text, match: match, fold: fold)
    if hasDisplayNames && !query.isEmpty { query.names = index.names(ofUsernames: random.below(3) == 0) }
    let expected = scan(text, match, fold, of: query.names, accept: accept)
    let behind = expected.filter { isBehind(after, $0) }
    let question =
      "\(text.debugDescription) \(match) \(query.names) \(fold) after \(after?.name ?? []) limit \(limit): \(story)"
    let search = NameSearch(query: query, after: after, limit: limit)
    var budget = QueryBudget()
    let found = index.search(search, names: names, &budget) { row, _ in accept(row) ? 0 : nil }
    #expect(found.map(\.row) == Array(behind.prefix(limit)), "\(question)")
    let fronts = 1 + random.below(4)
    compareFronts(expected, NameSearch(query: query, after: after, limit: limit), fronts, accept, question)
    let counted = index.count(query, names: names, &budget, accept: accept)
    #expect(counted == expected.count, "\(question)")
  }

  /// The same query with a rank before the name.
  private mutating func compareFronts(
    _ matches: [UInt32], _ search: NameSearch, _ fronts: Int, _ accept: (UInt32) -> Bool, _ question: String
  ) {
    var search = search
    let rank: (UInt32) -> Int = { Int($0 / 4) % fronts }
    let bound = search.after == nil ? fronts : random.below(fronts)
    (search.afterRank, search.ceiling) = (bound, min(bound, fronts - 1))
    let expected = matches.filter { row in
      rank(row) < bound || rank(row) == bound && isBehind(search.after, row)
    }.enumerated().sorted { (-rank($0.element), $0.offset) < (-rank($1.element), $1.offset) }.map(\.element)
    var budget = QueryBudget()
    let found = index.search(search, names: names, &budget) { row, _ in accept(row) ? rank(row) : nil }
    #expect(found.map(\.row) == Array(expected.prefix(search.limit)), "\(fronts) fronts, after \(bound): \(question)")
    #expect(found.allSatisfy { $0.rank == rank($0.row) })
  }

  func checkInvariants() {
    let problems = index.checkInvariants(names: names)
    #expect(problems == [], "\(story)")
  }

  func found(
    _ text: String, _ match: NameQuery.Match = .substring, fold: TextFolding = .loose, after: String? = nil,
    in scope: NameQuery.Names = .only, limit: Int = 20
  ) -> [String] {
    var query = NameQuery(text: text, match: match, fold: fold)
    query.names = scope
    let place = after.map { NameKey(name: Array($0.utf8)) }
    let search = NameSearch(query: query, after: place, limit: limit)
    var budget = QueryBudget()
    return index.search(search, names: names, &budget) { _, _ in 0 }.map { names.string(Int($0.row)) }
  }

  /// Part of an existing name, a whole one, or random letters.
  mutating func randomText() -> String {
    guard random.below(4) != 0, let row = randomRow() else { return random.below(4) == 0 ? "" : randomName() }
    let scalars = Array(names.string(Int(row)).unicodeScalars)
    if random.below(4) == 0 { return names.string(Int(row)) }
    let start = random.below(scalars.count)
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<min(scalars.count, start + 1 + random.below(6))])
    return String(text)
  }

  private func scan(
    _ text: String, _ match: NameQuery.Match, _ fold: TextFolding, of names: NameQuery.Names, accept: (UInt32) -> Bool
  ) -> [UInt32] {
    let (loose, strict) = (Folding.loose(text), Folding.strict(text))
    func holds(_ entry: Entry) -> Bool {
      if loose.isEmpty || !Self.holds(loose, in: entry.loose, match) { return false }
      return fold == .loose || Self.holds(strict, in: entry.strict, match)
    }
    let rows = plain.filter { row, entry in
      let isHeld = text.isEmpty || holds(entry)
      let isOfDisplayName = names == .either && !entry.displayName.isEmpty && holds(Entry(entry.displayName))
      return (isHeld || isOfDisplayName) && accept(row)
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
