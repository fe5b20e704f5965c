/// The records of one result, and the texts that they refer to, in one allocation. Immutable; may be read from any
/// thread.
///
/// A text becomes a `String` when it is read (35 ns). A result of twenty posts is one allocation, not forty.
///
/// Records are trivial. They are not required to be `BitwiseCopyable`, though structures of C are: a module that
/// imports Kith for tests does not find that conformance (Swift 6.3: "not found in referenced module").
@safe struct ResultBuffer<Record: Sendable>: @unchecked Sendable {
  // Safety: only a writer writes, before the buffer is shared.

  private let storage: ManagedBuffer<ResultBufferHeader, Record>

  /// What a writer has filled.
  @inline(__always)
  init(_ writer: ResultBufferWriter<Record>) {
    writer.checkFull()
    storage = writer.storage
  }

  var count: Int { storage.header.recordCount }

  @inline(__always)
  subscript(index: Int) -> Record {
    unsafe storage.withUnsafeMutablePointers { header, records in
      precondition(unsafe index >= 0 && index < header.pointee.recordCount, "the index is one of the result's")
      return unsafe records[index]
    }
  }

  /// Keeps another result beside this one, such as the authors beside posts. Before the buffer is shared.
  func attach<Other>(_ other: ResultBuffer<Other>) { storage.header.attached = other.storage }

  /// The result that was attached; nil if there is none.
  func attached<Other>(_ type: Other.Type) -> ResultBuffer<Other>? {
    guard let attachment, let storage = attachment as? ManagedBuffer<ResultBufferHeader, Other> else { return nil }
    return ResultBuffer<Other>(storage)
  }

  /// What was attached: another result, or something that has it.
  var attachment: AnyObject? {
    // By its address, which takes no check for exclusive access: most results have none attached.
    unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee.attached }
  }

  /// Whether both are views of one result.
  func isSame(as other: ResultBuffer) -> Bool { storage === other.storage }

  /// The same records and texts, with something else attached.
  func copy(attaching object: AnyObject?) -> ResultBuffer {
    let (recordCount, byteCount) = (storage.header.recordCount, storage.header.byteCount)
    let stride = MemoryLayout<Record>.stride
    let capacity = recordCount + (byteCount + stride - 1) / stride
    let copy = ResultStorage<Record>.create(minimumCapacity: capacity) { _ in
      ResultBufferHeader(recordCount: recordCount, byteCount: byteCount, attached: object)
    }
    // Safety: both have the capacity for the records, which are trivial, and for the bytes behind them.
    unsafe storage.withUnsafeMutablePointerToElements { source in
      unsafe copy.withUnsafeMutablePointerToElements { target in
        unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: recordCount * stride + byteCount)
      }
    }
    return ResultBuffer(copy)
  }

  private init(_ storage: ManagedBuffer<ResultBufferHeader, Record>) { self.storage = storage }

  /// A range of the bytes, which are UTF-8, as a `String`.
  func string(at start: Int, count: Int) -> String {
    unsafe storage.withUnsafeMutablePointers { header, records in
      precondition(
        unsafe start >= 0 && count >= 0 && start + count <= header.pointee.byteCount, "the text is one of the result's")
      let bytes = unsafe UnsafeRawPointer(records + header.pointee.recordCount) + start
      return unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
  }
}

extension ResultBuffer {
  /// A range of the bytes.
  func bytes(at start: Int, count: Int) -> [UInt8] {
    unsafe storage.withUnsafeMutablePointers { header, records in
      precondition(
        unsafe start >= 0 && count >= 0 && start + count <= header.pointee.byteCount, "the bytes are the result's")
      let bytes = unsafe UnsafeRawPointer(records + header.pointee.recordCount) + start
      return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }
  }

  /// Some of the records, and all texts, in memory.
  func raw(_ range: Range<Int>) -> RawResult<Record> {
    precondition(range.upperBound <= count, "the records are the result's")
    // Safety: the elements of a managed buffer do not move, and are not written any more.
    return unsafe storage.withUnsafeMutablePointers { header, records in
      unsafe RawResult(
        records: UnsafePointer(records + range.lowerBound), count: range.count,
        texts: UnsafeRawPointer(records + header.pointee.recordCount), byteCount: header.pointee.byteCount)
    }
  }
}

/// The records of a result and the texts that they refer to, for a caller that holds the result while it reads them:
/// the C library hands them out as they are.
@unsafe package struct RawResult<Record: Sendable> {
  package let records: UnsafePointer<Record>
  package let count: Int
  package let texts: UnsafeRawPointer
  package let byteCount: Int
}

struct ResultBufferHeader {
  let recordCount: Int
  let byteCount: Int
  /// The storage of another result; nil for most.
  var attached: AnyObject?
}

private final class ResultStorage<Record>: ManagedBuffer<ResultBufferHeader, Record> {}

