import CSupport
import Testing

@testable import Kith

/// Lists in as few bits as they need: the widths of a page, and the bytes of an edge.
@Suite struct CompactListsTests {
  private static func decoded<Element: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable>(
    _ page: CompactPage<Element>
  ) -> [Element] {
    var elements: [Element] = []
    for index in 0..<page.total { elements.append(page[index]) }
    return elements
  }

  /// A page of some elements, through which one more moves, in and out, at every place.
  private static func check<Element: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable>(
    _ elements: [Element], width: Int, _ comment: Comment
  ) {
    let memory = unsafe elements.span.withUnsafeBufferPointer {
      unsafe CompactPage<Element>.page(of: $0, listCount: 0, isGrowing: true)
    }
    defer { withExtendedLifetime(memory) {} }
    let page = unsafe CompactPage<Element>(memory.base, listCount: 0)
    #expect(decoded(page) == elements, comment)
    #expect(page.checkInvariants("page", byteCount: memory.byteCount, listCount: 0) == [], comment)
    let header = CompactPage<Element>.headerByteCount(listCount: 0)
    let words = (elements.count * width + 63) / 64
    let most = header + (words + 2 + words / 64) * 8 + 64
    #expect(memory.byteCount <= most, comment)
    for place in 0...elements.count {
      var twin = elements
      let element = elements[(place * 7) % elements.count]
      guard let bits = page.bits(of: element), page.hasRoom else {
        Issue.record("no place for \(element): \(comment)")
        return
      }
      page.insert(bits, at: place)
      twin.insert(element, at: place)
      #expect(decoded(page) == twin, "inserted at \(place): \(comment)")
      page.remove(at: place)
      #expect(decoded(page) == elements, "removed at \(place): \(comment)")
      let problems = page.checkInvariants("page", byteCount: memory.byteCount, listCount: 0)
      #expect(problems == [], "removed at \(place): \(comment)")
    }
    withExtendedLifetime(memory) {}
  }

  @Test("Every so many elements of a list are read, whatever its form and length", arguments: ListForm.allCases)
  func sampledElements(form: ListForm) {
    let degrees: [UInt32] = [0, 40, 3_000, 1]
    let elements = (0..<3_041).map { (index: UInt64) in (index * 3) << 32 | (1_600_000_000 + index) }
    let lists = PackedLists<UInt64>(listsPerBlock: 8, form: form, degrees: degrees, elements: elements)
    var start = 0
    for (list, degree) in degrees.enumerated() {
      let own = Array(elements[start..<start + Int(degree)])
      start += own.count
      for (first, step) in [(0, 1), (5, 7), (0, 64), (39, 2), (2_999, 1_000), (4_000, 3)] {
        var found: [UInt64] = []
        lists.forEachElement(of: list, from: first, every: step) { found.append($0) }
        let expected = stride(from: first, to: own.count, by: step).map { own[$0] }
        #expect(found == expected, "list \(list), every \(step) from \(first)")
      }
    }
  }

  @Test("Elements of every width are read as written, and move in place", arguments: 1...32)
  func widths(width: Int) {
    var random = SeededRandom(seed: UInt64(width))
    let greatest = UInt32.max >> UInt32(32 - width)
    let rows = [greatest, 0] + (0..<70).map { _ in UInt32(truncatingIfNeeded: random.next()) & greatest }
    Self.check(rows, width: width, "rows of \(width) bits")
    for other in [1, 7, 25, 26, 31, 32] {
      // The least time is one above the base: with the greatest distance it spans all values of the width.
      let span = UInt32.max >> UInt32(32 - other)
      let base: UInt32 = other == 32 ? 0 : 1_600_000_000
      let times = [base + 1, base &+ span] + (0..<70).map { _ in base + 1 + UInt32(random.below(Int(span))) }
      Self.check(
        zip(rows, times).map { UInt64($0) << 32 | UInt64($1) }, width: width + other, "\(width) and \(other) bits")
    }
  }

  @Test("The rows of a page are searched where they are, whatever their width", arguments: 1...32)
  func searches(width: Int) {
    var random = SeededRandom(seed: UInt64(width))
    let greatest = UInt32.max >> UInt32(32 - width)
    let rows = Set((0..<48).map { _ in UInt32(truncatingIfNeeded: random.next()) & greatest } + [greatest]).sorted()
    for timeWidth in [1, 7, 25, 26, 31, 32] {
      let times = rows.map { _ in UInt32(truncatingIfNeeded: random.next()) >> UInt32(32 - timeWidth) }
      let elements = zip(rows, times).map { UInt64($0) << 32 | UInt64($1) }
      let memory = unsafe elements.span.withUnsafeBufferPointer {
        unsafe CompactPage<UInt64>.page(of: $0, listCount: 0, isGrowing: false)
      }
      defer { withExtendedLifetime(memory) {} }
      let page = unsafe CompactPage<UInt64>(memory.base, listCount: 0)
      for start in rows.indices {
        for count in 1...min(16, rows.count - start) {
          let run = unsafe page.packedRun(start, count: count)
          let asked = (0..<8).map { _ in rows[random.below(rows.count)] ^ UInt32(random.below(2)) }
          let expected = asked.map { rows[start..<start + count].contains($0) }
          let alone = asked.map { number in
            unsafe withUnsafePointer(to: run) { unsafe kith_packed_contains($0, number) != 0 }
          }
          let together = unsafe kith_packed_members([0], [run], 1, 4, asked)
          #expect(alone == expected, "\(width) and \(timeWidth) bits, \(count) from \(start)")
          #expect(asked.indices.map { together >> UInt32($0) & 1 == 1 } == expected, "\(width) and \(timeWidth) bits")
        }
      }
    }
  }

