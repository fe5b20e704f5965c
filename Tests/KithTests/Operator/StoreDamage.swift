@testable import Kith

/// Damage that disks and operators do to files.
enum StoreDamage {
  /// Damages one file other than `LOCK`, drawn from the seed. Returns a description.
  static func strike(_ disk: MemoryDisk, _ random: inout SeededRandom) -> String {
    let paths = disk.paths.filter { !$0.hasSuffix("/\(StoreNames.lock)") }
    guard !paths.isEmpty else { return "nothing is left" }
    let path = paths[random.below(paths.count)]
    guard var bytes = disk[path], !bytes.isEmpty else { return "\(path) is empty" }
    let start = random.below(bytes.count)
    let end = min(bytes.count, start + 1 + random.below(3_000))
    switch random.below(9) {
    case 0, 1, 2:
      bytes[start] ^= 1 << UInt8(random.below(8))
      disk[path] = bytes
      return "a bit of byte \(start) of \(path)"
    case 3:
      for index in start..<end { bytes[index] = 0 }
      disk[path] = bytes
      return "zeros from \(start) to \(end) of \(path)"
    case 4:
      for index in start..<end { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
      disk[path] = bytes
      return "noise from \(start) to \(end) of \(path)"
    case 5:
      disk[path] = Array(bytes[..<start])
      return "\(path) cut to \(start)"
    case 6:
      disk[path] = nil
      return "\(path) removed"
    case 7:
      // A misdirected write of a sector.
      let other = disk[paths[random.below(paths.count)]] ?? []
      guard let source = sectors(other, &random), let target = sectors(bytes, &random) else { return "nothing" }
      let count = min(source.count, target.count)
      bytes.replaceSubrange(target.prefix(count), with: other[source.prefix(count)])
      disk[path] = bytes
      return "\(count) bytes of elsewhere at \(target.lowerBound) of \(path)"
    default:
      let other = paths[random.below(paths.count)]
      disk[path] = disk[other]
      return "\(other) over \(path)"
    }
  }

  private static func sectors(_ bytes: [UInt8], _ random: inout SeededRandom) -> Range<Int>? {
    guard bytes.count >= 512 else { return nil }
    let first = random.below(bytes.count / 512)
    return first * 512..<min(bytes.count, (first + 1 + random.below(4)) * 512)
  }
}
