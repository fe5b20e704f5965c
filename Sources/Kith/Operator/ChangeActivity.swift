/// The number of changes by time: buckets of one length, which doubles as often as there would be too many.
package struct ChangeActivity: Hashable, Sendable {
  /// The most buckets.
  package static let bucketLimit = 512
  /// The shortest bucket, in milliseconds.
  private static let shortestStep: Int64 = 1_000

  /// The length of a bucket, in milliseconds.
  package private(set) var step = shortestStep
  /// The numbers of changes by the number of the bucket since 1970; only those with changes.
  private var buckets: [Int64: Int] = [:]

  package init() {}

  /// The start of each bucket that has changes, in milliseconds since 1970, ascending, and their number.
  package var counts: [(start: Int64, count: Int)] {
    buckets.sorted { $0.key < $1.key }.map { (start: $0.key * step, count: $0.value) }
  }

  package mutating func add(_ count: Int, at time: Timestamp) {
    buckets[bucket(time.rawValue), default: 0] += count
    while buckets.count > Self.bucketLimit { double() }
  }

  package mutating func merge(_ other: ChangeActivity) {
    while step < other.step { double() }
    for (start, count) in other.counts { add(count, at: Timestamp(start)) }
  }

  private func bucket(_ time: Int64) -> Int64 { time >= 0 ? time / step : -1 }

  private mutating func double() {
    let counts = counts
    step *= 2
    buckets = [:]
    for (start, count) in counts { buckets[bucket(start), default: 0] += count }
  }
}
