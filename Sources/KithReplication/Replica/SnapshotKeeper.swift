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
  /// Why snapshots of others cannot be used, by place.
  private let refusals = Mutex<[String: Refusal]>([:])
  private let seen = Mutex(SharedPlace.Seen())
  /// How long a snapshot that was refused is left alone.
  private static let refusalTime = Duration.seconds(30)

  private struct Refusal {
    let writer: String
    let reason: String
    let at: ContinuousClock.Instant
  }

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
    // Without the log the comparison is left out; the next one finds the same difference.
    try? await core.log.vote(
      LogDigest(position: position, kind: kind, value: value, replica: core.options.name, session: core.session))
  }

  /// Ends the replica if it is outvoted.
  func decide(_ review: LogReview) async throws(KithError) {
    let votes = try await core.log.votes()
    for own in votes where own.replica == core.options.name && own.session == core.session {
      if let other = own.outvoted(by: votes, review.reports, clock: review.health.clock) {
        return await end(own, differingFrom: other)
      }
    }
  }

  private func end(_ own: LogDigest, differingFrom other: LogDigest) async {
    let what = own.kind == .state ? "the state" : "the outcomes"
    let reason = "\(what) at record \(own.position) differ from those of \(other.replica)"
    guard core.stop(at: own.position, reason) else { return }
    // The host may end the process when it hears of it, so the others hear of it first, if the log can be reached. What
    // was saved since the last equal digest may be wrong, too.
    try? await core.log.dissent(own)
    try? await exchange.removeUnverified(of: core.options.name, core.place.log)
    core.events.post(.diverged(position: own.position, reason: reason))
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

  /// Reads back the newest snapshot of another replica that this one has not verified and can compare with its own
  /// state at that position. One that cannot be read is passed over, and tried again later.
  /// - Returns: whether there was one, and it is sound.
  func verifyNext() async throws(KithError) -> Bool {
    let name = core.options.name
    for snapshot in try await exchange.shared() where snapshot.writer != name && !snapshot.verifiers.contains(name) {
      guard let own = digests.withLock({ $0.first { $0.position == snapshot.position }?.value }),
        isDue(snapshot.place)
      else { continue }
      if try await verify(snapshot, own) { return true }
    }
    return false
  }

  private func verify(_ snapshot: LogSnapshot, _ own: UInt64) async throws(KithError) -> Bool {
    let found: ReplicaSnapshot
    do throws(KithError) {
      let (file, directory) = (snapshot.name, try await exchange.fetch(snapshot))
      found = try await queue.run { () throws(KithError) in try ReplicaSnapshot.verify(file, in: directory) }
    } catch {
      switch error {
      case .corrupt, .notAStore, .noStore, .system, .unsupportedVersion, .limitExceeded:
        refuse(snapshot, error.description)
        return false
      default: throw error
      }
    }
    guard found.digest == own, found.place.chain == snapshot.chain else {
      refuse(snapshot, "it is not the state of this replica there")
      return false
    }
    refusals.withLock { $0[snapshot.place] = nil }
    var verified = snapshot
    verified.verifiers = [core.options.name]
    try await core.log.recordSnapshot(verified)
    core.events.post(.snapshotVerified(position: snapshot.position, path: found.path))
    try await exchange.prune(core.place.log)
    return true
  }

  /// Whether a snapshot was not refused a short time ago.
  private func isDue(_ place: String) -> Bool {
    refusals.withLock { refusals in
      guard let refusal = refusals[place] else { return true }
      return ContinuousClock.now - refusal.at > Self.refusalTime
    }
  }

  /// Notes why a snapshot of another replica cannot be used, and reports it once.
  private func refuse(_ snapshot: LogSnapshot, _ reason: String) {
    let isNew = refusals.withLock { refusals in
      defer { refusals[snapshot.place] = Refusal(writer: snapshot.writer, reason: reason, at: .now) }
      return refusals[snapshot.place] == nil
    }
    if isNew { core.events.post(.snapshotRefused(path: snapshot.place, reason: reason)) }
  }

  /// What keeps the replicas from using each other's snapshots, as this one sees it; nil if nothing does.
  func problem(_ review: LogReview) -> ReplicaTrouble? {
    let known = Set(review.snapshots.filter(\.verifiers.isEmpty).map(\.place))
    let refusal = refusals.withLock { refusals in
      refusals = refusals.filter { known.contains($0.key) }
      return refusals.max { $0.key < $1.key }
    }
    if let refusal {
      return ReplicaTrouble(
        kind: .snapshots, replica: refusal.value.writer,
        reason: "its snapshot \(refusal.key) cannot be used: \(refusal.value.reason)")
    }
    guard case .directory(let path) = core.options.snapshots else {
      let others = review.reports.filter { $0.name != core.options.name && $0.isRecent(at: review.health.clock) }
      if core.options.snapshots == .log || others.isEmpty { return nil }
      return ReplicaTrouble(
        kind: .snapshots, replica: core.options.name,
        reason: "it shares no snapshots, so others cannot begin with what it has, and it checks none of theirs")
    }
    let place = SharedPlace(directory: path, log: core.place.log, name: core.options.name)
    return seen.withLock { seen in place.problem(review.reports, clock: review.health.clock, &seen) }
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
