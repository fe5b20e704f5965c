import Synchronization

/// Random access to the bytes of a snapshot. Implemented by every disk and by memory.
protocol ByteStorage: Sendable {
  associatedtype File: Sendable

  func byteCount(of file: File) throws(KithError) -> Int64
  /// Fills `buffer` from `offset` on. Returns fewer bytes only at the end of the file.
  func read(_ file: File, at offset: Int64, into buffer: inout MutableSpan<UInt8>) throws(KithError) -> Int
}

/// Files as arrays of bytes.
struct MemoryStorage: ByteStorage {
  func byteCount(of file: [UInt8]) -> Int64 { Int64(file.count) }

  func read(_ file: [UInt8], at offset: Int64, into buffer: inout MutableSpan<UInt8>) -> Int {
    guard offset >= 0, offset < Int64(file.count) else { return 0 }
    let count = min(buffer.count, file.count - Int(offset))
    let bytes = file.span.extracting(Int(offset)..<Int(offset) + count)
    for index in 0..<count { buffer[index] = bytes[index] }
    return count
  }
}

/// The content of a column in frames, each of which is decompressed when it is read. Thread-safe.
///
/// A large column is so never in memory as a whole. The last few frames are kept, for threads that read adjacent parts.
final class FramedContent: Sendable {
  /// The offset of each frame, and the end of the last one.
  private let starts: [Int]
  private let load: @Sendable (Int) throws(KithError) -> [UInt8]
  private let recent = Mutex<[(frame: Int, bytes: [UInt8])]>([])
  /// The hash of the content, nil for content that was verified.
  private let wantedHash: UInt64?
  private let hashing = Mutex(Hashing())

  private static let keptCount = 8

  /// The hash of the frames up to one, and frames that were read before it.
  private struct Hashing {
    var hash = XXH64()
    var next = 0
    var waiting: [Int: [UInt8]] = [:]
  }

  /// - Parameters:
  ///   - byteCounts: of the frames.
  ///   - hash: of the content; nil if it was verified.
  ///   - load: the bytes of a frame. Called on many threads.
  init(byteCounts: [Int], hash: UInt64? = nil, load: @escaping @Sendable (Int) throws(KithError) -> [UInt8]) {
    wantedHash = hash
    var starts = [0]
    for byteCount in byteCounts { starts.append(starts[starts.count - 1] + byteCount) }
    self.starts = starts
    self.load = load
  }

  /// Content that is in memory.
  convenience init(_ bytes: [UInt8]) { self.init(byteCounts: [bytes.count]) { _ in bytes } }

  var byteCount: Int { starts[starts.count - 1] }

  /// Bytes that contain a range, and the offset of the first of them. Those of one frame are not copied.
  func bytes(_ range: Range<Int>) throws(KithError) -> (bytes: [UInt8], start: Int) {
    if range.isEmpty { return ([], range.lowerBound) }
    let first = frame(at: range.lowerBound)
    var bytes = try bytes(ofFrame: first)
    var next = first + 1
    while starts[next] < range.upperBound {
      bytes += try self.bytes(ofFrame: next)
      next += 1
    }
    return (bytes, starts[first])
  }

  /// Adds a frame to the hash, in order: threads read adjacent parts, so that few frames wait.
  private func note(_ frame: Int, _ bytes: [UInt8]) {
    hashing.withLock { hashing in
      if frame < hashing.next { return }
      hashing.waiting[frame] = bytes
      while let next = hashing.waiting.removeValue(forKey: hashing.next) {
        hashing.hash.update(next.span)
        hashing.next += 1
      }
    }
  }

  /// Whether the content has its hash, after all of it was read. Frames that were not are read now.
  func hasItsHash() throws(KithError) -> Bool {
    guard let wantedHash else { return true }
    for frame in hashing.withLock({ $0.next })..<starts.count - 1 { _ = try bytes(ofFrame: frame) }
    return hashing.withLock { hashing in hashing.next == starts.count - 1 && hashing.hash.finalize() == wantedHash }
  }

  private func frame(at offset: Int) -> Int {
    var (low, high) = (0, starts.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  private func bytes(ofFrame frame: Int) throws(KithError) -> [UInt8] {
    if starts.count == 2 && wantedHash == nil { return try load(0) }
    let kept = recent.withLock { recent in recent.first { $0.frame == frame }?.bytes }
    if let kept { return kept }
    let bytes = try load(frame)
    if wantedHash != nil { note(frame, bytes) }
    recent.withLock { recent in
      if recent.count >= Self.keptCount { recent.removeFirst() }
      recent.append((frame, bytes))
    }
    return bytes
  }
}
