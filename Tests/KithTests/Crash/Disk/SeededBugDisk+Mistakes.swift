@testable import Kith

/// Helpers that the seeded bugs need.
extension SeededBugDisk {
  /// The paths in a directory, in order; none when it cannot be read.
  func files(_ directory: String) -> [String] {
    ((try? disk.list(directory)) ?? []).map { directory.appendingPathComponent($0) }
  }

  /// Removes every snapshot but one, and the journals before it.
  func prune(before kept: String) {
    let directory = kept.parentPath
    guard let snapshot = SnapshotName(kept.lastName) else { return }
    for path in files(directory) where path != kept {
      let generation = StoreNames.generation(ofJournal: path.lastName)
      if path.isSnapshot || generation.map({ $0 < snapshot.generation }) == true { try? disk.remove(path) }
    }
    try? disk.syncDirectory(directory)
  }

  func holdsDamage(_ directory: String) -> Bool {
    files(directory).contains { path in
      do throws(KithError) {
        if path.isSnapshot { try SnapshotFile.verify(path: path, disk: disk) }
        if path.isJournal { _ = try JournalReader(path: path, disk: disk, syncing: false) }
        return false
      } catch {
        if case .corrupt = error { return true }
        return false
      }
    }
  }

  /// Gives every frame the right hash of its content.
  func mendFrames(_ buffer: inout MutableSpan<UInt8>, _ count: Int, at offset: Int64) {
    var bytes = [UInt8](repeating: 0, count: count)
    for index in 0..<count { bytes[index] = buffer[index] }
    var position = firstFrame(at: offset)
    while position < count {
      guard let frame = frame(in: bytes, at: position), position + frame.byteCount <= count else {
        position += JournalFormat.sectorByteCount
        continue
      }
      let end = position + frame.byteCount
      var hash = XXH64.hash(
        bytes.span.extracting(position..<(end - JournalFormat.checksumByteCount)), seed: frame.journalID)
      for index in (end - JournalFormat.checksumByteCount)..<end {
        buffer[index] = UInt8(truncatingIfNeeded: hash)
        hash >>= 8
      }
      position = end
    }
  }

  /// Zeroes everything from the first invalid frame on.
  func cutHole(_ buffer: inout MutableSpan<UInt8>, _ count: Int, at offset: Int64) {
    var bytes = [UInt8](repeating: 0, count: count)
    for index in 0..<count { bytes[index] = buffer[index] }
    var position = firstFrame(at: offset)
    while position < count, let frame = frame(in: bytes, at: position), position + frame.byteCount <= count,
      frame.completed(with: bytes[position..<(position + frame.byteCount)]) != nil
    {
      position += frame.byteCount
    }
    while position < count {
      buffer[position] = 0
      position += 1
    }
  }

  private func firstFrame(at offset: Int64) -> Int { max(0, JournalFormat.headerByteCount - Int(offset)) }

  private func frame(in bytes: [UInt8], at position: Int) -> StoredFrame? {
    StoredFrame(header: bytes[position...].prefix(JournalFormat.sectorByteCount), place: FilePlace(file: "", offset: 0))
  }

  /// Records a frame as acknowledged before it is written.
  func acknowledge(_ bytes: Span<UInt8>, _ journalPath: String) throws(KithError) {
    var header: [UInt8] = []
    for index in 0..<min(bytes.count, JournalFormat.sectorByteCount) { header.append(bytes[index]) }
    guard let frame = StoredFrame(header: header[...], place: FilePlace(file: "", offset: 0)) else { return }
    let generation = StoreNames.generation(ofJournal: journalPath.lastName) ?? 0
    var file = try WatermarkFile(
      directory: journalPath.parentPath, disk: disk,
      DurableWatermark(storeID: StoreID(high: 0, low: 0), sequence: 0, generation: generation))
    file.record(sequence: frame.lastSequence, generation: generation)
    file.sync()
  }
}

extension String {
  var lastName: String { split(separator: "/").last.map { String($0) } ?? "" }
  var isJournal: Bool { StoreNames.generation(ofJournal: lastName) != nil }
  var isSnapshot: Bool { SnapshotName(lastName) != nil }
  var isAcknowledgements: Bool { lastName == StoreNames.watermark }
}
