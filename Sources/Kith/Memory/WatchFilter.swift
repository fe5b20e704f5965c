import Synchronization

/// A million bits that say quickly of most things that nobody watches them: 128 KB, which any number of threads may
/// read while others change it.
///
/// A thing is an id and its kind. All kinds of one id share a word, so that a write that touches several of them reads
/// memory once. How many things share a bit is counted apart; a count that ever reached 255 stays, and the bit with it.
@safe final class WatchFilter: @unchecked Sendable {
  // Safety: the addresses never change; a place is within both; words are only touched atomically, and the counts of a
  // word only by whoever has the lock of its shard.
  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let counts: UnsafeMutablePointer<UInt8>

  private static let wordCount = 1 << 14

  init() {
    let byteCount = Self.wordCount * 8
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    // An atomic word is a word; this way the memory is cleared at the speed of memory.
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    unsafe words = bytes.bindMemory(to: Atomic<UInt64>.self, capacity: Self.wordCount)
    unsafe counts = .allocate(capacity: Self.wordCount * 64)
    unsafe counts.initialize(repeating: 0, count: Self.wordCount * 64)
  }

  deinit {
    unsafe words.deallocate()
    unsafe counts.deallocate()
  }

  /// Where a thing is noted.
  struct Place {
    fileprivate let word: Int
    fileprivate let bit: UInt64

    @inline(__always)
    init(id: Int64, kind: UInt8) {
      let hash = Hashing.hash(id)
      word = Int(truncatingIfNeeded: hash >> 50)
      bit = (hash &+ UInt64(kind) &* 13) & 63
    }

    /// Things of one word are of one shard.
    func shard(of count: Int) -> Int { word % count }
  }

  /// Whether anything of this place is noted.
  @inline(__always)
  func contains(_ place: Place) -> Bool {
    unsafe words[place.word].load(ordering: .relaxed) >> place.bit & 1 == 1
  }

  /// Notes a thing. Called under the lock of its shard.
  func insert(_ place: Place) {
    let index = place.word * 64 + Int(place.bit)
    if unsafe counts[index] < .max { unsafe counts[index] += 1 }
    unsafe words[place.word].bitwiseOr(1 << place.bit, ordering: .relaxed)
  }

  /// Takes a thing that was noted out. Called under the lock of its shard.
  func remove(_ place: Place) {
    let index = place.word * 64 + Int(place.bit)
    if unsafe counts[index] == .max { return }
    unsafe counts[index] -= 1
    if unsafe counts[index] == 0 { unsafe words[place.word].bitwiseAnd(~(1 << place.bit), ordering: .relaxed) }
  }
}
