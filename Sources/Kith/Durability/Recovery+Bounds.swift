/// What a state that was recovered must not be: older than what the store is known to have reached, or another instant
/// than was asked for.
extension Recovery {
  /// Refuses a state that is older than what the store is known to have reached.
  func checkBounds(_ recovered: inout Recovered, _ damage: Damage?) throws(KithError) {
    let sequence = recovered.state.sequence
    let isTime = if case .time = point { true } else { false }
    if recovered.hasArrived || recovered.isCut {
      guard sequence > 0, recovered.hasArrived || isTime else { throw point.unreachable(in: directory.path) }
      return
    }
    let path = directory.path.appendingPathComponent(StoreNames.acknowledgements)
    if let acknowledgement {
      let storeID = recovered.storeID ?? acknowledgement.storeID
      guard storeID == acknowledgement.storeID else {
        throw .corrupt(file: path, offset: 8, reason: "it belongs to another store")
      }
      recovered.storeID = storeID
      recovered.report.acknowledged = acknowledgement.sequence
    }
    // A snapshot has its name only once it is on the disk, all of it: so its name tells what was reached.
    if let damage, sequence < damage.name.sequence { throw directory.advised(damage.error, about: damage.name) }
    if let acknowledgement, sequence < acknowledgement.sequence {
      let place = tornPlace(recovered.report) ?? FilePlace(file: path, offset: 0)
      throw place.corrupt(
        "changes up to \(acknowledgement.sequence) were acknowledged, but only those up to \(sequence) can be read")
    }
    if acknowledgement == nil, let place = tornPlace(recovered.report) {
      throw place.corrupt("\(path) is missing, and without it nobody can tell whether what is torn was acknowledged")
    }
    if case .sequence = point { throw point.unreachable(in: directory.path) }
  }

  /// Where changes may have stood that were dropped.
  private func tornPlace(_ report: RecoveryReport) -> FilePlace? {
    for journal in report.journals.reversed() {
      let path = directory.path.appendingPathComponent(journal.name)
      switch journal.end {
      case .clean, .superseded: continue
      case .torn(let offset, _): return FilePlace(file: path, offset: offset)
      case .unborn: return FilePlace(file: path, offset: 0)
      }
    }
    return nil
  }

  func nextGeneration() throws(KithError) -> UInt64 {
    let highest = max(
      contents.snapshots.map(\.generation).max() ?? 0, contents.journals.last ?? 0, acknowledgement?.generation ?? 0)
    guard highest < JournalFormat.numberLimit else {
      throw .corrupt(file: directory.path, offset: 0, reason: "no generation comes after \(highest)")
    }
    return highest + 1
  }
}
