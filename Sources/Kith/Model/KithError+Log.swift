extension KithError {
  /// Why the log of a replicated graph takes no record, or cannot be read.
  @nonexhaustive
  public enum LogProblem: Sendable, Hashable {
    /// No server can be reached. The reason is the client library's own, without a password.
    case unreachable(reason: String)
    /// There is no log at the URL.
    case missing
    /// The log has no first graph yet.
    case unfinished
    /// The log has no quorum configured, so that a record could be lost.
    case quorumMissing
    /// The clocks of the host and of the log are this far apart.
    case clockSkew(milliseconds: Int64)
    /// The log refused the call, in the server's own words.
    case refused(reason: String)
    /// Too many requests wait: the replica has applied the log only up to this position.
    case overloaded(position: UInt64)
  }
}

extension KithError.LogProblem: CustomStringConvertible {
  /// One sentence: what is wrong with the log.
  public var description: String {
    switch self {
    case .unreachable(let reason): "the log cannot be reached: \(reason)"
    case .missing: "no log is there; make one first"
    case .unfinished: "the log has no first graph yet; if making it was interrupted, repeat that"
    case .quorumMissing: "the log has no synchronous standby; set synchronous_standby_names"
    case .clockSkew(let milliseconds):
      "the clocks of this host and of the log are \(milliseconds) ms apart; set them right"
    case .refused(let reason): "the log refused the call: \(reason)"
    case .overloaded(let position): "too many requests wait, the log is applied up to position \(position); try later"
    }
  }
}
