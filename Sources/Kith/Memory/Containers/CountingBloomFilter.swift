import Synchronization

/// A counting Bloom filter of a million bits over the subscribed dependencies, which rejects most changes without a
/// lock. The bits take 128 KiB, which any number of threads may read while others change them. The counts take another
/// mebibyte, which only subscribing and unsubscribing access.
///
/// An item is an id and its kind. All kinds of one id share a word, so that a write that touches several kinds reads
/// memory once. Each bit has a separate count of its items. A count that reached 255 is never decremented, and its bit
/// stays set.
@safe final class CountingBloomFilter: @unchecked Sendable {
  // Safety: the addresses never change, and a place is within both. Words are only accessed atomically, and the counts
  // of a word only by the holder of its shard's lock.
  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let counts: UnsafeMutablePointer<UInt8>

  private static let wordCount = 1 << 14

  init() {
    let byteCount = Self.wordCount * 8
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    // An atomic word has the layout of a word; this clears the memory at full bandwidth.
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    unsafe words = bytes.bindMemory(to: Atomic<UInt64>.self, capacity: Self.wordCount)
    unsafe counts = .allocate(capacity: Self.wordCount * 64)
    unsafe counts.initialize(repeating: 0, count: Self.wordCount * 64)
  }

  deinit {
    unsafe words.deallocate()
    unsafe counts.deallocate()
  }

  /// The bit of an item.
  struct Place {
    fileprivate let word: Int
    fileprivate let bit: UInt64

    @inline(__always)
    init(id: Int64, kind: UInt8) {
      let hash = Hashing.hash(id)
      word = Int(truncatingIfNeeded: hash >> 50)
      bit = (hash &+ UInt64(kind) &* 13) & 63
    }

    /// All items of a word are in one shard.
    func shard(of count: Int) -> Int { word % count }
  }

  /// Whether the filter may contain an item of this place.
  @inline(__always)
  func contains(_ place: Place) -> Bool {
    unsafe words[place.word].load(ordering: .relaxed) >> place.bit & 1 == 1
  }

  /// Adds an item. Call it under the lock of its shard.
  func insert(_ place: Place) {
    let index = place.word * 64 + Int(place.bit)
    if unsafe counts[index] < .max { unsafe counts[index] += 1 }
    unsafe words[place.word].bitwiseOr(1 << place.bit, ordering: .relaxed)
  }

  /// Removes an item that was added. Call it under the lock of its shard.
  func remove(_ place: Place) {
    let index = place.word * 64 + Int(place.bit)
    if unsafe counts[index] == .max { return }
    unsafe counts[index] -= 1
    if unsafe counts[index] == 0 { unsafe words[place.word].bitwiseAnd(~(1 << place.bit), ordering: .relaxed) }
  }
}
