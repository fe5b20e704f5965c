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
