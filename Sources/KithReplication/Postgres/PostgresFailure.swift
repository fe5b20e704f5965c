#if Replication
  /// Why a statement has no result.
  enum PostgresFailure: Error, Sendable {
    /// There is no connection, or it broke before anything was sent.
    case notSent(reason: String)
    /// It was sent, and its fate is unknown: the connection broke, or no answer came in time, or what it committed is
    /// not on a quorum.
    case unanswered(reason: String)
    /// The server refused it and took back what it had done.
    case refused(state: String, message: String)
    /// The connection was closed by this side.
    case closed
  }

  extension PostgresFailure {
    /// Errors of a server that is no primary any more, is stopping or has just started: another may do.
    private static let lostStates = ["25006", "57P01", "57P02", "57P03"]

    /// Whether the connection can be used again.
    var keepsConnection: Bool {
      if case .refused(let state, _) = self { !Self.lostStates.contains(state) } else { false }
    }

    var reason: String {
      switch self {
      case .notSent(let reason), .unanswered(let reason), .refused(_, let reason): reason
      case .closed: "closed"
      }
    }
  }
#endif
