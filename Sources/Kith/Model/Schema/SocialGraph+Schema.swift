extension SocialGraph {
  /// What a host says about its own network: the relations that it declares, beside the four of every graph, and the
  /// kinds of its users.
  ///
  /// A graph that is opened with a schema, even an empty one, keeps it in its files. What it lacks is declared at once,
  /// as one change; what it has stays as it is, and nothing is ever altered or removed. So a host opens its graph with
  /// the same schema each time, and adds to it when it needs more.
  ///
  /// Allowed are at most 64 relations with the four. `isEndedBy` and `endsWith` name relations that have the same ends
  /// and are declared before or together. No relation ends with itself, along whatever others, and none ends or is
  /// ended by one that it ends with.
  ///
  /// A user has a kind: `user`, unless another that is declared is given. There are at most 16 with this. A username is
  /// unique, and searched, within its kind.
  ///
  /// Encoded as a schema file: `{"relations":[…],"userKinds":["hashtag"]}`.
  public struct Schema: Hashable, Sendable {
    /// The relations, in the order in which they are declared.
    public var relations: [Relation]
    /// The kinds of users beside `user`, by name, in the order in which they are declared.
    public var userKinds: [String]

    /// Creates a schema. An empty one makes a graph with a schema, which declares nothing yet.
    public init(_ relations: [Relation] = [], userKinds: [String] = []) {
      (self.relations, self.userKinds) = (relations, userKinds)
    }

    /// The relations, each after that which it ends with.
    package var byDependence: [Relation] {
      func depth(_ relation: Relation) -> Int {
        var (depth, next) = (0, relation.endsWith)
        while let base = relations.first(where: { $0.name == next }) { (depth, next) = (depth + 1, base.endsWith) }
        return depth
      }
      return relations.map { (depth($0), $0) }.enumerated().sorted { ($0.1.0, $0.0) < ($1.1.0, $1.0) }.map(\.1.1)
    }

    /// Checks that a new graph can be opened with it.
    /// - Throws: `schemaConflict` if two relations of one name have different facts, or one of every graph has others;
    ///   `invalidRequest` for facts that are not allowed; `limitExceeded`.
    public func check() throws(KithError) { _ = try RelationTable.withoutSchema.missing(of: self) }
  }
}
