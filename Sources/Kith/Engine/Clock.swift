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
    // Safety: the call fills the structure that it is handed.
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
