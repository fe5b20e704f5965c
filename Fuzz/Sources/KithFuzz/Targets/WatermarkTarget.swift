@testable import Kith

/// The file `ACK` of a store with one valid journal: refused, or the graph of that journal.
struct WatermarkTarget: FuzzTarget {
  let name = "ack"
  let maximumByteCount = 2 << 10
  let allocationLimitMegabytes = 2
  private static let expected = succeeds("the sample is made") { () throws(KithError) in
    let state = try Sample.state()
    return (
      journal: try JournalTarget.journal([Sample.changes]), sequence: state.sequence,
      digest: RoundTrip.digest(of: state)
    )
  }

  func seeds() throws -> [[UInt8]] {
    try [0, 7, Self.expected.sequence].map { sequence in
      let disk = StoreCheck.disk([:])
      var file = try WatermarkFile(
        directory: MemoryDisk.directory, disk: disk,
        DurableWatermark(storeID: Sample.storeID, sequence: 0, generation: 1))
      file.record(sequence: sequence, generation: 1)
      return disk[StoreCheck.watermark] ?? []
    }
  }

  func run(_ input: [UInt8]) {
    let expected = Self.expected
    let disk = StoreCheck.disk([StoreCheck.journal(1): expected.journal, StoreCheck.watermark: input])
    guard let found = StoreCheck.check(disk) else { return }
    require(found == (expected.sequence, expected.digest), "ACK changes what the journal says")
  }

  /// The hashes of both slots.
  func repair(_ input: inout [UInt8]) {
    let slot = JournalFormat.sectorByteCount
    for start in [0, slot] where input.count >= start + slot {
      input.put(input.hash(start..<start + slot - 8), at: start + slot - 8)
    }
  }
}
