extension SocialGraph {
  /// Reads past changes from the store's journal, in order, each with its sequence number. For an observer that missed
  /// changes, or that resumes after a restart.
  ///
  /// Journals are kept while one of the two newest snapshots may need them. They do not contain bulk changes.
  /// - Throws: `KithError.closed`; `noStore` if the graph has no journal; `invalidRequest` if the journal lacks a part
  ///   of the range (`body` has then received the changes before the first gap); `corrupt`, `system`; the errors of
  ///   `body`.
  /// - Complexity: O(journals with these changes). Memory: one frame.
  public func journaledChanges(
    in range: ClosedRange<UInt64>, _ body: (Change, UInt64) throws(KithError) -> Void
  ) throws(KithError) {
    var walk = try journalWalk(from: range.lowerBound)
    while walk.nextSequence <= range.upperBound {
      let first = walk.nextSequence
      guard case .frame(let frame) = try walk.next() else {
        throw .invalidRequest(.notInJournal(sequence: first))
      }
      try frame.forEachNumberedChange { (change, sequence) throws(KithError) in
        if first...range.upperBound ~= sequence { try body(change, sequence) }
      }
    }
  }
}

/// The changes that another process makes to its store, read from the journal as they are written.
///
/// Takes no lock. A frame is seen once it is written, which in a synced store is just before it is synced.
package struct StoreFollower {
  package enum Step: Sendable {
    /// Changes that were recorded together, and the sequence number of the first.
    case changes([Change], first: UInt64)
    /// No new changes.
    case nothing
    /// Changes that the journal no longer holds.
    case missed(ClosedRange<UInt64>)
  }

  private var walk: JournalWalk<SystemDisk>

  /// - Parameter sequence: the sequence number of the first change to read.
  /// - Throws: `noStore`, `notAStore`.
  package init(_ store: String, from sequence: UInt64) throws(KithError) {
    let directory = StoreDirectory(store, disk: SystemDisk())
    _ = try directory.openForReading()
    walk = JournalWalk(directory, from: sequence)
  }

  /// The changes in the journals after those already returned.
  package mutating func next() throws(KithError) -> Step {
    let first = walk.nextSequence
    switch try walk.next() {
    case .end: return .nothing
    case .missed(let range): return .missed(range)
    case .frame(let frame):
      var changes: [Change] = []
      try frame.forEachNumberedChange { (change, sequence) throws(KithError) in
        if sequence >= first { changes.append(change) }
      }
      return .changes(changes, first: max(first, frame.firstSequence))
    }
  }
}

extension StoredFrame {
  fileprivate func forEachNumberedChange(
    _ body: (Change, UInt64) throws(KithError) -> Void
  ) throws(KithError) {
    var sequence = firstSequence
    try forEachChange { (change, _) throws(KithError) in
      try body(change, sequence)
      sequence += 1
    }
  }
}
