@testable import Kith

/// Damage to the medium, after the last session of a store: any loss must be reported.
extension CrashRun {
  private enum Damage: Int, CaseIterable {
    case flippedBit, truncation, lostFile, everyFileFlipped, everyFileButTheBoundLost, strayWrite
  }

  /// Half of the time after a clean close, when the watermark in `ACK` is exact: then any loss must be refused.
  /// Otherwise the last frame may be taken for a torn one, and no more than that.
  func damage() throws(CrashFailure) {
    let isClean = draw.seldom(2)
    place = "reopening before damage"
    let before = simulated.withVolume { $0 }
    let promised = history.acknowledged
    try reopen(closing: isClean)
    // A closed store is completely on the medium; an open one is in the state that a crash leaves.
    let sound = isClean ? simulated.withVolume { $0 } : before
    for number in 0..<5 {
      let common: [Damage] = [.flippedBit, .flippedBit, .truncation, .lostFile]
      let kind = draw.pick(number < 3 ? common : Damage.allCases)
      simulated.withVolume { $0 = sound }
      simulated.restart(after: .kill)
      let hasBothSlots = hasBothSlots()
      guard let file = harm(kind) else { return }
      place = "damage \(kind) to \(file), \(isClean ? "closed" : "crashed")"
      let bound = isClean ? history.acknowledged : boundOfCrashed(kind, file, promised: promised)
      try examine(kind, file, atLeast: bound, hasBothSlots: hasBothSlots)
    }
  }

  /// Reads the store once more before it is damaged; with `closing`, works on it and ends without a crash.
  private func reopen(closing: Bool) throws(CrashFailure) {
    guard let session = try open() else { throw failure("an opening failed without a fault") }
    if !closing { return }
    do throws(KithError) {
      for _ in 0..<(1 + draw.below(6)) {
        for _ in 0..<(1 + draw.below(3)) { try change(session) }
        try commit(session)
        if draw.seldom(5) { try snapshot(session) }
      }
      try close(session)
    } catch {
      throw failure("a call failed without a fault: \(error.description)")
    }
  }

  /// Returns the file that was damaged, or a description of several; nil if there is none yet.
  private func harm(_ kind: Damage) -> String? {
    let files = simulated.withVolume { volume in
      volume.names.keys.sorted().compactMap { path -> (String, Int)? in
        guard case .file(let inode) = volume.node(at: path), !volume.inodes[inode].cache.isEmpty else { return nil }
        return (path, inode)
      }
    }
    if files.isEmpty { return nil }
    let (path, inode) = draw.pick(files)
    switch kind {
    case .flippedBit: flipBit(inode)
    case .truncation: simulated.withVolume { $0.damage(inode) { $0.removeLast(1 + draw.below($0.count)) } }
    case .lostFile: simulated.withVolume { $0.lose(path) }
    case .everyFileFlipped: for (_, inode) in files { flipBit(inode) }
    case .everyFileButTheBoundLost:
      let lost = files.map(\.0).filter { !$0.hasSuffix("/" + StoreNames.watermark) }
      simulated.withVolume { for path in lost { $0.lose(path) } }
    case .strayWrite:
      // A sector with the content of another one: a misdirected write.
      simulated.withVolume { volume in
        volume.damage(inode) { bytes in
          let sector = SimulatedVolume.sectorByteCount
          guard bytes.count >= 2 * sector else { return }
          let (from, to) = (draw.below(bytes.count / sector) * sector, draw.below(bytes.count / sector) * sector)
          for index in 0..<sector { bytes[to + index] = bytes[from + index] }
        }
      }
    }
    return kind == .everyFileFlipped || kind == .everyFileButTheBoundLost ? "all" : path
  }

  private func flipBit(_ inode: Int) {
    simulated.withVolume { volume in
      volume.damage(inode) { $0[draw.below($0.count)] ^= 1 << UInt8(draw.below(8)) }
    }
  }

  private func examine(_ kind: Damage, _ file: String, atLeast bound: UInt64, hasBothSlots: Bool) throws(CrashFailure) {
    tally.damageCount += 1
    let session: CrashSession<D>
    do throws(KithError) {
      session = try CrashSession(wrap(simulated, draw.random.next()))
    } catch {
      tally.refusedDamageCount += 1
      // One damaged snapshot loses nothing: there is an older one, or every journal. The exception is a snapshot that
      // healed a broken journal, whose changes it alone holds. One damaged slot of the watermark loses nothing either.
      let isBound = kind == .flippedBit && file.isAcknowledgements && hasBothSlots
      let isSpare = file.isSnapshot && !history.wasHealed
      if isBound || isSpare { throw failure("not survived: \(error.description)") }
      return
    }
    if !session.report.skippedSnapshots.isEmpty { tally.olderSnapshotCount += 1 }
    try check(session, atLeast: bound)
  }

  /// What must be left of a store that crashed and was damaged before it was opened again.
  /// - Parameter promised: what callers knew to be durable at the crash; an opening, which this medium has not seen,
  ///   may have found more.
  private func boundOfCrashed(_ kind: Damage, _ file: String, promised: UInt64) -> UInt64 {
    // The last frame looks torn, and `ACK` may be behind it or have lost the slot that knew.
    if kind == .everyFileFlipped || (file.isJournal && kind == .flippedBit) { return history.acknowledgedBefore }
    // The only slot that knew.
    if file.isSnapshot && kind == .lostFile && history.wasHealed && history.wasBoundLost { return 0 }
    // A snapshot that got its name, but whose caller got no acknowledgement, may be the only file with changes that no
    // journal holds.
    if file.isSnapshot && kind == .lostFile { return promised }
    return file.isJournal || file == "all" ? 0 : history.acknowledged
  }

  /// Whether both slots of the watermark are valid: a crash may have torn one.
  private func hasBothSlots() -> Bool {
    let path = CrashSession<D>.directoryPath.appendingPathComponent(StoreNames.watermark)
    guard let bytes = try? simulated.content(path) else { return false }
    let slot = WatermarkFile<D>.slotByteCount
    return [0, slot].allSatisfy { start in
      guard bytes.count >= start + slot else { return false }
      let hashed = start + slot - JournalFormat.checksumByteCount
      let hash = bytes[hashed..<(start + slot)].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      return hash == XXH64.hash(bytes.span.extracting(start..<hashed))
    }
  }
}