  @Test("Zero is held beside times of any base, and what the widths do not hold is refused")
  func bases() throws {
    let elements: [UInt64] = [5 << 32 | 1_000_000, 6 << 32, 7 << 32 | 1_000_200]
    let memory = unsafe elements.span.withUnsafeBufferPointer {
      unsafe CompactPage<UInt64>.page(of: $0, listCount: 0, isGrowing: true)
    }
    defer { withExtendedLifetime(memory) {} }
    let page = unsafe CompactPage<UInt64>(memory.base, listCount: 0)
    #expect(Self.decoded(page) == elements)
    for held in [0 as UInt64, 7 << 32, 1_000_000, 1_000_254] { #expect(page.bits(of: held) != nil, "\(held)") }
    for refused in [8 << 32 | 1_000_000 as UInt64, 999_999, 1_000_255, 1, UInt64(UInt32.max)] {
      #expect(page.bits(of: refused) == nil, "\(refused)")
    }
    withExtendedLifetime(memory) {}
  }

  @Test("Blocks without elements, and lists of one edge with time zero, take next to nothing")
  func nothing() {
    var lists = PackedLists<UInt64>(listsPerBlock: 32, form: .compact)
    for _ in 0..<100_000 { lists.appendList() }
    let empty = lists.byteCount
    #expect(empty < 100_000 / 2)
    lists.insert(0, in: 77, at: lists.startPosition())
    #expect(lists.count(of: 77) == 1 && lists.count(of: 78) == 0 && lists.first(notBelow: 0, in: 77) == 0)
    lists.remove(from: 77, at: lists.startPosition())
    #expect(lists.count(of: 77) == 0 && lists.checkInvariants("lists") == [])
  }

  /// A relation of 20,000 users with 40 random edges each, at random times of four years.
  private static func relation(_ random: inout SeededRandom, ids: borrowing RowIDs, users: Int) -> Adjacency {
    var elements: [UInt64] = []
    var degrees: [UInt32] = []
    for _ in 0..<users {
      var targets: Set<Int> = []
      while targets.count < 40 { targets.insert(random.below(users)) }
      degrees.append(40)
      for target in targets.sorted() { elements.append(UInt64(target) << 32 | UInt64(time(&random))) }
    }
    let all = elements
    return Adjacency(
      degrees: degrees, targetCount: users, workers: 2, order: ids, form: .compact
    ) { (_, range, buffer) throws(Never) in
      for index in range { buffer[index - range.lowerBound] = all[index] }
    }
  }

  private static func time(_ random: inout SeededRandom) -> UInt32 {
    1_600_000_000 + UInt32(random.below(4 * 365 * 86_400))
  }

  @Test("An edge takes its bits and half a byte, also after random changes")
  func bytes() {
    let users = 5_000
    var random = SeededRandom(seed: 9)
    var ids = RowIDs()
    for row in 0..<users { ids.append(Int64(row) + 1) }
    var relation = Self.relation(&random, ids: ids, users: users)
    // Rows below 8,192 twice, and 2²⁷ seconds.
    let bits = 13.0 + 13 + 27
    func bytesEach() -> Double { Double(relation.byteCount) / Double(relation.count) }
    #expect(bytesEach() < bits / 8 + 0.5)
    // Each user's edges are replaced by others one or two times.
    for _ in 0..<300_000 {
      let source = UInt32(random.below(users))
      if relation.targetCount(source) > random.below(80) {
        let place = PackedLists<UInt64>.Position(run: 0, offset: random.below(relation.targetCount(source)))
        _ = relation.remove(source, Adjacency.target(relation.forward[Int(source), place]), order: ids)
      } else {
        _ = relation.insert(source, UInt32(random.below(users)), timestamp: Self.time(&random), order: ids)
      }
    }
    #expect(bytesEach() < bits / 8 + 0.6, "\(bytesEach()) bytes for \(relation.count) edges")
    #expect(relation.checkInvariants("relation", order: ids) == [])
  }

  @Test("A store is the same with compact lists and without, and opens with either")
  func stores() throws {
    let directory = try TemporaryDirectory()
    let compact = SocialGraph.Options { $0.compactLists = true }
    let graph = try SocialGraph.open(directory.file("store"), options: compact)
    let users = try (0..<300).map { try graph.addUser("user \($0)") }
    for (index, user) in users.enumerated() {
      for step in 1...9 { try graph.follow(users[(index + step * step) % 300], as: user) }
      let post = try graph.addPost("post \(index)", by: user)
      try graph.like(post, as: users[(index * 7) % 300])
    }
    for user in users.dropFirst() { try graph.mute(users[0], as: user) }
    try graph.block(users[3], as: users[200])
    try graph.snapshot()
    try graph.unfollow(users[5], as: users[4])
    let digest = GraphDigest.of(graph.pin().view.state)
    let plainBytes = try SocialGraph.open(directory.file("store"), access: .readOnly).read { $0.memoryReport() }
    try graph.close()
    for options in [SocialGraph.Options(), compact, SocialGraph.Options()] {
      let again = try SocialGraph.open(directory.file("store"), options: options)
      #expect(GraphDigest.of(again.pin().view.state) == digest)
      let problems = again.read { $0.state.checkInvariants() }
      #expect(problems == [] && again.read { $0.state.likes.form } == options.form.lists)
      let bytes = again.read { $0.memoryReport() }
      if options.compactLists { #expect(bytes.units[2].byteCount < plainBytes.units[2].byteCount) }
      try again.snapshot()
      try again.close()
    }
  }
}
