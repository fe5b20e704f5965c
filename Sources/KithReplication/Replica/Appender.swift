import Kith

/// Sends the requests of a replica: those that arrive while an append is running form the next record.
struct Appender: Sendable {
  let core: ReplicaCore

  /// Sends until the replica ends.
  func run() async {
    while core.end == nil {
      guard let record = core.nextRecord() else {
        await core.appending.wait()
        continue
      }
      await send(record)
    }
  }

  /// Repeats a record with the same serial until it is known whether it is in the log.
  ///
  /// A record that was certainly never written is refused after a while. One that may have been written is repeated
  /// until the log answers, or until the replica reads it: only then its serial is over. Each attempt says up to where
  /// the replica has read the log without finding it, so the log need not look there.
  private func send(_ record: ReplicaCore.SentRecord) async {
    let began = ContinuousClock.now
    let options = core.options
    var backoff = Backoff(first: options.firstPause, longest: options.longestPause)
    var mayBeWritten = false
    while core.end == nil, let base = core.base(of: record) {
      do throws(KithError) {
        let position = try await core.log.append(
          record.payload, session: core.session, serial: record.serial, base: base, hostTime: Timestamp.now())
        return core.note(record, at: position)
      } catch {
        if !Self.isWithoutEffect(error) { mayBeWritten = true }
        let isOverdue = ContinuousClock.now - began >= options.unavailableAfter
        if !mayBeWritten, isOverdue || !Self.isTransient(error) { return core.refuse(record, error) }
        core.note(record, failure: error)
      }
      await backoff.pause()
    }
  }

  /// Whether the failed attempt certainly wrote nothing.
  private static func isWithoutEffect(_ error: KithError) -> Bool {
    switch error {
    case .unavailable, .unsupportedVersion, .limitExceeded: true
    default: false
    }
  }

  private static func isTransient(_ error: KithError) -> Bool {
    if case .unavailable(.unreachable) = error { true } else { false }
  }
}
