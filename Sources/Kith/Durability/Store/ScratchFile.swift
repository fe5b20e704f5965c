/// A file for work that memory cannot hold. It has no name, so it goes with the process, however that ends.
final class ScratchFile: Sendable {
  private let disk = SystemDisk()
  private let file: SystemFile

  /// Creates the file in a directory, under a name that a writer of a store would remove, and removes the name.
  /// - Throws: `system`.
  init(in directory: String) throws(KithError) {
    let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
    let name = StoreNames.scratchPrefix + number + StoreNames.temporarySuffix
    let path = directory + "/" + name
    file = try disk.create(path)
    try disk.remove(path)
  }

  /// Writes words from an offset in bytes on.
  /// - Throws: `system`.
  func write(_ words: [UInt64], at offset: Int64) throws(KithError) {
    try words.withBytes { (bytes) throws(KithError) in try disk.write(file, at: offset, bytes) }
  }

  /// Reads words that were written, from an offset in bytes on.
  /// - Throws: `system`; `corrupt`, if the file is shorter.
  func read(at offset: Int64, into words: inout MutableSpan<UInt64>) throws(KithError) {
    let count = try words.withMutableBytes { (bytes) throws(KithError) in
      try disk.read(file, at: offset, into: &bytes)
    }
    if count < 8 * words.count { throw .corrupt(file: file.path, offset: offset, reason: "it ends early") }
  }
}
