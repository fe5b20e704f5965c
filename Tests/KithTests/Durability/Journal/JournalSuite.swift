import Testing

@testable import Kith

/// What the suites of the journal share: frames of changes, and the first journal of a store on a disk in memory.
protocol JournalSuite {}

extension JournalSuite {
  func frame(_ firstSequence: UInt64, _ changes: Change...) -> JournalFrame {
    var frame = JournalFrame(firstSequence: firstSequence)
    for change in changes { frame.append(change) }
    return frame
  }

  func reader(_ disk: MemoryDisk) throws -> JournalReader<MemoryDisk> {
    try JournalReader(path: JournalFixture.path(), disk: disk, syncing: false)
  }

  func changes(_ reader: inout JournalReader<MemoryDisk>) throws -> [[Change]] {
    var all: [[Change]] = []
    while let frame = try reader.next() {
      var changes: [Change] = []
      try frame.forEachChange { (change, _) throws(KithError) in changes.append(change) }
      #expect(changes.count == frame.count)
      all.append(changes)
    }
    return all
  }

  func writer(_ disk: MemoryDisk, growthLimit: Int = 1024) -> JournalWriter<MemoryDisk> {
    JournalWriter(
      directory: JournalFixture.directory, storeID: JournalFixture.storeID, generation: 1, firstSequence: 1,
      chainHash: 0, disk: disk, growthLimit: growthLimit)
  }
}
