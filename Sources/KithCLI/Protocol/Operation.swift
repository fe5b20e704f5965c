import Kith

/// The operations of the protocol: those of a graph, those of a session, and those that only a replica has.
enum Operation: Hashable, Sendable {
  case graph(GraphOperation)
  case session(SessionOperation)
  case replica(ReplicaOperation)

  var name: String {
    switch self {
    case .graph(let operation): operation.rawValue
    case .session(let operation): operation.rawValue
    case .replica(let operation): operation.rawValue
    }
  }

  /// Whether it is a single change, which a batch may hold.
  var isChange: Bool {
    if case .graph(let operation) = self { operation.isChange && operation != .batch } else { false }
  }

  /// Whether it reads one view of the graph, and so can be watched.
  var isQuestion: Bool {
    switch self {
    case .graph(let operation): !operation.isChange
    case .session(let operation): operation.isQuestion
    case .replica: false
    }
  }
}

extension Operation: CustomStringConvertible {
  var description: String { name }
}

/// What a session does beside the operations of a graph.
enum SessionOperation: String, CaseIterable, Sendable {
  case snapshot, stats, statistics, health, verify, watch, unwatch, help

  var isQuestion: Bool {
    switch self {
    case .stats, .verify, .help: true
    case .snapshot, .statistics, .health, .watch, .unwatch: false
    }
  }

  var fields: (required: [Field], optional: [Field]) {
    switch self {
    case .snapshot, .stats, .health, .verify: ([], [])
    case .statistics: ([], [.format])
    case .watch: ([.question], [])
    case .unwatch: ([.watch], [])
    case .help: ([], [.about])
    }
  }

  var answer: [String] {
    switch self {
    case .snapshot: ["path", "sequence"]
    case .stats: GraphComponent.allCases.map(\.rawValue) + ["sequence", "bytes", "failure"]
    case .statistics: ["metrics"]
    case .health: ["accepting", "sequence", "refusal", "failure"]
    case .verify: ["problems"]
    case .watch: ["watch"]
    case .unwatch: ["changed"]
    case .help: ["ops"]
    }
  }
}

/// What a session on a replica does beside those.
enum ReplicaOperation: String, CaseIterable, Sendable {
  case catchUp, digest, outcome, replica

  var fields: [Field] { self == .outcome ? [.token] : [] }

  var answer: [String] {
    switch self {
    case .catchUp: ["position"]
    case .digest: ["position", "digest"]
    case .outcome: ["known", "position"]
    case .replica: ["position", "newest", "connected", "server", "waiting", "snapshot", "failure", "troubles"]
    }
  }
}

extension Field {
  static let question = Field("question", .question)
  static let watch = Field("watch", .integer)
  /// How numbers are answered.
  static let format = Field("format", .choice(["json", "prometheus"]), default: .text("json"))
  static let token = Field("token", .number(0...Int64.max))
  static let atLeast = Field("atLeast", .number(0...Int64.max))
  static let requestToken = Field("requestToken", .text)
  /// Known by its name: its words are those of the table that it is in.
  static let about = Field("about", .text)
}
