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
      if Self.edits(query, in: key) != edits { continue }
      expected.append((key, Array(names.string(row).utf8), UInt32(row)))
    }
    expected.sort { left, right in
      left.key == right.key
        ? left.name.lexicographicallyPrecedes(right.name) : left.key.lexicographicallyPrecedes(right.key)
    }
    require(found == expected.prefix(Self.pageCount).map(\.row), "\(edits) edits: \(found), not \(expected.map(\.row))")
  }

  /// The table of the definition, row by row: insertions, deletions, replacements and swaps of neighbours.
  private static func edits(_ text: [UInt8], in key: [UInt8]) -> Int {
    let text = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
    let key = Array(String(decoding: key, as: UTF8.self).unicodeScalars)
    var (row, above) = ([Int](repeating: 0, count: key.count + 1), [Int]())
    for (index, scalar) in text.enumerated() {
      let twoAbove = above
      above = row
      row[0] = index + 1
      for place in key.indices {
        let replaced = above[place] + (key[place] == scalar ? 0 : 1)
        row[place + 1] = min(above[place + 1] + 1, row[place] + 1, replaced)
        if index > 0, place > 0, text[index - 1] == key[place], scalar == key[place - 1] {
          row[place + 1] = min(row[place + 1], twoAbove[place - 1] + 1)
        }
      }
    }
    return row.reduce(.max, min)
  }
}
