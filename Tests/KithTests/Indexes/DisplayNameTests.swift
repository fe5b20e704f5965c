import Testing

@testable import Kith

/// The index of names with display names in it, against the same plain list.
@Suite struct DisplayNameTests {
  @Test("14,400 answers equal a full scan during additions, removals and renames", arguments: NameIndexTests.shapes)
  func churn(memtableCapacity: Int, fanout: Int) {
    for seed in 31...32 as ClosedRange<UInt64> {
      var world = World(seed: seed, memtableCapacity: memtableCapacity, fanout: fanout)
      for step in 1...600 {
        // Some memtables and segments are older than the first display name.
        world.hasDisplayNames = step > 60
        world.change(growing: step < 400)
        world.compareOneSearch()
        if step % 120 == 0 { world.checkInvariants() }
      }
    }
  }

  @Test("A pinned view keeps its display names beside a writer")
  func pins() {
    var world = World(seed: 33, memtableCapacity: 30, fanout: 2)
    world.hasDisplayNames = true
    for _ in 0..<8 {
      for _ in 0..<60 { world.change(growing: true) }
      var pinned = world.pin()
      pinned.hasDisplayNames = true
      for _ in 0..<60 { world.change(growing: false) }
      for _ in 0..<20 { pinned.compareOneSearch() }
      pinned.checkInvariants()
    }
  }

  @Test("One segment of thousands of names answers like a scan, with typos, too")
  func rebuilding() {
    var world = World(seed: 34, memtableCapacity: 64, fanout: 4)
    world.hasDisplayNames = true
    world.fill(3_000)
    world.checkInvariants()
    for _ in 0..<300 { world.compareOneSearch() }
    for _ in 0..<60 { world.compareTypos() }
    for _ in 0..<300 { world.change(growing: false) }
    for _ in 0..<60 { world.compareTypos() }
    world.checkInvariants()
  }

  @Test("Orders are of usernames, also where these hold what sorts before a line feed")
  func order() {
    for memtableCapacity in [2, 100] {
      var world = World(seed: 1, memtableCapacity: memtableCapacity, fanout: 2)
      let users = [
        ("b", ""), ("a\tb", "Zoë"), ("a", "Mia zoe"), ("a\u{1}", ""), ("A", "zoe A"), ("ab", "Zoe"), ("zo", "x"),
      ]
      for (name, displayName) in users { world.add(name, displayName: displayName) }
      #expect(world.found("a", .prefix) == ["A", "a", "a\u{1}", "a\tb", "ab"])
      #expect(world.found("zo", .prefix, in: .either) == ["A", "a\tb", "ab", "zo"])
      #expect(world.found("zo", in: .either) == ["A", "a", "a\tb", "ab", "zo"])
      #expect(world.found("zoe", .exact, in: .either) == ["a\tb", "ab"])
      #expect(world.found("zoe", .exact, fold: .strict, in: .either) == ["ab"])
      #expect(world.found("zo", in: .username) == ["zo"])
      #expect(world.found("b\nz", in: .either) == [])
      world.index.settle(names: world.names)
      world.checkInvariants()
      #expect(world.found("zo", .prefix, after: "a", in: .either) == ["a\tb", "ab", "zo"])
      // Here the username alone is before the place, and the line feed behind it is not.
      #expect(world.found("a", after: "a\tb", in: .either) == ["ab"])
      #expect(world.found("a\t", .prefix, in: .either) == ["a\tb"])
    }
  }
}

extension World {
  mutating func add(_ name: String, displayName: String) {
    let row = UInt32(names.count)
    plain[row] = Entry(Array(name.utf8))
    plain[row]?.displayName = Array(displayName.utf8)
    names.append(Array(name.utf8).span)
    index.setDisplayName(Array(displayName.utf8).span, of: row)
    index.insert(row, names: names)
  }

  /// A search for names with one edit, of either name or of usernames, against the least edits of each.
  fileprivate mutating func compareTypos() {
    let text = Folding.loose(randomText())
    let scalarCount = text.count { $0 & 0xC0 != 0x80 }
    if scalarCount < 4 { return }
    let scope = index.names(ofUsernames: random.below(3) == 0)
    let edits = random.below(scalarCount < 8 ? 2 : 3)
    let matcher = EditMatcher(text.span)
    let expected = plain.filter { _, entry in
      var least = matcher.edits(in: entry.loose.span)
      if scope == .either && !entry.displayName.isEmpty {
        least = min(least, matcher.edits(in: Folding.loose(entry.displayName.span).span))
      }
      return least == edits
    }
    let rows = expected.sorted { Self.isOrdered(($0.value.loose, $0.value.name), ($1.value.loose, $1.value.name)) }
    var query = NameQuery(NamePattern(loose: text, edits: edits, names: scope))
    query.names = scope
    var budget = QueryBudget()
    let found = index.search(NameSearch(query: query, limit: 10_000), names: names, &budget) { _, _ in 0 }
    #expect(found.map(\.row) == rows.map(\.key), "\(text) with \(edits) edits in \(scope): \(story)")
  }
}
