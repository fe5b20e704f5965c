@testable import Kith
@testable import KithCLI

/// A target whose input is all files of a store: see `StoreInput`.
protocol StoreTarget: FuzzTarget {
  func run(_ input: StoreInput)
}

extension StoreTarget {
  var maximumByteCount: Int { StoreInput.maximumByteCount }
  /// The limits of one snapshot.
  var allocationLimitMegabytes: Int { SnapshotTarget().allocationLimitMegabytes }

  func run(_ input: [UInt8]) { run(StoreInput(input)) }

  func repair(_ input: inout [UInt8]) {
    var files = StoreInput(input)
    files.mend()
    input = files.bytes
  }

  /// Changes the meaning of one file, the name of one, or the target.
  func mutateMeaning(_ input: [UInt8], random: UInt32, _ mutate: ([UInt8]) -> [UInt8]) -> [UInt8]? {
    var input = StoreInput(input)
    if input.files.isEmpty { return nil }
    let place = Int(random) % (input.files.count + 3)
    let instants = random >> 5 & 1 == 0 ? Self.extremes : Self.instants(of: input)
    let instant = instants[Int(random >> 8) % instants.count]
    if place == input.files.count {
      input.instant = instant
      input.flags = UInt8(truncatingIfNeeded: random >> 16)
    } else if place > input.files.count {
      let file = Int(random >> 16) % input.files.count
      if random >> 4 & 1 == 0 { input.files[file].sequence = instant } else { input.files[file].generation = instant }
      // Repairing would undo it.
      return input.bytes
    } else {
      let content = input.files[place].content
      input.files[place].content =
        input.files[place].target.mutateMeaning(content, random: random >> 4, mutate) ?? mutate(content)
    }
    input.mend()
    return input.bytes
  }

  /// Numbers and times in and about the sample's stores.
  private static func instants(of input: StoreInput) -> [UInt64] {
    (0...UInt64(Sample.changes.count + 1)).map(\.self) + input.files.map(\.sequence)
      + (0...40).map { StoreSamples.beginning + $0 }
  }

  private static var extremes: [UInt64] { [0, 1, JournalFormat.numberLimit, JournalFormat.numberLimit + 1, .max] }

  func seeds() throws -> [[UInt8]] { try StoreSamples.all().map(\.bytes) }

  /// The JSON and the text of a report: neither traps, with any numbers.
  func checkOutput(_ text: String, _ write: (inout JSONWriter) -> Void) {
    require(text.utf8.last == UInt8(ascii: "\n"), "a text does not end its line")
    var writer = JSONWriter()
    writer.object(write)
    require((try? JSONReader.parse(writer.bytes)) != nil, "not JSON: \(String(decoding: writer.bytes, as: UTF8.self))")
  }
}

/// Stores to begin with, written by the engine.
enum StoreSamples {
  /// The clock's time at the first write; then a millisecond more each time.
  static let beginning: UInt64 = 1_700_000_000_000
  private static let growthLimit = 1024

  static func all() throws(KithError) -> [StoreInput] {
    var inputs = [try store(snapshotAfter: []), try store(snapshotAfter: [2]), try store(snapshotAfter: [1, 3, 4])]
    // Incomplete ones, as after pruning and damage.
    var parts = inputs[2]
    parts.files.removeAll { $0.kind == .watermark }
    inputs.append(parts)
    parts.files.removeAll { $0.kind == .snapshot }
    inputs.append(parts)
    inputs.append(StoreInput(inputs[2].files.filter { $0.kind == .snapshot }))
    var timed = inputs[1]
    timed.flags = 1
    timed.instant = beginning + 3
    inputs.append(timed)
    return inputs
  }

  /// The sample's changes in six writes, with a snapshot after some of them.
  private static func store(snapshotAfter: Set<Int>) throws(KithError) -> StoreInput {
    let disk = MemoryDisk()
    var journal = JournalWriter(
      directory: MemoryDisk.directory, storeID: Sample.storeID, generation: 1, firstSequence: 1, chainHash: 0,
      disk: disk, growthLimit: growthLimit)
    var watermark = try WatermarkFile(
      directory: MemoryDisk.directory, disk: disk,
      DurableWatermark(storeID: Sample.storeID, sequence: 0, generation: 1))
    var state = GraphState()
    var files: [StoreInput.File] = []
    for write in 0..<6 {
      var frame = JournalFrame(firstSequence: state.sequence + 1)
      for change in Sample.changes[write * 5..<min(write * 5 + 5, Sample.changes.count)] {
        _ = try state.apply(change)
        frame.append(change)
      }
      let time = Timestamp(Int64(beginning) + Int64(write))
      try journal.append(frame, at: time)
      watermark.record(sequence: journal.syncedThrough, generation: journal.generation)
      guard snapshotAfter.contains(write) else { continue }
      try journal.rotate(to: journal.generation + 1)
      let header = SnapshotHeader(
        storeID: Sample.storeID, sequence: state.sequence, generation: journal.generation,
        chainHash: journal.chainHash, writtenAt: time.rawValue, unicodeVersion: Folding.unicodeVersion,
        hasSchema: state.relations.hasSchema)
      files.append(
        .init(
          kind: .snapshot, sequence: header.sequence, generation: header.generation,
          content: try Sample.snapshot(header, GraphSections.sections(of: state))))
    }
    try journal.close()
    watermark.close()
    for generation in 1...journal.generation {
      guard let content = disk[StoreCheck.journal(generation)] else { continue }
      files.append(.init(kind: .journal, generation: generation, content: content))
    }
    files.append(.init(kind: .watermark, content: disk[StoreCheck.watermark] ?? []))
    return StoreInput(files)
  }
}
