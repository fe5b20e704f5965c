/// A journal as its header and its frames describe it; nothing is replayed.
package struct JournalReport: Sendable {
  /// What follows the frames that count.
  package enum End: Hashable, Sendable {
    /// Nothing.
    case clean
    /// So many bytes that a crash had torn; none when its end was cut off, where its writer always leaves room.
    case torn(byteCount: Int64)
    /// The same, but the next file goes on where the frames end.
    case superseded(byteCount: Int64)
    /// The crash came before the first frame: there is nothing to read.
    case unborn
    /// What was read is not all, or not right.
    case damaged(Problem)

    /// One word for it.
    package var word: String {
      switch self {
      case .clean: "clean"
      case .torn: "torn"
      case .superseded: "superseded"
      case .unborn: "unborn"
      case .damaged: "damaged"
      }
    }

    /// Bytes that are in the file and count for nothing.
    package var byteCount: Int64 {
      switch self {
      case .torn(let byteCount), .superseded(let byteCount): byteCount
      case .clean, .unborn, .damaged: 0
      }
    }
  }

  /// What the header says.
  package struct Header: Sendable {
    package let formatVersion: String
    /// The store's id, 32 hexadecimal digits.
    package let storeID: String
    package let writtenAt: Timestamp
    let chainHash: UInt64
  }

  package let name: String
  package let path: String
  package let generation: UInt64
  package internal(set) var fileByteCount: Int64 = 0
  /// Nil when it cannot be read.
  package internal(set) var header: Header?
  /// The number of its first change, also when it holds none; 0 without a header.
  package internal(set) var firstSequence: UInt64 = 0
  package internal(set) var changeCount: UInt64 = 0
  /// How many writes the changes came in.
  package internal(set) var frameCount = 0
  /// Bytes of the frames, filled up to whole sectors.
  package internal(set) var frameByteCount: Int64 = 0
  /// Bytes of the changes alone.
  package internal(set) var changeByteCount: Int64 = 0
  /// When the last frame was written.
  package internal(set) var lastWrittenAt: Timestamp?
  package internal(set) var end = End.unborn
  /// Hash over the chain of all changes up to its last.
  var chainHash: UInt64 = 0

  /// The number of its last change, or of the one before its first when it holds none.
  package var lastSequence: UInt64 { firstSequence + changeCount - (firstSequence > 0 ? 1 : 0) }

  /// What is wrong with it.
  package var problem: Problem? {
    if case .damaged(let problem) = end { problem } else { nil }
  }

  // MARK: - Reading

  private init(_ generation: UInt64, in directory: String) {
    name = StoreNames.journal(generation: generation)
    path = directory.appendingPathComponent(name)
    self.generation = generation
  }

  /// What goes on after a journal.
  struct Next {
    /// The number of its first change, or of the one after its last for a snapshot.
    let sequence: UInt64
    let name: String
    /// Whether it is a snapshot that may have made up for a journal that failed.
    let heals: Bool
  }

  /// Reads a journal, as far as what goes on after it does not begin again; nil for the newest journal.
  init<D: Disk>(
    _ generation: UInt64, in directory: StoreDirectory<D>, before next: Next?
  ) throws(KithError) {
    self.init(generation, in: directory.path)
    do throws(KithError) {
      let source = try JournalSource(path: path, disk: directory.disk, syncing: false)
      fileByteCount = source.byteCount
      guard var journal = try Self.open(source) else { return }
      try read(&journal, before: next)
    } catch {
      end = .damaged(try Problem(damage: error))
    }
  }

  /// Nil when a crash came before the journal's first frame.
  private static func open<D: Disk>(_ source: JournalSource<D>) throws(KithError) -> JournalReader<D>? {
    do throws(KithError) {
      return try JournalReader(source)
    } catch {
      guard case .corrupt = error else { throw error }
      guard try JournalReader.holdsFrames(source) else { return nil }
      // Beside a writer at work, the header may have been half there a moment ago.
      return try JournalReader(source)
    }
  }

  private mutating func read<D: Disk>(
    _ journal: inout JournalReader<D>, before next: Next?
  ) throws(KithError) {
    let found = journal.header
    header = Header(
      formatVersion: found.formatVersion.description, storeID: SnapshotReport.text(ofStoreID: found.storeID),
      writtenAt: Timestamp(found.writtenAt), chainHash: found.chainHash)
    firstSequence = found.firstSequence
    chainHash = found.chainHash
    guard found.generation == generation else {
      throw .corrupt(file: path, offset: 32, reason: "it is the journal of generation \(found.generation)")
    }
    while journal.nextSequence < next?.sequence ?? .max, let frame = try journal.next() {
      try frame.forEachChange { (_, _) throws(KithError) in }
      add(frame)
      chainHash = journal.chainHash
    }
    let byteCount = try journal.tailByteCount()
    let isTorn = byteCount > 0 || journal.isCut
    // Short of where the next file begins, without a rest: it was closed before changes in bulk, which only a snapshot
    // holds. With one, it may have failed, and the snapshot after it healed it.
    if let next, journal.nextSequence > next.sequence || journal.nextSequence < next.sequence && isTorn && !next.heals {
      let rest = byteCount > 0 ? " and \(byteCount) bytes that cannot be read" : ""
      throw .corrupt(
        file: path, offset: journal.offset,
        reason: "it ends with change \(journal.nextSequence - 1)\(rest), but \(next.name) goes on with \(next.sequence)"
      )
    }
    if next == nil {
      end = isTorn ? .torn(byteCount: byteCount) : .clean
    } else {
      end = byteCount > 0 ? .superseded(byteCount: byteCount) : .clean
    }
  }

  private mutating func add(_ frame: StoredFrame) {
    frameCount += 1
    changeCount += UInt64(frame.count)
    frameByteCount += Int64(frame.byteCount)
    changeByteCount += Int64(frame.changeByteCount)
    lastWrittenAt = frame.writtenAt
  }
}

extension Problem {
  /// Damage as something to report; anything else is thrown as the error that it is.
  init(damage error: KithError) throws(KithError) {
    switch error {
    case .corrupt(let file, let offset, let reason):
      self.init(code: error.code, place: "\(file), byte \(offset)", message: reason)
    // In the place of a file of the store: a link, a FIFO, something that was never written by Kith.
    case .notAStore(let file, let reason): self.init(code: "corrupt", place: file, message: reason)
    default: throw error
    }
  }
}
