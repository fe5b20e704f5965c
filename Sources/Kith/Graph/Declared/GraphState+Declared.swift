/// Edges of the relations that a host declares: how they are validated and placed, made, and ended.
extension GraphState {
  /// The relations that have an index: the four of every graph, and the declared ones that are in use.
  var kinds: [RelationKind] { RelationKind.allCases + declared.uses.map(\.kind) }

  /// The name of a relation's edges: `follows`, or the name that the host gave.
  func name(of kind: RelationKind) -> String {
    Int(kind.number) < Relation.builtIn.count ? kind.plural : relations[kind].name
  }

  /// The row of a node.
  /// - Throws: `unknownUser`, `unknownPost`.
  func row(of node: Node) throws(KithError) -> UInt32 {
    switch node {
    case .user(let id): try userRow(id)
    case .post(let id): try postRow(id)
    }
  }

  /// The user of a node: of a post, its author.
  func user(_ row: UInt32, _ end: Relation.End) -> UInt32 {
    switch end {
    case .user: row
    case .post: posts.authors[row]
    }
  }

  /// Whether there is an edge of any relation.
  func hasEdge(_ kind: RelationKind, _ source: UInt32, _ target: UInt32) -> Bool {
    timestamp(kind, source, target) != nil
  }

  /// The timestamp of an edge of any relation; nil if there is none.
  ///
  /// Not by the subscript, whose coroutine allocates at each call.
  func timestamp(_ kind: RelationKind, _ source: UInt32, _ target: UInt32) -> UInt32? {
    switch kind {
    case .follow: follows.timestamp(source, target)
    case .like: likes.timestamp(source, target)
    case .block: blocks.timestamp(source, target)
    case .mute: mutes.timestamp(source, target)
    default: declared.timestamp(kind, source, target)
    }
  }

  /// The number of edges of any relation that lead from a row.
  func targetCount(_ kind: RelationKind, _ source: UInt32) -> Int { isInUse(kind) ? self[kind].targetCount(source) : 0 }

  /// Whether a relation has an index.
  func isInUse(_ kind: RelationKind) -> Bool { Int(kind.number) < Relation.builtIn.count || declared.has(kind) }

  /// Declares the schema of a change that was placed.
  mutating func declare(_ change: Change) {
    guard case .declare(let schema) = change else { preconditionFailure("the edit is of another change") }
    do throws(KithError) {
      if let table = try relations.adding(schema) { relations = table }
    } catch {
      preconditionFailure("a schema is checked before it is declared")
    }
  }

  /// Declares the schema of a new graph in memory.
  mutating func mustDeclare(_ schema: SocialGraph.Schema) {
    do throws(KithError) { _ = try apply(.declare(schema)) } catch { preconditionFailure(error.description) }
  }

  // MARK: - Completing

  /// Fills in what a change of any relation leaves to the engine. One of a relation that has a verb becomes that of the
  /// verb. Nil for other changes.
  /// - Throws: `noSchema`, `unknownRelation`, `invalidRequest`.
  func completeDeclared(_ change: Change, now: () -> Timestamp) throws(KithError) -> Change? {
    switch change {
    case .addEdge(let relation, let source, let target, let time):
      let known = try known(relation)
      guard let kind = known.kind, joins(known, source, target) else { return change }
      guard Int(kind.number) < Relation.builtIn.count else {
        return .addEdge(known, from: source, to: target, at: known.hasTime ? time ?? now() : time)
      }
      // Before the rules of the verb: the order of errors is that of edges.
      _ = try ends(known, source, target)
      if !kind.facts.hasTime && time != nil { throw .invalidRequest(.edgeTimeUnused(relation: known.name)) }
      let edge = EdgeChange(kind, UserID(source.rawValue), target.rawValue, at: time)
      return try complete(Change(edge), now: now)
    case .removeEdge(let relation, let source, let target):
      let known = try known(relation)
      guard let kind = known.kind, joins(known, source, target) else { return change }
      guard Int(kind.number) < Relation.builtIn.count else { return .removeEdge(known, from: source, to: target) }
      return Change(EdgeChange(kind, UserID(source.rawValue), target.rawValue, adds: false))
    case .declare: throw .invalidRequest(.declaredAtOpen)
    default: return nil
    }
  }

  /// A relation as this graph has it.
  /// - Throws: `noSchema`, `unknownRelation`.
  func known(_ relation: Relation) throws(KithError) -> Relation {
    if !relations.hasSchema { throw .noSchema }
    return try relations.known(relation)
  }

  private func joins(_ relation: Relation, _ source: Node, _ target: Node) -> Bool {
    relation.source == source.end && relation.target == target.end
  }

  // MARK: - Placing

  /// The rows of the nodes of an edge.
  /// - Throws: `noSchema`, `unknownRelation`, `unknownUser`, `unknownPost`, `invalidRequest` for nodes of other types.
  private func ends(
    _ relation: Relation, _ source: Node, _ target: Node
  ) throws(KithError) -> (kind: RelationKind, source: UInt32, target: UInt32) {
    let known = try known(relation)
    let rows = (try row(of: source), try row(of: target))
    guard joins(known, source, target), let kind = known.kind else {
      throw .invalidRequest(.edgeEnds(relation: known.name, needed: known.needs))
    }
    return (kind, rows.0, rows.1)
  }

  /// The same of a relation without a verb: an edge of one that has a verb is placed as the verb's change (`complete`).
  private func declaredEnds(
    _ relation: Relation, _ source: Node, _ target: Node
  ) throws(KithError) -> (kind: RelationKind, source: UInt32, target: UInt32) {
    let found = try ends(relation, source, target)
    guard Int(found.kind.number) >= Relation.builtIn.count else { throw .unknownRelation(relation.name) }
    return found
  }

