import Testing

@testable import Kith

/// Packed and long lists against an array of arrays.
@Suite struct PackedListsTests {
  @Test("Short lists of a block grow and shrink in any order", arguments: [1, 2, 8, 16], ListForm.allCases)
  func shortLists(listsPerBlock: Int, form: ListForm) {
    var twins = ListTwins<UInt32>(listsPerBlock: listsPerBlock, form, listCount: 37, seed: UInt64(listsPerBlock))
    for step in 0..<1_500 {
      twins.change(growing: step % 600 < 400)
      if step % 100 == 0 { twins.keep() }
      if step % 50 == 0 { twins.compare("step \(step)") }
    }
    twins.compare("end")
  }

  @Test(
    "Lists leave their block at 1,025 elements and return at 512, with inserts anywhere",
    arguments: [1, 2] as [UInt64],
    ListForm.allCases)
  func longLists(seed: UInt64, form: ListForm) {
    var twins = ListTwins<UInt64>(listsPerBlock: 8, form, listCount: 11, seed: seed)
    for phase in 0..<4 {
      for step in 0..<2_600 {
        twins.changeLong(growing: phase % 2 == 0)
        if step % 650 == 0 {
          twins.keep()
          twins.compare("phase \(phase), step \(step)")
        }
      }
    }
    twins.compare("end")
  }

  @Test("Long lists that grow at their end stay dense, and searches are right", arguments: ListForm.allCases)
  func ascending(form: ListForm) {
    var lists = PackedLists<UInt32>(listsPerBlock: 16, form: form)
    for _ in 0..<3 { lists.appendList() }
    for value in 0..<20_000 as Range<UInt32> { lists.insert(value * 2, in: 1, at: lists.endPosition(of: 1)) }
    #expect(lists.count(of: 1) == 20_000 && lists.count(of: 0) == 0 && lists.count(of: 2) == 0)
    #expect(lists.runCount(of: 1) <= 11)
    for value in stride(from: 0, to: 40_010 as UInt32, by: 61) {
      let place = lists.partitionPoint(of: 1) { $0 < value }
      let before = lists.element(before: place, of: 1)?.0
      let after = lists.element(atOrAfter: place, of: 1)?.0
      #expect(before == (value == 0 ? nil : min((value - 1) / 2 * 2, 39_998)))
      #expect(after == (value > 39_998 ? nil : (value + 1) / 2 * 2))
      if form == .plain { #expect(lists.cursor(notBelow: value, in: 1).position == place) }
    }
    for value in 0..<300 as Range<UInt32> { lists.insert(value * 2, in: 2, at: lists.endPosition(of: 2)) }
    for value in 0..<602 as Range<UInt32> where form == .plain {
      #expect(lists.cursor(notBelow: value, in: 2).position.offset == min(Int(value + 1) / 2, 300))
    }
    #expect(lists.checkInvariants("lists") == [])
    lists.removeAll(from: 1)
    lists.removeAll(from: 2)
    #expect(lists.count(of: 1) == 0 && lists.checkInvariants("lists") == [])
  }

  @Test(
    "Bulk-built lists equal lists built by inserts, and continue like them", arguments: 1...3 as ClosedRange<UInt64>,
    ListForm.allCases)
  func bulk(seed: UInt64, form: ListForm) {
    var random = SeededRandom(seed: seed)
    var degrees = (0..<50).map { _ in UInt32(random.below(12)) }
    for (list, degree) in [(3, 1_024), (4, 1_025), (20, 5_000), (49, 2_048)] { degrees[list] = UInt32(degree) }
    let elements = (0..<Int(degrees.reduce(0, +))).map { _ in UInt32(random.below(1 << 30)) }
    var twins = ListTwins<UInt32>(listsPerBlock: 8, form, degrees: degrees, elements: elements, seed: seed)
    twins.compare("at once")
    twins.keep()
    for step in 0..<900 {
      step % 3 == 0 ? twins.change(growing: false) : twins.changeLong(growing: step % 2 == 0)
    }
    twins.removeAll(from: 20)
    twins.removeAll(from: 3)
    twins.compare("after changes")
    #expect(PackedLists<UInt32>(listsPerBlock: 4, degrees: [], elements: []).checkInvariants("none") == [])
  }

  @Test("Churn leaks no memory", arguments: ListForm.allCases)
  func steadyMemory(form: ListForm) {
    var lists = PackedLists<UInt64>(listsPerBlock: 8, form: form)
    let listCount = 1_024
    for _ in 0..<listCount { lists.appendList() }
    var random = SeededRandom(seed: 4)
    var bytes: [Int] = []
    for _ in 0..<3 {
      for _ in 0..<64_000 {
        let list = random.below(listCount)
        lists.insert(1, in: list, at: lists.startPosition())
        if lists.count(of: list) > 40 { lists.removeAll(from: list) }
      }
      for list in 0..<listCount {
        while lists.count(of: list) > 5 { lists.remove(from: list, at: lists.startPosition()) }
      }
      bytes.append(lists.byteCount)
    }
    #expect(bytes[2] <= bytes[0] * 11 / 10)
  }
}

/// Lists, the arrays they must equal, and pinned versions of both.
private struct ListTwins<Element: BitwiseCopyable & FixedWidthInteger & UnsignedInteger & Sendable>: ~Copyable {
  private final class Kept {
    let lists: PackedLists<Element>
    let twin: [[Element]]

