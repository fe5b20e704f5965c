@testable import Kith

/// A snapshot file: refused, or a valid graph that is the same after a round trip, also from a store.
struct SnapshotTarget: FuzzTarget {
  let name = "snapshot"
  let maximumByteCount = 64 << 10
  /// Integers take at most eight times the bytes of their encoding (`ByteStreamSplitDecoder`).
  let allocationLimitMegabytes = 8 * (Self.memoryLimit >> 20)
  /// The most that contents may decompress to; a frame of 64 KiB could hold two gigabytes.
  private static let memoryLimit = 8 << 20

  func seeds() throws -> [[UInt8]] {
    [
      try Sample.snapshot(of: GraphState()), try Sample.snapshot(of: try Sample.state()),
      try Sample.snapshot(of: try Sample.state(3)), try Sample.snapshot(of: try Sample.ring(40)),
      try Sample.snapshot(of: try Sample.ring(40, removing: true)),
      try Sample.snapshot(of: try Sample.stateWithSchema()),
    ]
  }

  func run(_ input: [UInt8]) {
    let saved: SavedGraph
    do throws(KithError) {
      saved = try Self.graph(input)
    } catch {
      Refusal.check(error)
      return
    }
    let header = saved.header
    let digest = RoundTrip.check(saved.state)
    let written = succeeds("a snapshot is written") { () throws(KithError) in
      try Sample.snapshot(header, GraphSections.sections(of: saved.state))
    }
    let again = succeeds("a snapshot that was written is read") { () throws(KithError) in
      try Self.graph(written)
    }
    require(RoundTrip.digest(of: again.state) == digest, "a snapshot comes back as another")
    checkStore(input, header)
  }

  private func checkStore(_ input: [UInt8], _ header: SnapshotHeader) {
    let name = SnapshotName(sequence: header.sequence, generation: header.generation)
    StoreCheck.check(StoreCheck.disk(["\(MemoryDisk.directory)/\(name)": input]))
  }

  private static func graph(_ bytes: [UInt8]) throws(KithError) -> SavedGraph {
    try SnapshotFile.read(bytes, path: "input", memoryLimit: memoryLimit, from: MemoryStorage())
  }

  private static func sections(_ bytes: [UInt8]) throws(KithError) -> (header: SnapshotHeader, sections: [Section]) {
    let reader = try SnapshotFileReader(
      file: bytes, path: "input", disk: MemoryStorage(), memoryLimit: memoryLimit, knownSections: GraphSections.known)
    var sections: [Section] = []
    for entry in reader.table.entries { sections.append(try reader.read(entry)) }
    return (reader.header, sections)
  }

  // MARK: - Mutations

  /// Changes the content of a section, or its description.
  func mutateMeaning(_ input: [UInt8], random: UInt32, _ mutate: ([UInt8]) -> [UInt8]) -> [UInt8]? {
    guard var file = try? Self.sections(input), !file.sections.isEmpty else { return nil }
    let place = Int(random) % file.sections.count
    file.sections[place].content = mutate(file.sections[place].content)
    switch random >> 16 & 3 {
    case 0: file.sections[place].head.elementCount = UInt64(file.sections[place].content.count)
    case 1: file.sections[place].head.elementCount &+= 1
    default: break
    }
    return try? Sample.snapshot(file.header, file.sections)
  }

  /// The hashes of header, frames and table, and the seek table, which follows from the table.
  func repair(_ input: inout [UInt8]) {
    let header = SnapshotFormat.headerByteCount
    guard input.count >= SnapshotFormat.smallestFileByteCount else { return }
    input.put(input.hash(0..<header - 8), at: header - 8)
    let entryCount = input.word(at: input.count - 9)
    let seekTable =
      input.count - SnapshotFormat.seekTableFixedByteCount - SnapshotFormat.seekEntryByteCount * entryCount
    guard entryCount >= 2, seekTable >= header else { return }
    let table = seekTable - input.word(at: input.count - 9 - SnapshotFormat.seekEntryByteCount)
    let frameCount = entryCount - 2
    let frames = seekTable - 8 - SnapshotFormat.frameEntryByteCount * frameCount
    guard table >= header, frames > table else { return }
    var offset = header
    for frame in 0..<frameCount {
      let entry = frames + frame * SnapshotFormat.frameEntryByteCount
      let end = offset + input.word(at: entry)
      guard end <= table else { break }
      input.put(input.hash(offset..<end), at: entry + 8)
      input.put(
        input.number(at: entry, byteCount: 8), at: seekTable + 8 + (frame + 1) * SnapshotFormat.seekEntryByteCount)
      offset = end
    }
    input.put(input.hash(0..<header), at: table + 32)
    input.put(input.hash(table..<seekTable - 8), at: seekTable - 8)
  }
}
