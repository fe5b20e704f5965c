@testable import Kith

/// A query and names, a line each: fuzzy search must find those within the edit distance by a plain table, in their
/// order.
///
/// The first byte gives how many names make a segment, and the number of edits, as far as the length allows them.
struct EditsTarget: FuzzTarget {
  let name = "edits"
  let maximumByteCount = 2 << 10
  let allocationLimitMegabytes = 2

  private static let newline = UInt8(ascii: "\n")
  private static let pageCount = 20

  func seeds() throws -> [[UInt8]] {
    let names = ["alice", "alise", "malicee", "Alyse", "christopher", "kristofer", "Jos\u{E9}", "x y", "日本語日本", "🙂🙃"]
    let long = String(repeating: "ab", count: 40)
    return ["alyce", "ailce", "chrsitohper", "christofer", "josa", "日本国日", "🙂🙃🙂🙃", long].enumerated().map {
      number, query in
      [UInt8(number)] + Array(([query] + names + [long + "c"]).joined(separator: "\n").utf8)
    }
  }

  func run(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let lines = input.dropFirst().split(separator: Self.newline, omittingEmptySubsequences: true)
      .filter { !$0.contains(0) }.map { Array(String(decoding: $0, as: UTF8.self).utf8) }
    guard let query = lines.first.map({ Folding.loose($0.span) }), !query.isEmpty, query.count <= 256 else { return }
    var index = NameIndex(memtableCapacity: 1 + Int(first / 3) % 40, fanout: 2, namesPerPart: NameSegment.namesPerGroup)
    var names = TextColumn()
    var taken: Set<[UInt8]> = []
    for line in lines.dropFirst() where line.count <= 255 && taken.insert(line).inserted {
      names.append(line.span)
      index.insert(UInt32(names.count - 1), names: names)
    }
    index.settle(names: names)
    let scalarCount = query.count { $0 & 0xC0 != 0x80 }
    let edits = Int(first) % (scalarCount < 4 ? 1 : scalarCount < 8 ? 2 : 3)
    let pattern = NamePattern(loose: query, edits: edits)
    let search = NameSearch(query: NameQuery(pattern), limit: Self.pageCount)
    var budget = QueryBudget()
    let found = index.search(search, names: names, &budget) { _, _ in 0 }.map(\.row)
    var expected: [(key: [UInt8], name: [UInt8], row: UInt32)] = []
    for row in 0..<names.count {
      let key = Folding.loose(names.bytes(row))
      if leastEdits(query, in: key) != edits { continue }
      expected.append((key, Array(names.string(row).utf8), UInt32(row)))
    }
    expected.sort { left, right in
      left.key == right.key
        ? left.name.lexicographicallyPrecedes(right.name) : left.key.lexicographicallyPrecedes(right.key)
    }
    require(found == expected.prefix(Self.pageCount).map(\.row), "\(edits) edits: \(found), not \(expected.map(\.row))")
  }
}
