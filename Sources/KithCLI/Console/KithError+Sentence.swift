import Kith

extension KithError {
  /// The description; where a command helps, with this command in place of what a host would call.
  var sentence: String {
    switch self {
    case .invalidRequest(.unreachable(let path)): Self.unreachable("the newest state", path)
    case .invalidRequest(.unreachableSequence(let sequence, let path)): Self.unreachable("change \(sequence)", path)
    case .invalidRequest(.unreachableTime(_, let path)): Self.unreachable("that time", path)
    case .invalidRequest(.tokensNeedRules(let rules)):
      "tokens need rules \(rules) of the log; update all hosts, then: kith replica upgrade"
    case .limitExceeded(.generations(let limit)):
      "the limit of \(limit) generations of a store is reached; `kith restore` makes a new one of its newest state"
    case .limitExceeded(.estimatedMemory(let path, let limit, let byteCount)):
      "the graph of \(path) would take about \(byteCount) bytes of memory; the limit is \(limit); if the file can be "
        + "trusted, allow more by --memory BYTES or Options.maximumByteCount"
    case .unavailable(.missing): "no log is there; make one: kith replica init --log URL"
    case .unavailable(.unfinished):
      "kith replica init has not put the first graph into the log; if it was interrupted, repeat it"
    case .inBatch(let index, let error): "change \(index) of the batch: \(error.sentence)"
    default: description
    }
  }

  private static func unreachable(_ state: String, _ path: String) -> String {
    let path = path.shownPath
    return "\(path): no snapshot and its journals lead to \(state); kith list \(path) tells what can be restored"
  }
}
