extension SocialGraph {
  /// Hands out changes of the past from the store's journal, in order, each with its number: for an observer that
  /// missed them, or that goes on after a restart where it stopped.
  ///
  /// Journals are kept as long as one of the two newest snapshots may need them; changes made in bulk are in none.
  /// Errors: `noStore` for a graph that keeps no journal, `invalidRequest` when the journal does not hold all of the
  /// range (those that it does hold before the first gap are handed out first), `corrupt`, `system`, and those of
  /// `body`.
  /// - Complexity: O(the journals that hold them). Memory: one frame.
  public func journaledChanges(
    in range: ClosedRange<UInt64>, _ body: (Change, UInt64) throws(KithError) -> Void
  ) throws(KithError) {
    var walk = try journalWalk(from: range.lowerBound)
    while walk.nextSequence <= range.upperBound {
      let first = walk.nextSequence
      guard case .frame(let frame) = try walk.next() else {
        throw .invalidRequest(reason: "the journal holds no change \(first); read the graph as it is instead")
      }
      try frame.forEachNumberedChange { (change, sequence) throws(KithError) in
        if first...range.upperBound ~= sequence { try body(change, sequence) }
      }
    }
  }
}

/// The changes that another process makes to its store, as they get into the journal.
///
/// No lock is taken. A frame is seen when it was written, which for a synced store is just before it is on the disk.
package struct StoreFollower {
  package enum Step: Sendable {
    /// Changes that were recorded together, and the number of the first.
    case changes([Change], first: UInt64)
    /// Nothing new.
    case nothing
    /// The journal holds these no more.
    case missed(ClosedRange<UInt64>)
  }

  private var walk: JournalWalk<SystemDisk>

  /// - Parameters:
  ///   - sequence: the first change wanted.
  ///
  /// Errors: `noStore`, `notAStore`.
  package init(_ store: String, from sequence: UInt64) throws(KithError) {
    let directory = StoreDirectory(store, disk: SystemDisk())
    _ = try directory.openForReading()
    walk = JournalWalk(directory, from: sequence)
  }

  /// What the journals hold beyond what was given before.
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
