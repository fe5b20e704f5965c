import Testing

@testable import Kith

/// Size-tiered compaction: which segments are due.
@Suite struct CompactionPolicyTests {
  private let policy = CompactionPolicy(
    fanout: 3, levelZeroCapacity: 30, maximumCount: 1_000, maximumByteCount: 5_000)

  private func segment(
    _ count: Int, bytes: Int = 0, isMostlyDeleted: Bool = false, isBusy: Bool = false, adjoinsPrevious: Bool = true
  ) -> CompactionPolicy.Segment {
    CompactionPolicy.Segment(
      count: count, byteCount: bytes, isMostlyDeleted: isMostlyDeleted, isBusy: isBusy,
      adjoinsPrevious: adjoinsPrevious)
  }

  @Test("A level holds segments of up to three times the entries of the level below")
  func levels() {
    let levels = [0, 29, 30, 89, 90, 269, 270].map { policy.level(of: $0) }
    #expect(levels == [0, 0, 1, 1, 2, 2, 3])
  }

  @Test("Three adjacent segments are due with all older ones of no higher level, the youngest run first")
  func runs() {
    #expect(policy.dueRange(of: []) == nil)
    #expect(policy.dueRange(of: [segment(10), segment(10)]) == nil)
    #expect(policy.dueRange(of: [segment(100), segment(10), segment(10), segment(10)]) == 1..<4)
    #expect(policy.dueRange(of: [segment(40), segment(10), segment(40), segment(40)]) == 0..<4)
    #expect(policy.dueRange(of: [segment(40), segment(40), segment(40), segment(10)]) == 0..<3)
    let two = [40, 40, 40, 10, 10, 10].map { segment($0) }
    #expect(policy.dueRange(of: two) == 3..<6)
  }

  @Test("A busy segment, a gap and the limits of one segment end a run")
  func ends() {
    let (free, busy) = (segment(10), segment(10, isBusy: true))
    #expect(policy.dueRange(of: [free, free, free, busy]) == 0..<3)
    #expect(policy.dueRange(of: [free, free, busy, free]) == nil)
    #expect(policy.dueRange(of: [free, segment(10, adjoinsPrevious: false), free]) == nil)
    #expect(policy.dueRange(of: [free, segment(10, adjoinsPrevious: false), free, free]) == 1..<4)
    #expect(policy.dueRange(of: [300, 300, 300, 300].map { segment($0) }) == 1..<4)
    #expect(policy.dueRange(of: [400, 400, 400].map { segment($0) }) == nil)
    #expect(policy.dueRange(of: [2_000, 2_000, 2_000].map { segment(10, bytes: $0) }) == nil)
  }

  @Test("A segment of mostly tombstones is due alone, unless it is busy")
  func deleted() {
    #expect(!CompactionPolicy.isMostlyDeleted(5, of: 10) && CompactionPolicy.isMostlyDeleted(6, of: 10))
    #expect(policy.dueRange(of: [segment(100, isMostlyDeleted: true), segment(10)]) == 0..<1)
    #expect(policy.dueRange(of: [segment(100, isMostlyDeleted: true, isBusy: true), segment(10)]) == nil)
  }

  @Test("Each entry is rewritten at most once a level, and few segments remain")
  func amortization() {
    let policy = CompactionPolicy(fanout: 4, levelZeroCapacity: 4)
    var counts: [Int] = []
    var rewritten = 0
    for _ in 0..<4_096 {
      counts.append(1)
      while let range = policy.dueRange(of: counts.map { segment($0) }) {
        let count = counts[range].reduce(0, +)
        rewritten += count
        counts.replaceSubrange(range, with: [count])
      }
      #expect(counts.count <= 3 * 6 + 1)
    }
    // 4,096 is four to the power of six.
    #expect(counts == [4_096] && rewritten == 4_096 * 6)
  }
}
