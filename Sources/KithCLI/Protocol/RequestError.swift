import Kith

/// Why a request has no answer: an error of the graph, or a rule or limit of the protocol itself.
indirect enum RequestError: Error, Equatable {
  case graph(KithError)
  /// It breaks a rule of the protocol, in one sentence.
  case malformed(String)
  /// `kith serve` answers no more clients at once.
  case tooManyClients(limit: Int)
  /// A session watches no more queries.
  case tooManyWatches(limit: Int)
  /// What the watched queries of a session depend on takes more memory.
  case watchesTooMuch(byteLimit: Int)
  /// A change of a batch breaks a rule of the protocol.
  case inBatch(index: Int, RequestError)

  /// Runs a part of a reply on the graph.
  @discardableResult
  static func from<R>(_ body: () throws(KithError) -> R) throws(RequestError) -> R {
    do throws(KithError) { return try body() } catch { throw .graph(error) }
  }

  /// The stable name on the wire, as `KithError.code`.
  var code: String {
    switch self {
    case .graph(let error): error.code
    case .malformed: "invalidRequest"
    case .tooManyClients, .tooManyWatches, .watchesTooMuch: "limitExceeded"
    case .inBatch(_, let error): error.code
    }
  }

  /// What is wrong and what can be done, in one sentence.
  var sentence: String {
    switch self {
    case .graph(let error): error.sentence + (error.breaksJournal ? Self.repair : "")
    case .malformed(let sentence): sentence
    case .tooManyClients(let limit): "the limit of \(limit) clients at once is reached; connect again later"
    case .tooManyWatches(let limit): "the limit of \(limit) watched queries is reached; end one of them"
    case .watchesTooMuch(let limit):
      "the limit of \(limit) bytes for what watched queries depend on is reached; end one of them, or ask for shorter "
        + "pages"
    case .inBatch(let index, let error): "change \(index) of the batch: \(error.sentence)"
    }
  }

  private static let repair =
    "; changes are refused until a snapshot repairs the store, which is tried by itself, and at once by "
    + "{\"op\":\"snapshot\"}"

  /// The change of a batch that it is about.
  var index: Int? {
    switch self {
    case .graph(.inBatch(let index, _)), .inBatch(let index, _): index
    default: nil
    }
  }
}

extension KithError {
  /// Whether the system refused a write to the journal, so that changes are refused for a while.
  fileprivate var breaksJournal: Bool {
    switch self {
    case .system: true
    case .indeterminate(_, let cause), .inBatch(_, let cause): cause.breaksJournal
    default: false
    }
  }
}
