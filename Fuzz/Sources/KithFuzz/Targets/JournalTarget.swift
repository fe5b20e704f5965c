@testable import Kith

/// The one journal of a store: refused, or a valid graph to which changes can be added.
struct JournalTarget: FuzzTarget {
  let name = "journal"
  let maximumByteCount = 48 << 10
  /// A journal is read by the megabyte, and grows by one.
  let allocationLimitMegabytes = 2

  func seeds() throws -> [[UInt8]] {
    let all = Sample.changes
    return [
      try Self.journal([all]), try Self.journal(all.map { [$0] }), try Self.journal([Array(all.prefix(5))]),
      try Self.journal([Array(all.prefix(9)), Array(all[9..<20]), Array(all[20...])]),
      try Self.journal(Sample.changesWithSchema.map { [$0] }, hasSchema: true),
    ]
  }

  /// A journal file with these frames.
  static func journal(_ frames: [[Change]], hasSchema: Bool = false) throws(KithError) -> [UInt8] {
    let disk = MemoryDisk()
    var writer = JournalWriter(
      directory: MemoryDisk.directory, storeID: Sample.storeID, generation: 1, firstSequence: 1, chainHash: 0,
      disk: disk, growthLimit: 1024, hasSchema: hasSchema)
    var sequence: UInt64 = 1
    for changes in frames {
      var frame = JournalFrame(firstSequence: sequence)
      for change in changes { frame.append(change) }
      sequence = frame.nextSequence
      try writer.append(frame, at: 1_700_000_000_000)
    }
    try writer.close()
    return disk[StoreCheck.journal(1)] ?? []
  }

  func run(_ input: [UInt8]) {
    let disk = StoreCheck.disk([StoreCheck.journal(1): input])
    let storeID = StoreID(high: input.number(at: 16, byteCount: 8), low: input.number(at: 24, byteCount: 8))
    succeeds("ACK is made") { () throws(KithError) in
      _ = try WatermarkFile(
        directory: MemoryDisk.directory, disk: disk, DurableWatermark(storeID: storeID, sequence: 0, generation: 0))
    }
    StoreCheck.check(disk)
  }

  // MARK: - Mutations

  /// The changes of one frame.
  func mutateMeaning(_ input: [UInt8], random: UInt32, _ mutate: ([UInt8]) -> [UInt8]) -> [UInt8]? {
    let frames = Self.frames(of: input)
    if frames.isEmpty { return nil }
    let place = Int(random) % frames.count
    let changes = mutate(Self.changes(of: frames[place], in: input))
    var count = 0
    var reader = ByteReader(changes, file: "")
    while reader.remaining > 0, (try? ChangeCoding.journal.read(&reader)) != nil { count += 1 }
    var mutated = Array(input[..<frames[place].lowerBound])
    let frame = Array(input[frames[place]])
    mutated += Array(frame[..<JournalFormat.frameHeaderByteCount]) + changes
    let byteCount = JournalFormat.frameByteCount(changeByteCount: changes.count)
    let start = frames[place].lowerBound
    mutated += [UInt8](repeating: 0, count: start + byteCount - mutated.count)
    mutated.put(UInt64(byteCount), at: start + 4, byteCount: 4)
    mutated.put(UInt64(count), at: start + 8, byteCount: 4)
    mutated.put(UInt64(changes.count), at: start + 12, byteCount: 4)
    mutated += input[frames[place].upperBound...]
    _ = Self.renumber(&mutated, after: ChainLink())
    return mutated
  }

  /// Numbers the frames in order, recomputes the hashes, and returns where the next journal continues.
  static func renumber(_ input: inout [UInt8], after link: ChainLink) -> ChainLink {
    var link = link
    for frame in frames(of: input) {
      input.put(link.sequence + 1, at: frame.lowerBound + 16)
      link.sequence += UInt64(input.word(at: frame.lowerBound + 8))
    }
    Self().repair(&input)
    for frame in frames(of: input) {
      let hash = input.number(at: frame.upperBound - JournalFormat.checksumByteCount, byteCount: 8)
      link.chainHash = JournalFormat.chain(link.chainHash, hash)
    }
    return link
  }

  /// The header's hash, the journal's id in every frame, and the frames' hashes.
  func repair(_ input: inout [UInt8]) {
    let header = JournalFormat.headerByteCount
    guard input.count >= header else { return }
    let id = input.hash(0..<header - 8)
    input.put(id, at: header - 8)
    for frame in Self.frames(of: input) {
      input.put(id, at: frame.lowerBound + 24)
      input.put(input.hash(frame.lowerBound..<frame.upperBound - 8, seed: id), at: frame.upperBound - 8)
    }
  }

  /// The offsets of frames, by their magic words and lengths.
  private static func frames(of input: [UInt8]) -> [Range<Int>] {
    var frames: [Range<Int>] = []
    var offset = JournalFormat.headerByteCount
    while offset + JournalFormat.sectorByteCount <= input.count {
      let byteCount = input.word(at: offset + 4)
      if input.word(at: offset) == Int(JournalFormat.frameMagic), byteCount % JournalFormat.sectorByteCount == 0,
        byteCount > 0, offset + byteCount <= input.count
      {
        frames.append(offset..<offset + byteCount)
        offset += byteCount
      } else {
        offset += JournalFormat.sectorByteCount
      }
    }
    return frames
  }

  private static func changes(of frame: Range<Int>, in input: [UInt8]) -> [UInt8] {
    let start = frame.lowerBound + JournalFormat.frameHeaderByteCount
    let end = min(start + input.word(at: frame.lowerBound + 12), frame.upperBound - JournalFormat.checksumByteCount)
    return Array(input[start..<max(start, end)])
  }
}
