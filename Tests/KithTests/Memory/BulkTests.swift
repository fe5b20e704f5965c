import Testing

@testable import Kith

/// Relations and lists that are built in bulk, on many threads, equal those built edge by edge.
@Suite struct BulkTests {
  @Test("Bulk-built lists equal the input", arguments: ListForm.allCases, [1, 60, 100_000])
  func bulkLists(form: ListForm, unitElementCount: Int) {
    var random = SeededRandom(seed: UInt64(unitElementCount))
    let degrees = (0..<203).map { _ in UInt32(random.below(20) == 0 ? random.below(4_000) : random.below(9)) }
    let elements = (0..<degrees.reduce(0) { $0 + Int($1) }).map { _ in random.next() }
    let lists = PackedLists<UInt64>(
      listsPerBlock: 8, form: form, degrees: degrees, workers: 3, unitElementCount: unitElementCount
    ) { (lists, range, buffer) throws(Never) in
      #expect(range.count == buffer.count)
      #expect(degrees[lists].reduce(0) { $0 + Int($1) } == range.count)
      for index in range { buffer[index - range.lowerBound] = elements[index] }
    }
    #expect(lists.checkInvariants("lists") == [])
    var start = 0
    for (list, degree) in degrees.enumerated() {
      var found: [UInt64] = []
      lists.forEachRun(of: list) { span in
        for index in span.indices { found.append(span[index]) }
      }
      #expect(found == Array(elements[start..<start + Int(degree)]), "list \(list)")
      start += Int(degree)
    }
    var walked: [UInt64] = []
    for (index, place) in lists.starts(every: 100).enumerated() {
      lists.forEach(from: place, count: min(100, elements.count - 100 * index)) { walked.append($1) }
    }
    #expect(walked == elements)
  }

  @Test("A reader past some targets gets all of their edges when lent for them", arguments: ListForm.allCases)
  func lentEdges(form: ListForm) {
    var forward = PackedLists<UInt64>(listsPerBlock: 8, form: form)
    for source in 0..<40 {
      forward.appendList()
      for target in 0..<UInt64(20) {
        forward.insert(target << 32 | UInt64(source), in: source, at: .init(run: 0, offset: Int(target)))
      }
    }
    let degrees = [UInt32](repeating: 40, count: 20)
    let reader = ForwardReader(sourceCount: 40)
    for targets in [10..<15, 15..<20, 0..<5, 5..<10, 0..<20, 19..<20] {
      let count = 40 * targets.count
      var found: [UInt64] = []
      reader.read(forward, to: targets, degrees: degrees, count: count) { edges in
        for index in edges.indices { found.append(edges[index]) }
      }
      let wanted = targets.flatMap { _ in (0..<40).map { UInt64($0) << 32 | UInt64($0) } }
      #expect(found == wanted, "\(targets)")
    }
  }

  @Test("The heads of two lists take at most 12 bytes, and 8 in compact form", arguments: ListForm.allCases)
  func heads(form: ListForm) {
    let count = 1 << 16
    var ids = RowIDs()
    for row in 0..<count { ids.append(Int64(row) + 1) }
    let relation = Adjacency(
      degrees: [UInt32](repeating: 1, count: count), targetCount: count, workers: 2, order: ids, form: form
    ) { (_, edges, buffer) throws(Never) in
      for edge in edges {
        buffer[edge - edges.lowerBound] = UInt64((edge * 40_503 + 7) % count) << 32 | UInt64(1_000_000 + edge)
      }
    }
    // Compact: rows of sixteen bits twice, and times below 64 in a block of 32.
    let bytesEach = Double(relation.byteCount) / Double(count) - (form == .plain ? 12 : 4.75)
    #expect(bytesEach > 5 && bytesEach <= (form == .plain ? 12 : 8), "\(bytesEach)")
    let problems = relation.checkInvariants("relation", order: ids)
    #expect(problems == [])
  }

  @Test("A bulk-built relation equals one built edge by edge", arguments: ListForm.allCases, [1, 2, 3, 4])
  func bulkRelation(form: ListForm, seed: UInt64) {
    var random = SeededRandom(seed: seed)
    // Ids are in no order of rows, and times are few, so that ties are many. One user has a list that is sorted by
    // radix.
    var ids = RowIDs()
    var used: Set<Int64> = []
    while ids.count < 900 {
      let id = Int64(1 + random.below(5_000))
      if used.insert(id).inserted { ids.append(id) }
    }
    var single = Adjacency(form: form)
    for _ in 0..<900 {
      single.appendSource()
      single.appendTarget()
    }
    let seconds = [UInt32(3), 1_700_000_000, .max, 8].prefix(seed == 4 ? 1 : 4) + (0..<40).map { UInt32($0) << 20 }
    var edges: [[UInt32: UInt32]] = Array(repeating: [:], count: 900)
    for source in 0..<900 {
      for _ in 0..<random.below(30) {
        let target = UInt32(random.below(3) == 0 ? 7 : random.below(900))
        edges[source][target] = seconds[random.below(seconds.count)]
      }
      for target in edges[source].keys.sorted(by: { $0 > $1 }) {
        _ = single.insert(UInt32(source), target, timestamp: edges[source][target] ?? 0, order: ids)
      }
    }
    let elements = edges.flatMap { list in list.sorted { $0.key < $1.key }.map { UInt64($0) << 32 | UInt64($1) } }
    let whole = Adjacency(
      degrees: edges.map { UInt32($0.count) }, targetCount: 900, workers: 3, order: ids, form: form
    ) { (_, range, buffer) throws(Never) in
      for index in range { buffer[index - range.lowerBound] = elements[index] }
    }
    #expect(whole.checkInvariants("whole", order: ids) == [] && whole.count == single.count)
    for row in 0..<900 {
      #expect(whole.backward.count(of: row) == single.backward.count(of: row))
      for run in 0..<whole.backward.runCount(of: row) {
        #expect(whole.backward.count(of: 7) > 256)
        for offset in 0..<whole.backward.runLength(run, of: row) {
          let place = PackedLists<UInt32>.Position(run: run, offset: offset)
          #expect(whole.backward[row, place] == single.backward[row, place])
        }
      }
    }
  }
}
