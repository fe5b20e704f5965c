import Kith
import Synchronization

/// Writes and checks snapshots, compares digests with the other replicas, and says what may be removed.
final class SnapshotKeeper: Sendable {
  private let core: ReplicaCore
  /// The replica's own directory; nil for none.
  private let directory: String?
  private let queue = WorkQueue("kith.replica.snapshots", isBackground: true)
  /// Digests of the state that this replica found, by position: the newest few.
  private let digests = Mutex<[(position: LogPosition, value: UInt64)]>([])
  private static let keptDigestCount = 16

  init(core: ReplicaCore, directory: String?) {
    self.core = core
    self.directory = directory
  }

  /// Where this replica writes its snapshots.
  private var target: String? {
    if case .directory(let path) = core.options.snapshots { path } else { directory }
  }

  // MARK: - Comparing

  /// Compares the outcomes of all requests so far, later.
  func compareOutcomes(_ place: LogPlace) {
    Task { await compare(.outcomes, at: place.position, place.outcomeChain) }
  }

  /// Compares the state, later.
  func compareStates(_ marked: MarkedState) {
    Task {
      // Hashing needs no memory of its own and fails only if the graph is closed.
      guard let value = try? await queue.run({ () throws(KithError) in try marked.pin.stateDigest(workers: 1) })
      else { return }
      digests.withLock { digests in
        digests.append((marked.place.position, value))
        if digests.count > Self.keptDigestCount { digests.removeFirst() }
      }
      await compare(.state, at: marked.place.position, value)
    }
  }

  private func compare(_ kind: LogDigest.Kind, at position: LogPosition, _ value: UInt64) async {
    let own = LogDigest(position: position, kind: kind, value: value, replica: core.options.name)
    // Without the log the comparison is left out; the next one finds the same difference.
    guard let first = try? await core.log.agree(on: own), first.value != value else { return }
    let what = kind == .state ? "the state" : "the outcomes"
    core.diverge(at: position, "\(what) at record \(position) differ from those of \(first.replica)")
    // What was saved since the last equal digest may be wrong, too.
    try? removeUnverified(await snapshots())
  }

  // MARK: - Writing

  /// Writes a snapshot of a marked state, and tells the other replicas.
  /// - Throws: `noStore` without a directory; `system`; as the log.
  func write(_ marked: MarkedState) async throws(KithError) -> LogSnapshot {
    guard let target else { throw .noStore(path: "") }
    let written = try await queue.run { () throws(KithError) in
      try ReplicaSnapshot.write(marked.pin, at: marked.place, in: target, workers: 1)
    }
    let snapshot = LogSnapshot(written, writer: core.options.name)
    try await core.log.recordSnapshot(snapshot)
    core.note(snapshotAt: snapshot.position)
    core.events.post(.snapshotWritten(position: snapshot.position, path: written.path))
    try await prune()
    return snapshot
  }

  /// Removes all but the newest files.
  private func prune() async throws(KithError) {
    guard let target else { return }
    let log = core.place.log
    try await queue.run { () throws(KithError) in
      let names = try ReplicaSnapshot.names(in: target, of: log)
      try ReplicaSnapshot.remove(names.dropFirst(ReplicaOptions.keptSnapshotCount), in: target)
    }
  }

  private func snapshots() async -> [LogSnapshot] { (try? await core.log.snapshots()) ?? [] }

  /// Removes the own files that no other replica has verified.
  private func removeUnverified(_ known: [LogSnapshot]) throws(KithError) {
    guard let directory else { return }
    let sound = Set(known.filter { !$0.verifiers.isEmpty }.map(\.place))
    let names = try ReplicaSnapshot.names(in: directory, of: core.place.log)
    try ReplicaSnapshot.remove(names.filter { !sound.contains($0) }, in: directory)
  }

  // MARK: - Verifying

  /// Reads back the newest snapshot of another replica that this one has not verified, and compares its digest with
  /// that of the own state at its position.
  /// - Returns: whether there was one, and it is sound.
  func verifyNext() async throws(KithError) -> Bool {
    guard case .directory(let path) = core.options.snapshots else { return false }
    let name = core.options.name
    let unverified = try await core.log.snapshots().first { $0.writer != name && !$0.verifiers.contains(name) }
    guard var snapshot = unverified else { return false }
    let place = snapshot.place
    guard let own = digests.withLock({ $0.first { $0.position == snapshot.position }?.value }) else { return false }
    let found = try await queue.run { () throws(KithError) in try ReplicaSnapshot.verify(place, in: path) }
    guard found.digest == own, found.place.chain == snapshot.chain else {
      core.events.post(.snapshotRefused(path: found.path, reason: "it is not the state of this replica there"))
      return false
    }
    snapshot.verifiers = [name]
    try await core.log.recordSnapshot(snapshot)
    core.events.post(.snapshotVerified(position: snapshot.position, path: found.path))
    return true
  }

  // MARK: - Trimming

  /// Removes the records that no replica needs: two verified snapshots are beyond them, and every replica that the log
  /// knows has applied them.
  /// - Returns: the position through which records may go; 0 for none.
  @discardableResult
  func trim() async throws(KithError) -> LogPosition {
    let verified = try await core.log.snapshots().filter { !$0.verifiers.isEmpty }.map(\.position)
    guard let second = Set(verified).sorted(by: >).dropFirst().first else { return 0 }
    let applied = try await core.log.reports().map(\.applied).min() ?? 0
    let position = min(second, applied)
    guard position > 0 else { return 0 }
    try await core.log.trim(through: position)
    core.events.post(.trimmed(through: position))
    return position
  }
}
