import CBaseline

/// A file on the same disk as a store, for bare writes and syncs; and directories and threads to measure with.
///
/// Each `unsafe` here lends an array or a string to one call of the baseline, which reads within its length.
final class JournalBaseline {
  private let file: Int32
  private let byteCount: Int
  private var offset = 0
  private let bytes = [UInt8](repeating: 0x5A, count: 1 << 20)

  /// A file of `byteCount` zeros that are on the disk.
  init(in directory: String, byteCount: Int) throws {
    self.byteCount = byteCount
    file = unsafe baseline_create("\(directory)/kith-benchmarks-baseline", Int64(byteCount))
    if file < 0 { throw Unusable(directory: directory) }
  }

  struct Unusable: Error { let directory: String }

  /// Writes this many bytes, each time the next ones of the file, and optionally syncs them; returns how many.
  @inline(__always)
  func write(_ count: Int, syncing: Bool) -> Int {
    if offset + count > byteCount { offset = 0 }
    let failed =
      unsafe baseline_write(file, bytes, Int64(count), Int64(offset)) != 0 || (syncing && baseline_sync(file) != 0)
    precondition(!failed, "the disk refuses a write of the baseline")
    offset += count
    return count
  }

  /// A descriptor whose bytes go nowhere. It stays open.
  static func openNowhere() -> Int32 {
    let file = baseline_open_nowhere()
    precondition(file >= 0, "/dev/null can be written")
    return file
  }

  /// Lends a new directory below `parent`, which is removed afterwards.
  static func withDirectory<R>(in parent: String, _ body: (String) throws -> R) throws -> R {
    var name = Array("\(parent)/kith-benchmarks-XXXXXX".utf8CString)
    guard unsafe name.withUnsafeMutableBufferPointer({ unsafe baseline_make_directory($0.baseAddress) }) else {
      throw Unusable(directory: parent)
    }
    let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unsafe baseline_remove_directory(path) }
    return try body(path)
  }

  /// Calls `body` with 0 ..< count at once, each on a thread of its own.
  static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let box = Box(body)
    let context = unsafe Unmanaged.passUnretained(box).toOpaque()
    let begun = unsafe baseline_run_threads(
      Int32(count),
      { context, number in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().body(Int(number))
      }, context)
    withExtendedLifetime(box) {}
    precondition(begun, "so many threads cannot be begun")
  }

  private final class Box {
    let body: @Sendable (Int) -> Void
    init(_ body: @escaping @Sendable (Int) -> Void) { self.body = body }
  }
}
