import CSupport

/// A place between two elements of a list, by address: a loop over a list finds it once. Of plain lists; valid until
/// the next write to them.
@safe struct ListCursor<Element: BitwiseCopyable & FixedWidthInteger & UnsignedInteger & Sendable>: BitwiseCopyable {
  // Safety: `PackedLists` makes cursors in runs, whose elements below `count` are read while the lists are lent.
  private var start: UnsafePointer<Element>?
  /// The number of the run.
  private var run: UInt32 = 0
  /// The number of elements of the run before the place.
  private var offset: UInt32 = 0
  /// The number of elements of the run.
  private var count: UInt32 = 0

  /// A place in no list.
  init() { unsafe start = nil }

  @unsafe fileprivate init(_ start: UnsafePointer<Element>, run: Int, offset: Int, count: Int) {
    unsafe self.start = unsafe start
    self.run = UInt32(truncatingIfNeeded: run)
    self.offset = UInt32(truncatingIfNeeded: offset)
    self.count = UInt32(truncatingIfNeeded: count)
  }

  var position: PackedLists<Element>.Position { PackedLists.Position(run: Int(run), offset: Int(offset)) }

  /// The element before the place; nil at the start of a run.
  @inline(__always)
  var before: Element? {
    guard offset > 0, let start = unsafe start else { return nil }
    return unsafe start[Int(offset &- 1)]
  }

  /// The element after the place; nil at the end of a run.
  @inline(__always)
  var after: Element? {
    guard offset < count, let start = unsafe start else { return nil }
    return unsafe start[Int(offset)]
  }

  /// Prefetches the element before the place.
  @inline(__always)
  func prefetchBefore() { if let start = unsafe start { unsafe kith_prefetch(start + Int(max(offset, 1) &- 1)) } }

  /// Moves before the element before the place. Returns the element; nil at the start of the list.
  @inline(__always)
  mutating func moveBack(in lists: borrowing PackedLists<Element>, list: Int) -> Element? {
    guard offset > 0, let start = unsafe start else { return moveToRunBefore(in: lists, list: list) }
    offset &-= 1
    return unsafe start[Int(offset)]
  }

  @inline(never)
  private mutating func moveToRunBefore(in lists: borrowing PackedLists<Element>, list: Int) -> Element? {
    if run == 0 { return nil }
    guard let (element, position) = lists.element(before: position, of: list) else { return nil }
    self = lists.cursor(at: position, of: list)
    return element
  }

  /// Moves to the beginning of the run after the place, if the place is the end of one. Returns the element after the
  /// place; nil at the end of the list.
  @inline(__always)
  mutating func settle(in lists: borrowing PackedLists<Element>, list: Int) -> Element? {
    after ?? moveToRunAfter(in: lists, list: list)
  }

  @inline(never)
  private mutating func moveToRunAfter(in lists: borrowing PackedLists<Element>, list: Int) -> Element? {
    guard let (element, position) = lists.element(atOrAfter: position, of: list) else { return nil }
    self = lists.cursor(at: position, of: list)
    return element
  }

  /// Moves behind the element after the place, which there must be.
  mutating func skip() { offset &+= 1 }
}

extension PackedLists {
  /// The place at a position.
  func cursor(at position: Position, of list: Int) -> ListCursor<Element> {
    let run = run(position.run, of: list)
    return unsafe run.withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return ListCursor() }
      return unsafe ListCursor(start, run: position.run, offset: position.offset, count: elements.count)
    }
  }

  /// The end of a list.
  @inline(__always)
  func endCursor(of list: Int) -> ListCursor<Element> {
    let (base, count, isLong) = unsafe packed(list)
    if isLong { return longEndCursor(of: list) }
    return unsafe ListCursor(base, run: 0, offset: count, count: count)
  }

  @inline(never)
  private func longEndCursor(of list: Int) -> ListCursor<Element> { cursor(at: endPosition(of: list), of: list) }
}

extension PackedLists<UInt32> {
  /// The place before the first element of an ascending list that is not below a row. If the list does not ascend, some
  /// place of it.
  @inline(__always)
  func cursor(notBelow row: UInt32, in list: Int) -> ListCursor<UInt32> {
    let (base, count, isLong) = unsafe packed(list)
    if isLong { return cursor(at: partitionPoint(of: list) { $0 < row }, of: list) }
    return unsafe ListCursor(base, run: 0, offset: kith_lower_bound_row(base, count, row), count: count)
  }
}
