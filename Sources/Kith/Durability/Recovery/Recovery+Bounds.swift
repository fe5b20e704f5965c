/// Checks of a recovered state: it must not be older than what the store is known to have reached, and must match the
/// recovery target.
extension Recovery {
  /// Rejects a state that is older than what the store is known to have reached.
  func checkBounds(_ recovered: inout Recovered, _ damage: Damage?) throws(KithError) {
    let sequence = recovered.state.sequence
    recovered.report.acknowledged = acknowledgement?.sequence
    if recovered.hasReachedTarget || recovered.isCut {
      guard sequence > 0, recovered.hasReachedTarget || sequence == bound.sequence else {
        throw point.unreachable(in: directory.path)
      }
      return
    }
    let path = directory.path.appendingPathComponent(StoreNames.watermark)
    if let acknowledgement {
      let storeID = recovered.storeID ?? acknowledgement.storeID
      guard storeID == acknowledgement.storeID else {
        throw .corrupt(file: path, offset: 8, reason: "it belongs to another store")
      }
      recovered.storeID = storeID
    }
    // A snapshot gets its name only once it is completely synced, so its name proves what was reached.
    if let damage, sequence < damage.name.sequence { throw directory.advised(damage.error, about: damage.name) }
    if let acknowledgement, sequence < acknowledgement.sequence {
      let place = tornPlace(recovered.report) ?? FilePlace(file: path, offset: 0)
      throw place.corrupt(
        "changes up to \(acknowledgement.sequence) were acknowledged, but only those up to \(sequence) can be read")
    }
    if acknowledgement == nil, let place = tornPlace(recovered.report) {
      throw place.corrupt("\(path) is missing, and without it, it is unknown whether the torn change was acknowledged")
    }
    if case .sequence = point { throw point.unreachable(in: directory.path) }
  }

  /// The place of changes that may have been dropped.
  private func tornPlace(_ report: RecoveryReport) -> FilePlace? {
    for journal in report.journals.reversed() {
      let path = directory.path.appendingPathComponent(journal.name)
      switch journal.end {
      case .clean, .superseded: continue
      case .torn(let offset, _): return FilePlace(file: path, offset: offset)
      case .incomplete: return FilePlace(file: path, offset: 0)
      }
    }
    return nil
  }

  /// The generation of the next writer. For reading, none need be left.
  func nextGeneration() throws(KithError) -> UInt64 {
    let highest = max(
      contents.snapshots.map(\.generation).max() ?? 0, contents.journals.last ?? 0, acknowledgement?.generation ?? 0)
    if isWriter { try JournalFormat.checkGeneration(highest, rising: 1) }
    return highest + 1
  }
}
