/// The records of one answer and the texts that they refer to, in one allocation: made once, never changed, read from
/// any thread for as long as somebody holds it.
///
/// Texts become `String`s when they are asked for (35 ns each): an answer of twenty posts is one allocation, not forty.
@safe struct ResultBuffer<Record: BitwiseCopyable & Sendable>: @unchecked Sendable {
  // Safety: only `init` writes, before anybody else can read.

  private final class Storage: ManagedBuffer<ResultBufferHeader, Record> {}

  private let storage: ManagedBuffer<ResultBufferHeader, Record>

  /// - Parameters:
  ///   - byteCount: how many bytes all texts take together.
  ///   - fill: sets every record, and writes every byte.
  init(recordCount: Int, byteCount: Int, _ fill: (inout ResultBufferWriter<Record>) -> Void) {
    let stride = MemoryLayout<Record>.stride
    let capacity = recordCount + (byteCount + stride - 1) / stride
    storage = Storage.create(minimumCapacity: capacity) { _ in
      ResultBufferHeader(recordCount: recordCount, byteCount: byteCount)
    }
    // Safety: the buffer has room for the records, and behind them for the bytes.
    unsafe storage.withUnsafeMutablePointerToElements { records in
      let bytes = unsafe UnsafeMutableRawPointer(records + recordCount)
      var writer = unsafe ResultBufferWriter(
        records: records, recordCount: recordCount, bytes: bytes, byteCount: byteCount)
      fill(&writer)
      writer.checkFull()
    }
  }

  var count: Int { storage.header.recordCount }

  @inline(__always)
  subscript(index: Int) -> Record {
    unsafe storage.withUnsafeMutablePointers { header, records in
      precondition(unsafe index >= 0 && index < header.pointee.recordCount, "the index is one of the answer's")
      return unsafe records[index]
    }
  }

  /// Some of the bytes, which are UTF-8, as a `String`.
  func string(at start: Int, count: Int) -> String {
    unsafe storage.withUnsafeMutablePointers { header, records in
      precondition(
        unsafe start >= 0 && count >= 0 && start + count <= header.pointee.byteCount, "the text is one of the answer's")
      let bytes = unsafe UnsafeRawPointer(records + header.pointee.recordCount) + start
      return unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
  }
}

struct ResultBufferHeader {
  let recordCount: Int
  let byteCount: Int
}

/// Fills a `ResultBuffer`: texts one after the other, records in any order.
@safe struct ResultBufferWriter<Record: BitwiseCopyable & Sendable> {
  private let records: UnsafeMutablePointer<Record>
  private let recordCount: Int
  private let bytes: UnsafeMutableRawPointer
  private let byteCount: Int
  private var written = 0

  fileprivate init(
    records: UnsafeMutablePointer<Record>, recordCount: Int, bytes: UnsafeMutableRawPointer, byteCount: Int
  ) {
    unsafe self.records = unsafe records
    self.recordCount = recordCount
    unsafe self.bytes = unsafe bytes
    self.byteCount = byteCount
  }

  @inline(__always)
  mutating func set(_ index: Int, _ record: Record) {
    precondition(index >= 0 && index < recordCount)
    unsafe records[index] = record
  }

  /// Copies a row's text behind those before it. Returns where it stands.
  @inline(__always)
  @discardableResult
  mutating func append(_ row: Int, of column: borrowing TextColumn) -> Range<Int> {
    let (start, length) = unsafe column.place(row)
    let end = written &+ length
    precondition(end <= byteCount)
    if let start = unsafe start { unsafe (bytes + written).copyMemory(from: start, byteCount: length) }
    defer { written = end }
    return unsafe Range(uncheckedBounds: (written, end))
  }

  /// Copies a text that is no row's.
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      precondition(utf8.count <= byteCount - written)
      if let start = utf8.baseAddress { unsafe (bytes + written).copyMemory(from: start, byteCount: utf8.count) }
    }
    written += text.utf8.count
  }

  fileprivate func checkFull() { precondition(written == byteCount, "every byte of an answer is written") }
}
