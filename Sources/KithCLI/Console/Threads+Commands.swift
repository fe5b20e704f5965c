import Kith

extension Threads {
  /// Runs work on another thread.
  /// - Throws: a failure that says so, if the system gives none.
  static func begin(_ work: @escaping Work) throws(CommandFailure) {
    if !run(work) { throw .no(KithError.limitExceeded(.threads).sentence) }
  }
}
