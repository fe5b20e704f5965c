import CSupport

/// Writes words behind those that their lists have so far: the second pass of a counting sort.
///
/// Both the end of a list and the place of its next word are cache misses. So some words are collected first, while the
/// ends of their lists are fetched, then their places. The misses of all overlap, also across the mispredicted branches
/// of the loop that finds the words.
@safe struct Scatter {
  // Safety: `run` lends memory for as long as this value lives. Lists and places are checked.
  private let words: UnsafeMutableBufferPointer<UInt64>
  private let ends: UnsafeMutableBufferPointer<UInt32>
  private let waitingWords: UnsafeMutablePointer<UInt64>
  private let waitingPlaces: UnsafeMutablePointer<UInt32>
  private var waitingCount = 0

  private static let waitingLimit = 64

  /// - Parameters:
  ///   - words: all lists, one behind the other.
  ///   - ends: by list, where its next word goes. Advanced.
  static func run(
    _ words: inout MutableSpan<UInt64>, ends: inout MutableSpan<UInt32>, _ body: (inout Scatter) -> Void
  ) {
    unsafe words.withUnsafeMutableBufferPointer { words in
      unsafe ends.withUnsafeMutableBufferPointer { ends in
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: waitingLimit) { waitingWords in
          unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: waitingLimit) { waitingPlaces in
            guard let first = waitingWords.baseAddress, let place = waitingPlaces.baseAddress else {
              preconditionFailure("an allocation has an address")
            }
            var scatter = unsafe Scatter(words: words, ends: ends, waitingWords: first, waitingPlaces: place)
            body(&scatter)
            scatter.flush()
          }
        }
      }
    }
  }

  @inline(__always)
  mutating func append(_ word: UInt64, to list: Int) {
    precondition(unsafe list >= 0 && list < ends.count, "a word belongs to a list")
    unsafe waitingWords[waitingCount] = word
    unsafe waitingPlaces[waitingCount] = UInt32(truncatingIfNeeded: list)
    if let ends = unsafe ends.baseAddress { unsafe kith_prefetch(ends + list) }
    waitingCount &+= 1
    if waitingCount == Self.waitingLimit { flush() }
  }

  @inline(never)
  private mutating func flush() {
    guard let ends = unsafe ends.baseAddress, let words = unsafe words.baseAddress else { return }
    for index in 0..<waitingCount {
      let list = unsafe Int(waitingPlaces[index])
      let place = unsafe ends[list]
      unsafe ends[list] = place &+ 1
      unsafe waitingPlaces[index] = place
      unsafe kith_prefetch(words + Int(place))
    }
    for index in 0..<waitingCount {
      let place = unsafe Int(waitingPlaces[index])
      precondition(unsafe place < self.words.count, "a list has no more words than were counted")
      unsafe words[place] = unsafe waitingWords[index]
    }
    waitingCount = 0
  }
}
