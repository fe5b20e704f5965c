import Kith
import Synchronization

/// Writes and checks snapshots, compares digests with the other replicas, and says what may be removed.
final class SnapshotKeeper: Sendable {
  private let core: ReplicaCore
  private let exchange: SnapshotExchange
  private let queue = WorkQueue(isBackground: true)
  /// Digests of the state that this replica found, by position: the newest few.
  private let digests = Mutex<[(position: LogPosition, value: UInt64)]>([])
  private static let keptDigestCount = 16

  /// - Parameter directory: the replica's own; nil for none.
  init(core: ReplicaCore, directory: String?) {
    self.core = core
    exchange = SnapshotExchange(
      log: core.log, place: core.options.snapshots, directory: directory, queue: queue)
  }

  // MARK: - Comparing

  /// Compares the outcomes of all requests so far, later.
  func compareOutcomes(_ place: LogPlace) {
    Task { await compare(.outcomes, at: place.position, place.outcomeChain) }
  }

  /// Compares the state, later.
  func compareStates(_ marked: MarkedState) {
    Task {
      let value: UInt64
      do throws(KithError) {
        value = try await queue.run { () throws(KithError) in try marked.digest() }
      } catch {
        return core.note(divergence: error)
      }
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
    let reason = "\(what) at record \(position) differ from those of \(first.replica)"
    guard core.stop(at: position, reason) else { return }
    // The host may end the process when it hears of it, so the others hear of it first, if the log can be reached. What
    // was saved since the last equal digest may be wrong, too.
    try? await core.log.dissent(own, session: core.session)
    try? await exchange.removeUnverified(of: core.options.name, core.place.log)
    core.events.post(.diverged(position: position, reason: reason))
  }

  // MARK: - Writing

  /// Writes a snapshot of a marked state, and reports it to the other replicas.
  /// - Throws: `noStore` without a directory; `limitExceeded`, `system`; as the log.
  func write(_ marked: MarkedState) async throws(KithError) -> LogSnapshot {
    let (snapshot, path) = try await exchange.publish(
      marked.pin, marked.tokens, at: marked.place, as: core.options.name)
    core.note(snapshotAt: snapshot.position)
    core.events.post(.snapshotWritten(position: snapshot.position, path: path))
    try await exchange.prune(marked.place.log)
    return snapshot
  }

  // MARK: - Verifying

  /// Reads back the newest snapshot of another replica that this one has not verified, and compares its digest with
  /// that of the own state at its position.
  /// - Returns: whether there was one, and it is sound.
  func verifyNext() async throws(KithError) -> Bool {
    let name = core.options.name
    let unverified = try await exchange.shared().first { $0.writer != name && !$0.verifiers.contains(name) }
    guard var snapshot = unverified else { return false }
    guard let own = digests.withLock({ $0.first { $0.position == snapshot.position }?.value }) else { return false }
    let (file, directory) = (snapshot.name, try await exchange.fetch(snapshot))
    let found = try await queue.run { () throws(KithError) in try ReplicaSnapshot.verify(file, in: directory) }
    guard found.digest == own, found.place.chain == snapshot.chain else {
      core.events.post(.snapshotRefused(path: found.path, reason: "it is not the state of this replica there"))
      return false
    }
    snapshot.verifiers = [name]
    try await core.log.recordSnapshot(snapshot)
    core.events.post(.snapshotVerified(position: snapshot.position, path: found.path))
    try await exchange.prune(core.place.log)
    return true
  }

  // MARK: - Trimming

  /// Removes the records that no replica needs: two verified snapshots are beyond them, and every replica that was
  /// seen within a day has applied them.
  /// - Returns: the position through which records may go; 0 for none.
  @discardableResult
  func trim() async throws(KithError) -> LogPosition {
    let verified = try await core.log.snapshots().filter { !$0.verifiers.isEmpty }.map(\.position)
    guard let second = Set(verified).sorted(by: >).dropFirst().first else { return 0 }
    let applied = try await core.log.reports().live.map(\.applied).min() ?? 0
    let position = min(second, applied)
    guard position > 0 else { return 0 }
    try await core.log.trim(through: position)
    core.events.post(.trimmed(through: position))
    return position
  }
}
