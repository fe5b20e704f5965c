extension RecoveryReport {
  /// Warnings for the operator, one sentence each; empty if the files were intact and nothing was dropped.
  ///
  /// What an earlier opening dropped is not reported again. Shared names are reported until there are none.
  public var remarks: [String] { remarks(onSnapshots: true) }

  func remarks(onSnapshots: Bool) -> [String] {
    let rest = snapshot == nil ? "the journals" : "an older one and the journals"
    let skipped = onSnapshots ? skippedSnapshots : []
    return skipped.map { "passed over \($0.name): \($0.reason); \(rest) made up for it" }
      + journals.enumerated().compactMap { place, journal in
        remark(on: journal, isLast: place == journals.count - 1)
      }
      + (acknowledged == nil && !journals.isEmpty
        ? ["ACK is missing: it is unknown whether the journals hold all that was acknowledged"] : [])
      + (sharedNames.remark.map { [$0] } ?? []) + targetRemarks
  }

  private func remark(on journal: Journal, isLast: Bool) -> String? {
    switch journal.end {
    case .clean, .superseded: nil
    case .torn(_, 0): "the end of \(journal.name) is cut off: nothing of it was acknowledged as synced"
    case .torn(_, let byteCount):
      "dropped \(byteCount) bytes of a torn frame at the end of \(journal.name): they were never acknowledged as synced"
    case .incomplete(let byteCount):
      // If another journal follows, it was reported when that one began.
      isLast ? "passed over \(journal.name), \(byteCount) bytes: a crash came before its first change" : nil
    }
  }
}
