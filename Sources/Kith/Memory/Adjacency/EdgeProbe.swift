import CSupport

/// Finds the edges of many sources to one target, whose lists are scattered in memory.
///
/// A list's targets are taken to be spread evenly over all rows. So the element is probably within a few cache lines,
/// which are prefetched for all sources first. Where it is not, the whole list is searched.
/// - Complexity: O(1) per source where targets are spread evenly, else O(log targets).
struct EdgeProbe {
  /// The elements that are searched first: two or three cache lines.
  private static var windowCount: Int { kith_find_count }

  private let target: UInt32
  /// The target as a fraction of all targets, in units of 2⁻³².
  private let share: UInt64

  init(to target: UInt32, in relation: borrowing Adjacency) {
    self.target = target
    share = UInt64(target) << 32 / UInt64(max(1, relation.backward.count))
  }

  @inline(__always)
  private func window(_ count: Int) -> Range<Int> {
    let likely = Int(truncatingIfNeeded: (UInt64(truncatingIfNeeded: count) &* share) &>> 32)
    let first = max(0, min(likely &- Self.windowCount / 2, count &- Self.windowCount))
    return first..<min(first &+ Self.windowCount, count)
  }

  /// Prefetches where the edge of a source probably is. Reads the head of its block.
  @inline(__always)
  func prefetch(_ source: UInt32, _ relation: borrowing Adjacency) {
    let (base, count, isLong) = unsafe relation.forward.packed(Int(source))
    if isLong && relation.form == .compact {
      return relation.forward.prefetchCompactElement(of: Int(source), at: share)
    }
    if isLong || count == 0 { return }
    let window = window(count)
    unsafe kith_prefetch(base + window.lowerBound)
    unsafe kith_prefetch(base + (window.lowerBound &+ window.count / 2))
    unsafe kith_prefetch(base + (window.upperBound &- 1))
  }

  /// The timestamp of the edge of a source; nil if there is none.
  @inline(__always)
  func timestamp(_ source: UInt32, _ relation: borrowing Adjacency) -> UInt32? {
    let (base, count, isLong) = unsafe relation.forward.packed(Int(source))
    if isLong || count == 0 { return relation.timestamp(source, target) }
    if count >= Self.windowCount {
      // Safety: the window is within the list, and as long as what is read.
      let found = unsafe kith_find(base + window(count).lowerBound, target)
      if found != 0 { return Adjacency.timestamp(found) }
    }
    let place = unsafe kith_lower_bound(base, count, UInt64(target) << 32)
    guard unsafe place < count && Adjacency.target(base[place]) == target else { return nil }
    return unsafe Adjacency.timestamp(base[place])
  }
}
