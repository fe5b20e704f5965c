/// Counts of values in buckets whose width grows with the value: every quantile is known to 6.25 %, in fixed memory.
///
/// Values from 0 to 15 have a bucket each; above, each power of two is divided into sixteen. Values from 2^40 on
/// (eighteen minutes, in nanoseconds) count as the largest. This is the layout of Gil Tene's HdrHistogram with four
/// significant bits.
///
/// Encoded as `{"buckets":[{"count":2,"upperBound":31}],"sum":60}`: the buckets that hold anything, ascending.
public struct LogLinearHistogram: Hashable, Sendable {
  /// The values of one range.
  public struct Bucket: Hashable, Codable, Sendable {
    /// The largest value of the range. The range begins after that of the bucket before.
    public let upperBound: Int
    /// The number of values in it.
    public let count: Int
  }

  /// The buckets that hold values, ascending.
  public let buckets: [Bucket]
  /// The number of values.
  public let count: Int
  /// The exact sum of the values. While values are recorded it may include some that `count` does not yet.
  public let sum: Int

  /// A histogram without values.
  public init() { self.init(buckets: [], sum: 0) }

  init(buckets: [Bucket], sum: Int) {
    self.buckets = buckets
    self.sum = sum
    count = buckets.reduce(0) { $0 + $1.count }
  }

  /// The mean value; nil without values.
  public var mean: Double? { count == 0 ? nil : Double(sum) / Double(count) }

  /// The value that a share of all values does not exceed: `quantile(0.99)` is at least the value of rank
  /// ⌈0.99 · count⌉, and exceeds it by at most 6.25 %. Nil without values.
  /// - Parameter share: from 0, the least value, to 1, the largest; NaN counts as 0.
  /// - Complexity: O(buckets).
  public func quantile(_ share: Double) -> Int? {
    var rest = max(1, Int((min(1, max(0, share)) * Double(count)).rounded(.up)))
    for bucket in buckets {
      rest -= bucket.count
      if rest <= 0 { return bucket.upperBound }
    }
    return buckets.last?.upperBound
  }

  /// The values recorded since an earlier state of the same histogram: for the latency of the last minute.
  /// - Complexity: O(buckets).
  public func since(_ earlier: LogLinearHistogram) -> LogLinearHistogram {
    let before = Dictionary(earlier.buckets.map { ($0.upperBound, $0.count) }, uniquingKeysWith: +)
    let rest = buckets.compactMap { bucket -> Bucket? in
      let count = bucket.count - (before[bucket.upperBound] ?? 0)
      return count > 0 ? Bucket(upperBound: bucket.upperBound, count: count) : nil
    }
    return LogLinearHistogram(buckets: rest, sum: max(0, sum - earlier.sum))
  }

  // MARK: - Layout

  private static let significantBits = 4
  private static let bucketsPerPower = 1 << significantBits
  /// Values of more bits count as the largest.
  private static let maximumBits = 40
  static let bucketCount = (maximumBits - significantBits + 1) * bucketsPerPower

  /// The bucket of a value.
  @inline(__always)
  static func bucket(of value: UInt64) -> Int {
    if value < UInt64(bucketsPerPower) { return Int(truncatingIfNeeded: value) }
    let shift = 63 - value.leadingZeroBitCount - significantBits
    return min(bucketCount - 1, shift * bucketsPerPower + Int(truncatingIfNeeded: value >> UInt64(shift)))
  }

  /// The largest value of a bucket.
  static func upperBound(ofBucket bucket: Int) -> Int {
    if bucket < bucketsPerPower { return bucket }
    let shift = bucket / bucketsPerPower - 1
    return (bucket - shift * bucketsPerPower + 1) << shift - 1
  }
}

extension LogLinearHistogram: Codable {
  private enum CodingKeys: String, CodingKey { case buckets, sum }

  /// Decodes a histogram.
  /// - Throws: `DecodingError` if a number is negative, the buckets do not ascend, or their counts exceed 2^62.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: CodingKeys.self)
    let buckets = try object.decode([Bucket].self, forKey: .buckets)
    let sum = try object.decode(Int.self, forKey: .sum)
    var (last, total) = (-1, 0)
    for bucket in buckets {
      let (next, overflows) = total.addingReportingOverflow(bucket.count)
      guard bucket.upperBound > last, bucket.count >= 0, !overflows, next <= 1 << 62 else {
        throw DecodingError.dataCorruptedError(
          forKey: .buckets, in: object, debugDescription: "the buckets of a histogram ascend, and have counts")
      }
      (last, total) = (bucket.upperBound, next)
    }
    if sum < 0 {
      throw DecodingError.dataCorruptedError(forKey: .sum, in: object, debugDescription: "a sum is not negative")
    }
    self.init(buckets: buckets, sum: sum)
  }

  /// Encodes the buckets that hold values, and the sum.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: CodingKeys.self)
    try object.encode(buckets, forKey: .buckets)
    try object.encode(sum, forKey: .sum)
  }
}
