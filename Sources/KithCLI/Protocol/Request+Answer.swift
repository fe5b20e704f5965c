import Kith

/// The reads and changes of a request.
extension Request {
  /// The answer from one version of the graph.
  func answer(from view: borrowing GraphView) throws(KithError) -> Reply {
    switch operation {
    case .graph: .read(try read(in: view).answer(view))
    case .session(let operation): try answer(operation, from: view)
    case .replica: preconditionFailure("\(operation) is not a read")
    }
  }

  /// The read that it asks for, with the users that its names mean now.
  func read(in view: borrowing GraphView) throws(KithError) -> Read {
    let fields = try fields.resolved { name, kind in view.findUser(named: name, kind: kind) }
    guard case .graph(let operation) = operation, let read = Read(operation, fields) else {
      preconditionFailure("\(operation) is not a read")
    }
    return read
  }

  private func answer(_ operation: SessionOperation, from view: borrowing GraphView) throws(KithError) -> Reply {
    switch operation {
    case .stats: return .stats(view.counts, view.memoryReport(), sequence: view.sequence, failure: nil)
    case .verify: return .problems(try view.verify(control: PassControl()))
    case .help: return .help(ShapeTable.graph.shapes(about: fields.text(.about)), nil)
    case .snapshot, .statistics, .health, .watch, .unwatch: preconditionFailure("\(operation) is not a read")
    }
  }

  /// The query as a live query; its values are the members of the JSON object that `kith query` answers. Names are
  /// looked up now, once.
  func liveQuery(_ view: borrowing GraphView) throws(KithError) -> LiveQuery<[UInt8], KithError> {
    switch operation {
    case .graph: try read(in: view).live.map { answer in json(.read(answer)) }
    case .session(let operation):
      LiveQuery { [self] (view) throws(KithError) in
        guard case .stats(let counts, let memory, _, _) = try answer(operation, from: view) else {
          return json(try answer(operation, from: view))
        }
        return json(.stats(counts, memory, sequence: nil, failure: nil))
      }
    case .replica: preconditionFailure("\(operation) is not a read")
    }
  }

  private func json(_ reply: Reply) -> [UInt8] {
    var writer = JSONWriter()
    writer.members(of: reply, to: self, in: [])
    return writer.bytes
  }
}
