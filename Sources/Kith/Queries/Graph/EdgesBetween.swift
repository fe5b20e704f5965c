extension Node {
  /// The edges between a node and another, by the names of their relations, in the order of the schema.
  public struct Edges: Hashable, Codable, Sendable {
    /// Edges from the node to the other.
    public let to: [String]
    /// Edges from the other to the node, without those of relations that their source alone sees, but with blocks.
    public let from: [String]

    /// Edges, for previews and tests.
    public init(to: [String] = [], from: [String] = []) {
      self.to = to
      self.from = from
    }
  }
}

/// The edges of all relations between a node and others.
struct EdgesBetween: Query {
  let node: Node
  let others: [Node]
  var operation: GraphOperation { .edges }

  func run(_ state: borrowing GraphState) throws(KithError) -> [Node.Edges] {
    for end in Relation.End.allCases { try SocialGraph.Limits.check(idCount: others.count { $0.end == end }) }
    let own = try state.row(of: node)
    // Of each relation in use: itself, and whether an edge to the node is named.
    let asked = state.kinds.sorted { $0.number < $1.number }.map { kind in
      let relation = state.relations[kind]
      return (kind: kind, relation: relation, isNamed: relation.visibility != .source || kind == .block)
    }
    var found: [Node.Edges] = []
    found.reserveCapacity(others.count)
    for other in others {
      let row = try state.row(of: other)
      var (to, from): ([String], [String]) = ([], [])
      for (kind, relation, isNamed) in asked {
        if relation.source == node.end, relation.target == other.end, state.hasEdge(kind, own, row) {
          to.append(relation.name)
        }
        if isNamed, relation.source == other.end, relation.target == node.end, state.hasEdge(kind, row, own) {
          from.append(relation.name)
        }
      }
      found.append(Node.Edges(to: to, from: from))
    }
    return found
  }

  func dependencies(of edges: [Node.Edges]) -> [QueryDependency] {
    QueryDependency.anyEdges(of: node) + others.flatMap { other in QueryDependency.anyEdges(of: other) }
  }
}
