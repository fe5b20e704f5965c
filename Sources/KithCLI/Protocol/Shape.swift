import Kith

/// The fields of an operation and of its answer.
struct Shape: Sendable {
  let operation: Operation
  let required: [Field]
  let optional: [Field]

  /// All possible members of its answer, beside `ok` and the tag.
  let answer: [String]

  fileprivate init(_ operation: Operation, words: [String], isReplica: Bool) {
    self.operation = operation
    var extra = isReplica ? [Field.atLeast] : []
    switch operation {
    case .graph(let graph):
      if isReplica && graph.isChange { extra.append(.requestToken) }
      (required, optional) = (graph.fields.required, graph.fields.optional + extra)
      answer = graph.answer + (isReplica && graph.isChange ? ["position"] : [])
    case .session(let session):
      let fields = session.fields.optional.map { $0 == .about ? Field($0.name, .choice(words)) : $0 }
      (required, optional) = (session.fields.required, fields + extra)
      answer = isReplica && session == .snapshot ? ["position"] : session.answer
    case .replica(let replica): (required, optional, answer) = (replica.fields, extra, replica.answer)
    }
  }

  func field(named name: String) -> Field? {
    required.first { $0.name == name } ?? optional.first { $0.name == name }
  }
}

/// The operations of a session by name: the table checks requests, and `help` prints it.
struct ShapeTable: Sendable {
  /// In the order of the protocol's page.
  let shapes: [Shape]
  private let byName: [String: Shape]

  /// Of sessions on a graph.
  static let graph = ShapeTable(isReplica: false)
  /// Of sessions on a replica: every request may wait for a position, every change may have a token.
  static let replica = ShapeTable(isReplica: true)

  private init(isReplica: Bool) {
    let operations =
      GraphOperation.allCases.map(Operation.graph) + SessionOperation.allCases.map(Operation.session)
      + (isReplica ? ReplicaOperation.allCases.map(Operation.replica) : [])
    let words = operations.map(\.name)
    shapes = operations.map { Shape($0, words: words, isReplica: isReplica) }
    byName = Dictionary(uniqueKeysWithValues: shapes.map { ($0.operation.name, $0) })
  }

  subscript(_ name: String) -> Shape? { byName[name] }

  /// The shape of one operation, or of all.
  func shapes(about name: String?) -> [Shape] { shapes.filter { name == nil || $0.operation.name == name } }
}
