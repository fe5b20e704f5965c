/// A journal as described by its header and frames; nothing is replayed.
package struct JournalReport: Sendable {
  /// What follows the valid frames.
  package enum End: Hashable, Sendable {
    /// Nothing.
    case clean
    /// This many bytes of a torn frame; 0 if the zeros that the writer always leaves at the end are missing.
    case torn(byteCount: Int64)
    /// The same, but the next file continues where the frames end.
    case superseded(byteCount: Int64)
    /// A crash came before the first frame: there is nothing to read.
    case incomplete
    /// The journal is incomplete or damaged.
    case damaged(SocialGraph.Violation)

    /// The end as one word.
    package var word: String {
      switch self {
      case .clean: "clean"
      case .torn: "torn"
      case .superseded: "superseded"
      case .incomplete: "unborn"
      case .damaged: "damaged"
      }
    }

    /// The bytes in the file that belong to no valid frame.
    package var byteCount: Int64 {
      switch self {
      case .torn(let byteCount), .superseded(let byteCount): byteCount
      case .clean, .incomplete, .damaged: 0
      }
    }
  }

  /// The content of the header.
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
  /// Nil if it cannot be read.
  package internal(set) var header: Header?
  /// The sequence number of its first change, even if it holds none; 0 without a header.
  package internal(set) var firstSequence: UInt64 = 0
  package internal(set) var changeCount: UInt64 = 0
  /// The number of frames (writes).
  package internal(set) var frameCount = 0
  /// The bytes of the frames, including padding to whole sectors.
  package internal(set) var frameByteCount: Int64 = 0
  /// The bytes of the changes alone.
  package internal(set) var changeByteCount: Int64 = 0
  /// The time of the last frame.
  package internal(set) var lastWrittenAt: Timestamp?
  /// Its changes by the times of its frames.
  package private(set) var activity = ChangeActivity()
  /// Where the clock went back within the journal.
  package private(set) var clockSteps = ClockSteps()
  package internal(set) var end = End.incomplete
  /// The chain hash after its last change.
  var chainHash: UInt64 = 0

  /// The sequence number of its last change; of the one before its first if it holds none.
  package var lastSequence: UInt64 { firstSequence + changeCount - (firstSequence > 0 ? 1 : 0) }

  /// The damage, if any.
  package var problem: SocialGraph.Violation? {
    if case .damaged(let problem) = end { problem } else { nil }
  }

  // MARK: - Reading

  private init(_ generation: UInt64, in directory: String) {
    name = StoreNames.journal(generation: generation)
    path = directory.appendingPathComponent(name)
    self.generation = generation
  }

  /// The file that continues a journal.
  struct Next {
    /// The number of its first change; for a snapshot, of the one after its last.
    let sequence: UInt64
    let name: String
    /// Whether it is a snapshot that may have replaced a failed journal.
    let mayReplace: Bool
  }

  /// Reads a journal up to where the next file begins; `next` is nil for the newest journal.
  init<D: Disk>(
    _ generation: UInt64, in directory: StoreDirectory<D>, before next: Next?
  ) throws(KithError) {
    self.init(generation, in: directory.path)
    do throws(KithError) {
      let source = try JournalSource(path: path, disk: directory.disk, syncing: false)
      fileByteCount = source.byteCount
      guard var journal = try JournalReader.begun(source) else { return }
      try read(&journal, before: next)
    } catch {
      end = .damaged(try SocialGraph.Violation(damage: error))
    }
  }

  private mutating func read<D: Disk>(
    _ journal: inout JournalReader<D>, before next: Next?
  ) throws(KithError) {
    let found = journal.header
    header = Header(
      formatVersion: found.formatVersion.description, storeID: found.storeID.description,
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
    // If the journal ends cleanly before the next file begins, it was closed before bulk changes, which only a snapshot
    // holds. If it ends with a torn frame, it may have failed, and the next snapshot recovered the store.
    if let next,
      journal.nextSequence > next.sequence || journal.nextSequence < next.sequence && isTorn && !next.mayReplace
    {
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
    activity.add(frame.count, at: frame.writtenAt)
    clockSteps.pass(frame.firstSequence, at: frame.writtenAt)
  }
}

extension SocialGraph.Violation {
  /// Converts damage to a violation. Rethrows any other error.
  init(damage error: KithError) throws(KithError) {
    switch error {
    case .corrupt(let file, let offset, let reason):
      self.init(code: error.code, place: "\(file), byte \(offset)", message: reason)
    // A link, a FIFO or a foreign file in place of a store's file.
    case .notAStore(let file, let reason): self.init(code: "corrupt", place: file, message: reason)
    default: throw error
    }
  }
}
