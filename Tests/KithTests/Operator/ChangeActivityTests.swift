import Testing

@testable import Kith

@Suite struct ChangeActivityTests {
  @Test("No change is lost, whatever the span, and there are never too many buckets")
  func counts() {
    var random = SeededRandom(seed: 4)
    var (activity, parts) = (ChangeActivity(), [ChangeActivity(), ChangeActivity()])
    var times: [Int64] = []
    for number in 0..<5_000 {
      // From a second to three years.
      let time = Int64(random.below(1 << (10 + number % 27)))
      times.append(time)
      activity.add(2, at: Timestamp(time))
      parts[number % 2].add(2, at: Timestamp(time))
      #expect(activity.counts.count <= ChangeActivity.bucketLimit)
    }
    var merged = parts[1]
    merged.merge(parts[0])
    for found in [activity, merged] {
      #expect(found.counts.map(\.count).reduce(0, +) == 10_000)
      #expect(found.counts.map(\.start) == found.counts.map(\.start).sorted())
      for (start, count) in found.counts {
        #expect(count == 2 * times.count { (start..<start + found.step).contains($0) })
      }
    }
  }
}
