import Testing

@testable import Kith

/// Common targets of two lists against the intersection of sets.
@Suite struct IntersectionTests {
  /// Around the lengths at which lists are decoded in pieces, merged from both ends, searched, and cut into runs.
  private static let lengths = [0, 1, 5, 60, 127, 128, 129, 239, 240, 241, 300, 700, 1_023, 1_025, 2_500, 6_000]

  /// Ascending targets: about every second row.
  private static func targets(_ count: Int, _ random: inout SeededRandom) -> [UInt32] {
    var row = UInt32(random.below(4))
    return (0..<count).map { _ in
      row += 1 + UInt32(random.below(3))
      return row
    }
  }

  @Test(
    "Lists of any two lengths have their common targets, from any row on and up to any limit",
    .timeLimit(.minutes(5)), arguments: ListForm.allCases)
  func lengths(form: ListForm) {
    var random = SeededRandom(seed: 17)
    let targets = Self.lengths.map { Self.targets($0, &random) }
    let lists = PackedLists<UInt64>(
      listsPerBlock: 8, form: form, degrees: targets.map { UInt32($0.count) },
      elements: targets.flatMap { $0.map { UInt64($0) << 32 | UInt64(1_600_000_000 + $0 % 7) } })
    var commonCount = 0
    for one in targets.indices {
      for other in targets.indices {
        let set = Set(targets[other])
        let expected = targets[one].filter { set.contains($0) }
        let story = "\(form), \(targets[one].count) and \(targets[other].count)"
        let (first, second) = (UInt32(one), UInt32(other))
        #expect(Intersection.rows(of: first, and: second, in: lists) == expected, "\(story)")
        #expect(Intersection.count(of: first, and: second, in: lists) == expected.count, "\(story)")
        commonCount += expected.count
        for (share, limit) in [(0, 1), (1, 3), (7, 100), (15, 129)] where !expected.isEmpty {
          let row = expected[(expected.count - 1) * share / 15] + UInt32(share % 2)
          let rest = expected.drop { $0 < row }.prefix(limit)
          let found = Intersection.rows(of: first, and: second, in: lists, from: row, limit: limit)
          #expect(found == Array(rest), "\(story), from \(row) up to \(limit)")
        }
      }
    }
    #expect(commonCount > 30_000)
  }
}