    init(_ lists: consuming PackedLists<Element>, _ twin: [[Element]]) {
      self.lists = lists
      self.twin = twin
    }
  }

  private var lists: PackedLists<Element>
  private var twin: [[Element]]
  private var kept: [Kept] = []
  private var random: SeededRandom
  private let story: String

  init(listsPerBlock: Int, _ form: ListForm, listCount: Int, seed: UInt64) {
    lists = PackedLists(listsPerBlock: listsPerBlock, form: form)
    for _ in 0..<listCount { lists.appendList() }
    twin = Array(repeating: [], count: listCount)
    random = SeededRandom(seed: seed)
    story = "seed \(seed), \(form)"
  }

  init(listsPerBlock: Int, _ form: ListForm, degrees: [UInt32], elements: [Element], seed: UInt64) {
    lists = PackedLists(listsPerBlock: listsPerBlock, form: form, degrees: degrees, elements: elements)
    var start = 0
    twin = degrees.map { degree in
      defer { start += Int(degree) }
      return Array(elements[start..<start + Int(degree)])
    }
    random = SeededRandom(seed: seed)
    story = "seed \(seed), \(form), \(degrees.count) lists at once"
  }

  mutating func change(growing: Bool) {
    let list = random.below(twin.count)
    switch random.below(20) {
    case 0 where !growing: removeAll(from: list)
    case 1:
      lists.appendList()
      twin.append([])
    case 2..<(growing ? 15 : 8): insert(in: list)
    default: remove(from: list)
    }
  }

  /// Mostly one list, so that it becomes long.
  mutating func changeLong(growing: Bool) {
    let list = random.below(8) == 0 ? random.below(twin.count) : 4
    random.below(10) < (growing ? 8 : 1) ? insert(in: list) : remove(from: list)
  }

  mutating func removeAll(from list: Int) {
    lists.removeAll(from: list)
    twin[list] = []
  }

  private mutating func insert(in list: Int) {
    let offset = random.below(3) == 0 ? twin[list].count : random.below(twin[list].count + 1)
    // Of any width, so that compact blocks widen and narrow.
    let element = Element(truncatingIfNeeded: random.next()) >> random.below(Element.bitWidth + 1)
    lists.insert(element, in: list, at: Self.position(offset, list, lists))
    twin[list].insert(element, at: offset)
  }

  private mutating func remove(from list: Int) {
    if twin[list].isEmpty { return }
    let offset = random.below(twin[list].count)
    let start = Self.position(offset, list, lists)
    guard let (element, position) = lists.element(atOrAfter: start, of: list) else {
      Issue.record("nothing at \(offset): \(story)")
      return
    }
    #expect(element == twin[list][offset])
    lists.remove(from: list, at: position)
    twin[list].remove(at: offset)
  }

  private static func position(
    _ offset: Int, _ list: Int, _ lists: borrowing PackedLists<Element>
  ) -> PackedLists<Element>.Position {
    var rest = offset
    for run in 0..<lists.runCount(of: list) {
      let count = lists.runLength(run, of: list)
      if rest <= count { return .init(run: run, offset: rest) }
      rest -= count
    }
    return lists.endPosition(of: list)
  }

  mutating func keep() {
    if kept.count == 3 { kept.remove(at: random.below(3)) }
    kept.append(Kept(lists.pin(), twin))
  }

  func compare(_ moment: String) {
    Self.compare(lists, twin, "\(moment), \(story)")
    for instant in kept { Self.compare(instant.lists, instant.twin, "kept, \(moment), \(story)") }
  }

  private static func compare(_ lists: borrowing PackedLists<Element>, _ twin: [[Element]], _ story: String) {
    #expect(lists.count == twin.count, "\(story)")
    #expect(lists.checkInvariants("lists") == [], "\(story)")
    for list in twin.indices {
      var elements: [Element] = []
      lists.forEachRun(of: list) { span in
        if span.isEmpty && twin[list].count > 0 { Issue.record("an empty run of list \(list): \(story)") }
        for index in span.indices { elements.append(span[index]) }
      }
      if elements != twin[list] || lists.count(of: list) != elements.count {
        Issue.record("list \(list) holds \(elements), not \(twin[list]): \(story)")
        return
      }
      if lists.form == .plain { compareCursors(lists, list, elements, story) }
    }
  }

  private static func compareCursors(
    _ lists: borrowing PackedLists<Element>, _ list: Int, _ elements: [Element], _ story: String
  ) {
    var cursor = lists.endCursor(of: list)
    var backwards: [Element] = []
    while true {
      let before = cursor.before
      guard let element = cursor.moveBack(in: lists, list: list) else { break }
      if before != nil && before != element || cursor.after != element {
        Issue.record("a cursor of list \(list) sees another element than it moves to: \(story)")
      }
      backwards.append(element)
    }
    cursor = lists.cursor(at: lists.startPosition(), of: list)
    var forwards: [Element] = []
    while let element = cursor.settle(in: lists, list: list) {
      if cursor.after != element { Issue.record("a cursor of list \(list) settled elsewhere: \(story)") }
      forwards.append(element)
      cursor.skip()
    }
    if backwards.reversed() != elements || forwards != elements {
      Issue.record("cursors read list \(list) as \(backwards) backwards, \(forwards) forwards: \(story)")
    }
  }
}
