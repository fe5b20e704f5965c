import Kith
import Synchronization

/// A request on its way: submitted, sent in a record, applied.
///
/// Its submitter is answered once. What becomes of a request after it was answered with `inDoubt` is kept.
final class Request: Sendable {
  /// What became of it, and where: the results of its changes.
  struct Outcome: Sendable {
    let results: [ChangeResult]
    let position: LogPosition
    /// The state at the end of the record, for a mark.
    var marked: MarkedState?
  }

  typealias Answer = Result<Outcome, KithError>

  private struct State {
    var waiter: CheckedContinuation<Answer, Never>?
    /// What the submitter gets.
    var told: Answer?
    /// What became of it.
    var known: Answer?
  }

  /// The number by which its outcome is asked for.
  let ticket: UInt64
  /// Its entry of a record.
  let entry: [UInt8]
  let changeCount: Int
  let submitted = ContinuousClock.now
  private let state = Mutex(State())

  init(ticket: UInt64, entry: [UInt8], changeCount: Int) {
    self.ticket = ticket
    self.entry = entry
    self.changeCount = changeCount
  }

  /// Waits until it is answered.
  func wait() async -> Answer {
    await withCheckedContinuation { continuation in
      let told = state.withLock { state -> Answer? in
        if state.told == nil { state.waiter = continuation }
        return state.told
      }
      if let told { continuation.resume(returning: told) }
    }
  }

  /// Answers it. Only the first answer counts.
  func answer(_ answer: Answer) {
    tell { state in
      if state.known != nil { return nil }
      state.known = answer
      return answer
    }
  }

  /// Reports to the submitter that the outcome is not known; it may be answered later.
  func giveUp(because cause: KithError) {
    let doubt = Answer.failure(.inDoubt(ticket: ticket, cause: cause))
    tell { $0.told == nil ? doubt : nil }
  }

  private func tell(_ decide: (inout State) -> Answer?) {
    let (waiter, told) = state.withLock { state -> (CheckedContinuation<Answer, Never>?, Answer?) in
      guard let answer = decide(&state), state.told == nil else { return (nil, nil) }
      state.told = answer
      defer { state.waiter = nil }
      return (state.waiter, answer)
    }
    if let waiter, let told { waiter.resume(returning: told) }
  }

  /// What became of it, if that is known.
  var known: Answer? { state.withLock { $0.known } }
}

/// The state of a replica after a record, to be hashed or saved.
struct MarkedState: Sendable {
  let pin: SocialGraph.Pin
  let tokens: LoggedTokens
  let place: LogPlace

  /// The digest of it. What is derived is not in it, and so is compared with what it is derived of.
  /// - Parameter workers: the cores for the digest; nil for all.
  /// - Throws: `diverged` where they differ: this replica's memory is wrong, whatever the others have.
  func digest(workers: Int? = 1) throws(KithError) -> UInt64 {
    if let problem = pin.checkDerived().first { throw .diverged(position: place.position, reason: problem) }
    guard let workers else { return try pin.stateDigest(tokens) }
    return try pin.stateDigest(tokens, workers: workers)
  }
}
