@testable import Kith

/// The files of a store as one input: the settings, and then each file with its name.
///
/// A byte of flags, eight bytes of a target; of each file a byte for its kind, its two numbers of eight bytes, its
/// length in four, and its content.
struct StoreInput {
  enum Kind: UInt8, CaseIterable { case snapshot, journal, watermark }

  struct File {
    var kind: Kind
    /// Of a snapshot.
    var sequence: UInt64 = 0
    /// Of a snapshot or a journal.
    var generation: UInt64 = 0
    var content: [UInt8]

    var path: String {
      switch kind {
      case .snapshot: "\(MemoryDisk.directory)/\(SnapshotName(sequence: sequence, generation: generation))"
      case .journal: StoreCheck.journal(generation)
      case .watermark: StoreCheck.watermark
      }
    }

    /// The target that repairs and mutates it.
    var target: any FuzzTarget {
      switch kind {
      case .snapshot: SnapshotTarget()
      case .journal: JournalTarget()
      case .watermark: WatermarkTarget()
      }
    }
  }

  /// The most that sections of snapshots may decompress to.
  static let memoryLimit = 8 << 20
  static let maximumByteCount = 96 << 10
  private static let headByteCount = 9
  private static let fileHeadByteCount = 21

  var flags: UInt8 = 0
  var instant: UInt64 = 0
  var files: [File] = []

  init(_ files: [File]) { self.files = files }

  /// Accepts any bytes: a part that is too short is cut off.
  init(_ bytes: [UInt8]) {
    flags = UInt8(truncatingIfNeeded: bytes.number(at: 0, byteCount: 1))
    instant = bytes.number(at: 1, byteCount: 8)
    var offset = Self.headByteCount
    while offset + Self.fileHeadByteCount <= bytes.count {
      let kind = Kind.allCases[Int(bytes[offset]) % Kind.allCases.count]
      let start = offset + Self.fileHeadByteCount
      let end = min(bytes.count, start + bytes.word(at: start - 4))
      files.append(
        File(
          kind: kind, sequence: bytes.number(at: offset + 1, byteCount: 8),
          generation: bytes.number(at: offset + 9, byteCount: 8), content: Array(bytes[start..<end])))
      offset = end
    }
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(flags)
    writer.append(instant)
    for file in files {
      writer.append(file.kind.rawValue)
      writer.append(file.sequence)
      writer.append(file.generation)
      writer.append(UInt32(file.content.count))
      writer.append(file.content)
    }
    return writer.bytes
  }

  /// A disk with the files, and a lock; of several with one name, the last.
  var disk: MemoryDisk {
    StoreCheck.disk(Dictionary(files.map { ($0.path, $0.content) }) { _, last in last })
  }

  var point: RecoveryTarget { flags & 1 == 0 ? .sequence(max(1, instant)) : .time(Timestamp(bitPattern: instant)) }

  /// The components of a partial restore; nil for all.
  var parts: Set<GraphComponent>? {
    if flags & 2 == 0 { return nil }
    return Set(
      GraphComponent.allCases.enumerated().filter { flags >> UInt8(2 + $0.offset % 6) & 1 == 1 }.map(\.element))
  }
}

extension Timestamp {
  fileprivate init(bitPattern: UInt64) { self.init(Int64(bitPattern: bitPattern)) }
}

// MARK: - Repair

/// Where a file continues: after a change, with the chain hash up to it.
struct ChainLink {
  var sequence: UInt64 = 0
  var chainHash: UInt64 = 0
}

extension StoreInput {
  /// Recomputes the hashes of every file, and gives it the name that follows from its content. Then, unless the highest
  /// flag is set, it repairs the references between files: their store id, and after which change each continues.
  mutating func mend() {
    for place in files.indices { files[place].mend() }
    if flags & 0x80 != 0 { return }
    // In the order of their generations; a snapshot begins one.
    let order = files.indices.sorted {
      (files[$0].generation, files[$0].kind.rawValue) < (files[$1].generation, files[$1].kind.rawValue)
    }
    var link = ChainLink()
    for place in order { files[place].goOn(from: &link) }
  }
}

extension StoreInput.File {
  fileprivate mutating func mend() {
    target.repair(&content)
    switch kind {
    case .snapshot:
      sequence = content.number(at: 40, byteCount: 8)
      generation = content.number(at: 48, byteCount: 8)
    case .journal: generation = content.number(at: 32, byteCount: 8)
    case .watermark: break
    }
  }

  /// Makes it a file of the sample's store that continues from `link`, and sets `link` for the next one.
  fileprivate mutating func goOn(from link: inout ChainLink) {
    switch kind {
    case .snapshot:
      content.put(storeID: Sample.storeID, at: 24)
      content.put(link.sequence, at: 40)
      content.put(link.chainHash, at: 56)
      sequence = link.sequence
      target.repair(&content)
    case .journal:
      content.put(storeID: Sample.storeID, at: 16)
      content.put(link.sequence + 1, at: 40)
      content.put(link.chainHash, at: 48)
      link = JournalTarget.renumber(&content, after: link)
    case .watermark:
      for slot in [0, JournalFormat.sectorByteCount] { content.put(storeID: Sample.storeID, at: slot + 8) }
      target.repair(&content)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func put(storeID: StoreID, at offset: Int) {
    put(storeID.high, at: offset)
    put(storeID.low, at: offset + 8)
  }
}
