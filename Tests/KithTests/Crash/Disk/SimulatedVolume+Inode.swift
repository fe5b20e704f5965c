@testable import Kith

extension SimulatedVolume {
  /// One file: its bytes in the page cache, its bytes on the medium, and the pending writes, oldest first.
  struct Inode {
    private(set) var cache: [UInt8] = []
    private(set) var durable: [UInt8] = []
    private var pending: [Pending] = []
    /// The sectors of pending writes, each as it was right after its write.
    private var images: [UInt8] = []

    private struct Pending {
      /// The offset of the first sector; for a truncation the new length.
      let start: Int
      /// The place of the sectors in `images`; empty for a truncation.
      let image: Range<Int>

      var isTruncation: Bool { image.isEmpty }
    }

    mutating func write(at offset: Int, _ bytes: Span<UInt8>) {
      if bytes.isEmpty { return }
      let end = offset + bytes.count
      if cache.count < offset { cache.append(contentsOf: repeatElement(0, count: offset - cache.count)) }
      let overlap = Swift.min(cache.count, end) - offset
      for index in 0..<overlap { cache[offset + index] = bytes[index] }
      for index in overlap..<bytes.count { cache.append(bytes[index]) }
      let sector = SimulatedVolume.sectorByteCount
      let first = offset / sector * sector
      let last = Swift.min((end + sector - 1) / sector * sector, cache.count)
      let image = images.count
      images.append(contentsOf: cache[first..<last])
      pending.append(Pending(start: first, image: image..<images.count))
    }

    mutating func truncate(to byteCount: Int) {
      if byteCount < cache.count {
        cache.removeLast(cache.count - byteCount)
      } else {
        cache.append(contentsOf: repeatElement(0, count: byteCount - cache.count))
      }
      pending.append(Pending(start: byteCount, image: 0..<0))
    }

    mutating func sync() {
      for write in pending {
        if write.isTruncation {
          setDurableCount(write.start)
        } else {
          put(images[write.image], at: write.start)
        }
      }
      setDurableCount(cache.count)
      forgetPending()
    }

    /// Clean sectors are reread from the medium; dirty ones and the length stay.
    mutating func dropCache() {
      let byteCount = cache.count
      if pending.isEmpty {
        if byteCount == durable.count { cache = durable } else { cache = Self.resized(durable, to: byteCount) }
        return
      }
      let onPlatters = durable
      for write in pending where !write.isTruncation { put(images[write.image], at: write.start) }
      cache = Self.resized(durable, to: byteCount)
      durable = onPlatters
    }

    mutating func cutPower(_ random: inout SeededRandom) {
      landSome(&random)
      cache = durable
    }

    /// What a failed sync left in memory alone is not on the medium: damage must not store it there.
    mutating func damage(_ body: (inout [UInt8]) -> Void) {
      dropCache()
      body(&cache)
      durable = cache
      forgetPending()
    }

    /// Writes some of the pending sectors, each on its own, and drops the rest.
    mutating func landSome(_ random: inout SeededRandom) {
      if pending.isEmpty { return }
      let oldCount = durable.count
      let landing = Landing(&random, sectorCount: images.count / SimulatedVolume.sectorByteCount + pending.count)
      var seen = 0
      for write in pending {
        if write.isTruncation {
          if landing.lands(seen, &random) { setDurableCount(write.start) }
          seen += 1
          continue
        }
        var position = write.image.lowerBound
        while position < write.image.upperBound {
          let end = Swift.min(position + SimulatedVolume.sectorByteCount, write.image.upperBound)
          let start = write.start + position - write.image.lowerBound
          if landing.lands(seen, &random) {
            put(images[position..<end], at: start)
            if landing.turnsToGarbage(&random) {
              for index in start..<(start + end - position) {
                durable[index] = UInt8(truncatingIfNeeded: random.next())
              }
            }
          }
          seen += 1
          position = end
        }
      }
      // The length is stored separately: it may be behind the bytes or ahead of them.
      switch random.below(3) {
      case 0 where oldCount < durable.count: setDurableCount(oldCount)
      case 1: setDurableCount(cache.count)
      default: break
      }
      forgetPending()
    }

    private mutating func forgetPending() {
      pending.removeAll(keepingCapacity: true)
      images.removeAll(keepingCapacity: true)
    }

    private mutating func setDurableCount(_ byteCount: Int) {
      if durable.count != byteCount { durable = Self.resized(durable, to: byteCount) }
    }

    private mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
      let end = offset + bytes.count
      if durable.count < end { durable.append(contentsOf: repeatElement(0, count: end - durable.count)) }
      durable.replaceSubrange(offset..<end, with: bytes)
    }

    private static func resized(_ bytes: [UInt8], to byteCount: Int) -> [UInt8] {
      var result = bytes
      if byteCount < result.count {
        result.removeLast(result.count - byteCount)
      } else {
        result.append(contentsOf: repeatElement(0, count: byteCount - result.count))
      }
      return result
    }
  }

  /// Which sectors of a file are written when the power fails.
  private struct Landing {
    private let mode: Int
    private let firstCount: Int

    init(_ random: inout SeededRandom, sectorCount: Int) {
      mode = random.below(6)
      firstCount = random.below(sectorCount + 1)
    }

    func lands(_ index: Int, _ random: inout SeededRandom) -> Bool {
      switch mode {
      case 0: false
      case 1: true
      case 2: index < firstCount
      case 3: index >= firstCount
      default: random.below(2) == 0
      }
    }

    func turnsToGarbage(_ random: inout SeededRandom) -> Bool { mode == 5 && random.below(4) == 0 }
  }
}
