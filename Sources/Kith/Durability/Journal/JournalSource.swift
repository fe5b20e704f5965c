/// Buffered reads of a journal file, a megabyte at a time. The file may have a concurrent writer.
struct JournalSource<D: Disk> {
  let path: String
  /// The length of the file when it was opened, or less if it was truncated since.
  private(set) var byteCount: Int64
  private let disk: D
  private let file: D.File
  private var window: [UInt8] = []
  private var windowOffset: Int64 = 0

  private static var windowByteCount: Int { 1 << 20 }

  /// - Parameter syncing: syncs the file first and drops its cached pages. After a crash of the process alone, the page
  ///   cache may hold bytes that a failed sync never wrote.
  init(path: String, disk: D, syncing: Bool) throws(KithError) {
    self.path = path
    self.disk = disk
    file = try disk.open(path, writable: false)
    if syncing {
      try disk.sync(file)
      disk.dropCache(file)
    }
    byteCount = try disk.byteCount(of: file)
  }

  /// The `count` bytes from `offset` on, or as many as the file has. Allocates memory only for bytes that exist.
  mutating func bytes(_ count: Int, at offset: Int64) throws(KithError) -> ArraySlice<UInt8> {
    guard offset >= 0, offset < byteCount, count > 0 else { return [] }
    let count = Int(min(Int64(count), byteCount - offset))
    let start = offset - windowOffset
    if start >= 0, start <= Int64(window.count - count) {
      return window[Int(start)..<Int(start) + count]
    }
    let wanted = Int(min(Int64(max(count, Self.windowByteCount)), byteCount - offset))
    var bytes = [UInt8](repeating: 0, count: wanted)
    var span = bytes.mutableSpan
    let found = try disk.read(file, at: offset, into: &span)
    if found < wanted {
      // The writer truncated the unused space.
      byteCount = offset + Int64(found)
      bytes.removeLast(wanted - found)
    }
    if wanted <= Self.windowByteCount {
      window = bytes
      windowOffset = offset
    }
    return bytes.prefix(count)
  }

  /// Makes the next read see what the writer has written since.
  mutating func refresh() throws(KithError) {
    byteCount = try disk.byteCount(of: file)
    forgetWindow()
  }

  /// Makes the next read access the file again.
  mutating func forgetWindow() {
    window = []
  }

  /// The end of the last nonzero byte from `offset` on; `offset` if there is none.
  mutating func endOfContent(from offset: Int64) throws(KithError) -> Int64 {
    var end = offset
    var position = offset
    while true {
      let bytes = try bytes(Self.windowByteCount, at: position)
      if bytes.isEmpty { return end }
      if let last = bytes.lastIndex(where: { $0 != 0 }) { end = position + Int64(last - bytes.startIndex) + 1 }
      position += Int64(bytes.count)
    }
  }
}
