import Synchronization

/// A histogram that any number of threads record into without a lock: two atomic additions a value.
///
/// A thread records into one of a few stripes, so that threads rarely write the same cache line; `read` adds them up. A
/// stripe takes 4,744 bytes.
@safe final class AtomicHistogram: @unchecked Sendable {
  // Safety: the memory is allocated once, indexes are below its size, and words are only accessed atomically.
  private let words: UnsafeMutablePointer<Atomic<Int>>
  private let stripeMask: Int

  /// The buckets, then the sum.
  private static let stride = LogLinearHistogram.bucketCount + 1

  /// - Parameter stripeCount: a power of two, at most four: a thread has the stripe that it has in `StripedLock`.
  init(stripeCount: Int = 1) {
    precondition(stripeCount.nonzeroBitCount == 1 && stripeCount <= 4, "stripes are chosen by a mask")
    stripeMask = stripeCount - 1
    unsafe words = .allocate(capacity: stripeCount * Self.stride)
    for index in 0..<stripeCount * Self.stride { unsafe (words + index).initialize(to: Atomic(0)) }
  }

  deinit { unsafe words.deallocate() }

  /// Counts a value.
  func record(_ value: UInt64) {
    let stripe = unsafe words + (StripedLock.ownStripe() & stripeMask) * Self.stride
    unsafe stripe[LogLinearHistogram.bucket(of: value)].wrappingAdd(1, ordering: .relaxed)
    unsafe stripe[Self.stride - 1].wrappingAdd(Int(truncatingIfNeeded: value), ordering: .relaxed)
  }

  /// What was recorded so far.
  func read() -> LogLinearHistogram {
    var buckets: [LogLinearHistogram.Bucket] = []
    for bucket in 0..<LogLinearHistogram.bucketCount {
      let count = total(bucket)
      if count > 0 { buckets.append(.init(upperBound: LogLinearHistogram.upperBound(ofBucket: bucket), count: count)) }
    }
    return LogLinearHistogram(buckets: buckets, sum: total(Self.stride - 1))
  }

  private func total(_ word: Int) -> Int {
    (0...stripeMask).reduce(0) { sum, stripe in
      unsafe sum &+ words[stripe * Self.stride + word].load(ordering: .relaxed)
    }
  }
}
