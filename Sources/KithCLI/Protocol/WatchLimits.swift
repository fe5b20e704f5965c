/// What a session may watch at once.
struct WatchLimits: Equatable {
  /// The most queries.
  let count: Int
  /// The most bytes that they take, by estimate.
  let byteCount: Int

  /// Those of `kith query`: about 10,000 pages of twenty items.
  static let query = WatchLimits(count: 10_000, byteCount: 256 << 20)
}