/// Fills a `ResultBuffer`: texts in sequence, records in any order.
///
/// A value that is filled in place. A closure that fills is not inlined everywhere: 25 instructions a record.
@safe struct ResultBufferWriter<Record: Sendable> {
  fileprivate let storage: ManagedBuffer<ResultBufferHeader, Record>
  private let records: UnsafeMutablePointer<Record>
  private let recordCount: Int
  private let bytes: UnsafeMutableRawPointer
  private let byteCount: Int
  private var written = 0

  /// - Parameter byteCount: the total bytes of all texts. Every one is to be written, and every record set.
  @inline(__always)
  init(recordCount: Int, byteCount: Int) {
    assert(_isPOD(Record.self), "a record is copied byte by byte")
    // A thousand posts take 66 MB, so only a missing limit could exceed this.
    demand(byteCount <= UInt32.max, "the texts of a result take less than 4 GiB: its records hold offsets of 32 bits")
    let stride = MemoryLayout<Record>.stride
    let capacity = recordCount + (byteCount + stride - 1) / stride
    storage = ResultStorage<Record>.create(minimumCapacity: capacity) { _ in
      ResultBufferHeader(recordCount: recordCount, byteCount: byteCount)
    }
    self.recordCount = recordCount
    self.byteCount = byteCount
    // Safety: the buffer has capacity for the records, followed by the bytes. Its elements do not move, and it is kept.
    unsafe records = storage.withUnsafeMutablePointerToElements { unsafe $0 }
    unsafe bytes = UnsafeMutableRawPointer(records + recordCount)
  }

  @inline(__always)
  func set(_ index: Int, _ record: Record) {
    precondition(index >= 0 && index < recordCount)
    unsafe records[index] = record
  }

  /// Changes a record that was set.
  @inline(__always)
  func update(_ index: Int, _ change: (inout Record) -> Void) {
    precondition(index >= 0 && index < recordCount)
    unsafe change(&records[index])
  }

  /// Appends a text, which may be compressed. Returns where.
  @inline(__always)
  mutating func append(_ text: StoredText, of column: borrowing TextColumn) -> Range<Int> {
    if text.reference < TextColumn.firstCompressed { return unsafe append(text.start, text.byteCount) }
    let end = written &+ text.byteCount
    precondition(end <= byteCount)
    unsafe column.decode(text.reference, to: bytes + written)
    defer { written = end }
    return unsafe Range(uncheckedBounds: (written, end))
  }

  /// Appends a plain text by its reference. Returns where.
  @inline(__always)
  mutating func append(_ reference: UInt64, of column: borrowing TextColumn) -> Range<Int> {
    assert(reference < TextColumn.firstCompressed, "a compressed text has no bytes in place")
    let text = column.stored(reference)
    return unsafe append(text.start, text.byteCount)
  }

  @inline(__always)
  private mutating func append(_ start: UnsafeRawPointer?, _ length: Int) -> Range<Int> {
    let end = written &+ length
    precondition(end <= byteCount)
    if let start = unsafe start { unsafe Self.copy(start, to: bytes + written, length) }
    defer { written = end }
    return unsafe Range(uncheckedBounds: (written, end))
  }

  /// Copies a text. One of 8 to 16 bytes, as most names are, or of 32 to 160, as most posts are, is copied in pieces:
  /// a call takes longer, and branches on the length, which is mispredicted.
  @inline(__always)
  @unsafe private static func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ length: Int) {
    if length >= 8 && length <= 16 {
      unsafe copy(2, UInt64.self, source, to: target, length)
    } else if length >= 32 && length <= 160 {
      unsafe copy(5, SIMD32<UInt8>.self, source, to: target, length)
    } else {
      unsafe target.copyMemory(from: source, byteCount: length)
    }
  }

  /// Copies a text of at least one piece. The last pieces overlap.
  @inline(__always)
  @unsafe private static func copy<Piece: BitwiseCopyable>(
    _ count: Int, _ type: Piece.Type, _ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ length: Int
  ) {
    let size = MemoryLayout<Piece>.size
    for index in 0..<count {
      let place = min(size &* index, length &- size)
      unsafe target.storeBytes(
        of: source.loadUnaligned(fromByteOffset: place, as: type), toByteOffset: place, as: type)
    }
  }

  /// Appends a text that belongs to no row. Returns where.
  @discardableResult
  mutating func append(_ text: String) -> Range<Int> {
    let start = written
    var text = text
    text.withUTF8 { utf8 in
      precondition(utf8.count <= byteCount - written)
      if let start = utf8.baseAddress { unsafe (bytes + written).copyMemory(from: start, byteCount: utf8.count) }
    }
    written += text.utf8.count
    return start..<written
  }

  fileprivate func checkFull() { precondition(written == byteCount, "every byte of a result is written") }
}
