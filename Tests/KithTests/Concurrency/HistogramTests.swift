import Foundation
import Testing

@testable import Kith

/// Log-linear histograms: bounds of buckets, error of quantiles, recording by many threads.
@Suite struct HistogramTests {
  private func recorded(_ values: [UInt64], stripeCount: Int = 1) -> LogLinearHistogram {
    let histogram = AtomicHistogram(stripeCount: stripeCount)
    for value in values { histogram.record(value) }
    return histogram.read()
  }

  /// The value of rank ⌈share · count⌉.
  private func exact(_ share: Double, of sorted: [UInt64]) -> UInt64 {
    sorted[max(1, Int((share * Double(sorted.count)).rounded(.up))) - 1]
  }

  @Test("A quantile of no number is that of 0")
  func noNumber() {
    #expect(LogLinearHistogram().quantile(.nan) == nil)
    let histogram = AtomicHistogram()
    histogram.record(5)
    #expect(histogram.read().quantile(.nan) == 5 && histogram.read().quantile(.infinity) == 5)
  }

  @Test("A value lies above the bound of the bucket before its own, and not above its own")
  func bounds() {
    var values = Array(UInt64(0)...100)
    for power in UInt64(6)..<40 {
      values += [1 << power - 1, 1 << power, 1 << power + 1, 1 << power + 1 << (power - 1)]
    }
    for value in values {
      let bucket = LogLinearHistogram.bucket(of: value)
      #expect(UInt64(LogLinearHistogram.upperBound(ofBucket: bucket)) >= value)
      #expect(bucket == 0 || UInt64(LogLinearHistogram.upperBound(ofBucket: bucket - 1)) < value)
    }
    for value in [1 << 40, UInt64.max] {
      #expect(LogLinearHistogram.bucket(of: value) == LogLinearHistogram.bucketCount - 1)
    }
    let bounds = (0..<LogLinearHistogram.bucketCount).map(LogLinearHistogram.upperBound)
    #expect(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("A quantile is at least the exact one, and at most a sixteenth above it", arguments: 1...20)
  func quantiles(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let values = (0..<Int.random(in: 1...3_000, using: &random)).map { _ -> UInt64 in
      // Over all magnitudes alike, as latencies are.
      UInt64.random(in: 0..<(1 << UInt64.random(in: 1...40, using: &random)), using: &random)
    }
    let histogram = recorded(values, stripeCount: 4)
    let sorted = values.sorted()
    #expect(histogram.count == values.count && histogram.sum == values.reduce(0) { $0 + Int($1) })
    for share in [0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1] {
      let exact = exact(share, of: sorted)
      let reported = UInt64(try #require(histogram.quantile(share)))
      #expect(reported >= exact && reported <= exact + exact / 16, "\(share): \(reported), not \(exact)")
    }
  }

  @Test("No value is lost or counted twice by threads that record at the same time")
  func threads() {
    let histogram = AtomicHistogram(stripeCount: 4)
    let counts = (threads: 8, values: 20_000)
    DispatchQueue.concurrentPerform(iterations: counts.threads) { _ in
      for value in 0..<counts.values { histogram.record(UInt64(value)) }
    }
    let read = histogram.read()
    #expect(read.count == counts.threads * counts.values)
    #expect(read.sum == counts.threads * counts.values * (counts.values - 1) / 2)
    #expect(read == recorded((0..<counts.threads).flatMap { _ in (0..<counts.values).map(UInt64.init) }))
  }

  @Test("The difference of two states holds what was recorded between them; an empty histogram has no quantiles")
  func differences() {
    let histogram = AtomicHistogram()
    for value in [UInt64(3), 300, 30_000] { histogram.record(value) }
    let earlier = histogram.read()
    for value in [UInt64(3), 50] { histogram.record(value) }
    #expect(histogram.read().since(earlier) == recorded([3, 50]))
    #expect(LogLinearHistogram().quantile(0.5) == nil && LogLinearHistogram().mean == nil)
    #expect(recorded([1, 2, 6]).mean == 3)
  }

  @Test("An encoded histogram is decoded the same, and a malformed one is refused")
  func coding() throws {
    let histogram = recorded([0, 17, 17, 1_000_000])
    let data = try JSONEncoder().encode(histogram)
    #expect(try JSONDecoder().decode(LogLinearHistogram.self, from: data) == histogram)
    let malformed = [
      #"{"buckets":[{"upperBound":5,"count":-1}],"sum":1}"#, #"{"buckets":[],"sum":-1}"#, #"{"buckets":[]}"#,
      #"{"buckets":[{"upperBound":5,"count":1},{"upperBound":5,"count":1}],"sum":1}"#,
      #"{"buckets":[{"upperBound":1,"count":4611686018427387904},{"upperBound":5,"count":1}],"sum":1}"#,
    ]
    for text in malformed {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(LogLinearHistogram.self, from: Data(text.utf8)) }
    }
  }
}