  /// The addition of an edge of a declared relation; nil if it has no effect.
  func adding(
    _ relation: Relation, _ source: Node, _ target: Node, at time: Timestamp?
  ) throws(KithError) -> Edit? {
    let (kind, source, target) = try declaredEnds(relation, source, target)
    let facts = relations[kind]
    let timestamp = try timestamp(of: facts, time, createdAt: Timestamp(posts.time(source)))
    if facts.source == facts.target && source == target {
      throw .invalidRequest(.edgeToItself(relation: facts.name))
    }
    if facts.isThread { throw .invalidRequest(.threadEdge(relation: facts.name)) }
    if facts.source == .user, facts.visibility != .source, blocks.count > 0,
      isBlocked(source, user(target, facts.target))
    {
      throw .blocked
    }
    let rules = relations.rules(of: kind)
    if let base = rules.base, !hasEdge(base, source, target) { throw .missingEdge(relations[base].name) }
    for barring in rules.barring {
      if hasEdge(barring, source, target) || barring == .block && hasEdge(.block, target, source) { return nil }
    }
    if !declared.has(kind) { return .begin(kind, source: source, target: target, timestamp: timestamp) }
    return insertion(kind, source, target, timestamp).map { .add(kind, $0) }
  }

  private func insertion(
    _ kind: RelationKind, _ source: UInt32, _ target: UInt32, _ timestamp: UInt32
  ) -> Adjacency.EdgeEdit? {
    let relation = relations[kind]
    return switch relation.source {
    case .user: self[kind].insertion(source, target, timestamp: timestamp, order: users.identifiers.ids)
    case .post where relation.hasTime:
      self[kind].insertion(source, target, timestamp: timestamp, order: posts.identifiers.ids)
    case .post: self[kind].insertion(source, target, timestamp: timestamp, order: posts)
    }
  }

  /// The removal of an edge of a declared relation; nil if there is none.
  func removing(_ relation: Relation, _ source: Node, _ target: Node) throws(KithError) -> Edit? {
    let (kind, source, target) = try declaredEnds(relation, source, target)
    let relation = relations[kind]
    if relation.isThread { throw .invalidRequest(.threadEdge(relation: relation.name)) }
    if !declared.has(kind) { return nil }
    let edge =
      switch relation.source {
      case .user: self[kind].removal(source, target, order: users.identifiers.ids)
      case .post where relation.hasTime: self[kind].removal(source, target, order: posts.identifiers.ids)
      case .post: self[kind].removal(source, target, order: posts)
      }
    return edge.map { .remove(kind, $0) }
  }

  // MARK: - Making

  /// Makes the index of a declared relation, with its first edge.
  mutating func begin(_ kind: RelationKind, _ source: UInt32, _ target: UInt32, _ timestamp: UInt32) {
    use(kind)
    self.edit(kind, .insert(source, target, timestamp: timestamp))
  }

  /// Makes the index of a declared relation, without edges, if it has none.
  mutating func use(_ kind: RelationKind) {
    if isInUse(kind) { return }
    let relation = relations[kind]
    let index = Adjacency(
      sourceCount: rowCount(of: relation.source), targetCount: rowCount(of: relation.target), form: follows.form,
      hasSparseTargets: relation.target == .post)
    declared.add(index, for: relation, kind)
    if relation.entersTimelines && declared.entries == nil { declared.set(EntryLists(userCount: users.rowCount)) }
  }

  // MARK: - Ending

  /// Removes the edges of declared relations that an edit ends which was just made.
  ///
  /// Not inlined: most graphs have no such edges, and a follow or a like stays one function.
  @inline(never)
  mutating func endEdges(after edit: Edit) {
    switch edit {
    case .follow(let edge): endEdges(by: .follow, edge.source, edge.target)
    case .unfollow(let edge): endDependent(on: .follow, edge.source, edge.target)
    case .like(let edge): endEdges(by: .like, edge.source, edge.target)
    case .unlike(let edge): endDependent(on: .like, edge.source, edge.target)
    case .add(let kind, let edge): endEdges(by: kind, edge.source, edge.target)
    case .begin(let kind, let source, let target, _): endEdges(by: kind, source, target)
    case .remove(let kind, let edge): endDependent(on: kind, edge.source, edge.target)
    case .addUser, .renameUser, .editUser, .removeUser, .addPost, .editPost, .removePost, .declare: break
    }
  }

  /// Removes the edges that an edge ends which was just added.
  private mutating func endEdges(by kind: RelationKind, _ source: UInt32, _ target: UInt32) {
    let rules = relations.rules(of: kind)
    for ended in rules.ended { endEdge(ended, source, target) }
    for ended in rules.endedBackward { endEdge(ended, target, source) }
  }

  /// Removes the edges that end with one which was just removed.
  private mutating func endDependent(on kind: RelationKind, _ source: UInt32, _ target: UInt32) {
    for dependent in relations.rules(of: kind).dependent { endEdge(dependent, source, target) }
  }

  /// Removes an edge of a declared relation, if there is one. What ends with it is among those that the caller ends.
  private mutating func endEdge(_ kind: RelationKind, _ source: UInt32, _ target: UInt32) {
    if declared.has(kind) { self.edit(kind, .remove(source, target)) }
  }

  /// Removes the edges of a user or a post in both directions. What ends with an edge has the same ends, so it goes,
  /// too.
  mutating func removeDeclared(of row: UInt32, _ end: Relation.End) {
    for use in declared.uses {
      if use.source == end { self.edit(use.kind, .removeAllFrom(row)) }
      if use.target == end { self.edit(use.kind, .removeAllTo(row)) }
    }
  }
}
