#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Timestamp {
  /// The time of the machine's wall clock.
  public static func now() -> Timestamp {
    var time = timespec()
    // Safety: the call fills the structure that it is passed.
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }
}

/// A clock that only goes forward, for durations.
enum MonotonicClock {
  /// Nanoseconds since an arbitrary moment. About 25 ns.
  static func nanoseconds() -> UInt64 {
    var time = timespec()
    // Safety: the call fills the structure that it is passed.
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }

  /// Nanoseconds since an earlier result of `nanoseconds`.
  static func nanoseconds(since began: UInt64) -> UInt64 {
    let now = nanoseconds()
    return now > began ? now - began : 0
  }
}
