@testable import Kith

/// Schemas, and edges of their relations.
extension Draw {
  /// Some relations with random facts that are allowed.
  mutating func schema() -> [Relation] {
    var all = Relation.builtIn
    var declared: [Relation] = []
    func ends(_ draw: inout Draw) -> (Relation.End, Relation.End) {
      (draw.pick([.user, .user, .post]), draw.pick([.user, .post]))
    }
    // Most have the same ends, so that they end each other, and end with each other.
    let common: (Relation.End, Relation.End) = seldom(3) ? (.post, .post) : ends(&self)
    // Often what timelines are made of: reposts, tags, replies and lists of people.
    if seldom(2) {
      all += Self.microblog
      declared += Self.microblog
    }
    for index in 0..<below(10) {
      let (source, target) = seldom(3) ? ends(&self) : common
      let alike = all.filter { $0.source == source && $0.target == target }
      let base = seldom(2) ? alike.last?.name : nil
      // One that it ends with, along whatever others, cannot end it.
      var bases: Set<String> = []
      var next = base
      while let name = next, bases.insert(name).inserted { next = all.first { $0.name == name }?.endsWith }
      let ending = alike.map(\.name).filter { !bases.contains($0) && seldom(2) }
      let isThread = source == .post && target == .post && !all.contains { $0.isThread } && seldom(2)
      let enters =
        source != target && seldom(2)
        && !(source == .user && all.contains { $0.entersTimelines && $0.source == .user })
      let hides =
        source == .user && target == .user && seldom(2) ? Relation.Hidden.allCases.filter { _ in seldom(2) } : []
      let relation = Relation(
        "r\(index)", from: source, to: target, isTimed: source == .post && !isThread && seldom(2),
        visibility: enters ? .everyone : pick([.everyone, .everyone, .ends, .source]),
        isEndedBy: isThread ? [] : ending, endsWith: isThread ? nil : base, hides: Set(hides),
        entersTimelines: enters, isThread: isThread, grantsAccess: source == .post && target == .user && seldom(2))
      all.append(relation)
      declared.append(relation)
    }
    // One may name another that comes after it.
    return mutual(seldom(2) ? declared.shuffled(using: &random) : declared)
  }

  private static let microblog = [
    Relation("repost", from: .user, to: .post, entersTimelines: true),
    Relation("tag", from: .post, to: .user, entersTimelines: true),
    Relation("group", from: .post, to: .user, entersTimelines: true),
    Relation("reply", from: .post, to: .post, isThread: true),
    Relation("quiet", from: .user, to: .user, visibility: .source, endsWith: "follow", hides: [.reposts]),
    Relation("mention", from: .post, to: .user, grantsAccess: true),
  ]

  /// Lets two relations that end with nothing end each other.
  private mutating func mutual(_ relations: [Relation]) -> [Relation] {
    guard let first = relations.firstIndex(where: { $0.endsWith == nil && !$0.isThread }) else { return relations }
    var relations = relations
    let one = relations[first]
    let others = relations.filter {
      $0.source == one.source && $0.target == one.target && $0.endsWith == nil && $0.name != one.name
    }
    guard let other = others.last else { return relations }
    relations[first] = Relation(
      one.name, from: one.source, to: one.target, isTimed: one.isTimed, visibility: one.visibility,
      isEndedBy: one.isEndedBy + [other.name], hides: one.hides, entersTimelines: one.entersTimelines,
      grantsAccess: one.grantsAccess)
    return relations
  }

  /// Mostly a relation of the schema, sometimes one of every graph, or none.
  mutating func relation(_ model: ReferenceModel) -> Relation {
    let declared = model.declared ?? []
    if seldom(30) { return Relation("nothing", from: .user, to: .post) }
    return declared.isEmpty || seldom(4) ? pick(Relation.builtIn) : pick(declared)
  }

  private mutating func node(_ end: Relation.End, _ model: ReferenceModel) -> Node {
    switch end {
    case .user: .user(user(model))
    case .post: .post(post(model))
    }
  }

  /// A node that can be at an end, or rarely one of the other type.
  private mutating func end(_ end: Relation.End, _ model: ReferenceModel) -> Node {
    node(seldom(40) ? end == .user ? .post : .user : end, model)
  }

  // MARK: - What the host keeps

  private mutating func payload() -> [UInt8] {
    let count = seldom(200) ? 65_530 + below(10) : seldom(6) ? 0 : below(40)
    let first = UInt8(truncatingIfNeeded: below(256))
    return (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
  }

  mutating func userFields() -> UserFields {
    UserFields(
      displayName: seldom(2) ? (seldom(6) ? "" : name()) : nil, payload: seldom(2) ? payload() : nil,
      flags: seldom(2) ? UInt16(below(4)) : nil,
      isPrivate: seldom(3) ? seldom(2) : nil)
  }

  mutating func postFields() -> PostFields {
    PostFields(
      payload: seldom(2) ? payload() : nil, flags: seldom(2) ? UInt16(below(4)) : nil,
      editedAt: seldom(8) ? postTime() : nil, audience: seldom(2) ? pick(Audience.allCases) : nil)
  }

  /// An edit of a user or a post. One of a text or a payload has a time.
  mutating func editChange(_ model: ReferenceModel) -> Change {
    if seldom(3) {
      var fields = userFields()
      if seldom(60) { fields.kind = "user" }
      return .editUser(user(model), fields)
    }
    var fields = seldom(2) ? postFields() : PostFields()
    let text: String? = seldom(4) ? nil : text()
    if text != nil || fields.payload != nil { fields.editedAt = postTime() }
    return .editPost(post(model), text: text, fields: fields)
  }

  mutating func edgeChange(_ model: ReferenceModel) -> Change {
    if seldom(2), let change = changeBesideEdge(model) { return change }
    let relation = relation(model)
    // What is asked again has only its name.
    let asked = seldom(2) ? Relation(relation.name, from: .user, to: .user) : relation
    let (source, target) = (end(relation.source, model), end(relation.target, model))
    if seldom(5) { return .removeEdge(asked, from: source, to: target) }
    let hasTime = seldom(30) || hasTime(relation)
    return .addEdge(asked, from: source, to: target, at: hasTime ? edgeTime() : nil)
  }

  /// A change of another relation between the nodes of an edge, in its direction or the other, or of the edge itself:
  /// what ends it, and what it ends.
  private mutating func changeBesideEdge(_ model: ReferenceModel) -> Change? {
    let edges = model.edges.keys.sorted { "\($0)" < "\($1)" }
    if edges.isEmpty { return nil }
    let edge = pick(edges)
    let isTurned = edge.source.end == edge.target.end && seldom(3)
    let (source, target) = isTurned ? (edge.target, edge.source) : (edge.source, edge.target)
    let alike = (Relation.builtIn + (model.declared ?? [])).filter {
      $0.source == source.end && $0.target == target.end
    }
    let relation = pick(alike)
    if seldom(3) { return .removeEdge(relation, from: source, to: target) }
    let hasTime = hasTime(relation)
    return .addEdge(relation, from: source, to: target, at: hasTime ? edgeTime() : nil)
  }

  /// Whether its edges have times of their own.
  private func hasTime(_ relation: Relation) -> Bool {
    relation.source == .post ? relation.isTimed : !["block", "mute"].contains(relation.name)
  }

  /// Edges of a new post: mostly a reply, and others, some of which are refused or end each other.
  mutating func postEdges(_ model: ReferenceModel) -> [PostEdge] {
    let fitting = (model.declared ?? []).filter { $0.source == .post }
    var edges: [PostEdge] = []
    if let thread = fitting.first(where: \.isThread), !seldom(3) {
      edges.append(PostEdge(thread, to: end(thread.target, model)))
    }
    if seldom(2) { return edges }
    for _ in 0..<below(5) {
      let relation = fitting.isEmpty || seldom(30) ? relation(model) : pick(fitting)
      var target = end(relation.target, model)
      if seldom(2), let last = edges.last?.target, last.end == relation.target { target = last }
      let isTimed = seldom(40) || hasTime(relation) && seldom(2)
      edges.append(PostEdge(relation, to: target, at: isTimed ? edgeTime() : nil))
    }
    return edges
  }

  mutating func details(_ model: ReferenceModel) -> ResultDetails {
    let counts = (0..<below(3)).map { _ in relation(model) }
    let marks = (0..<below(3)).map { _ in relation(model) }.filter { $0.source == .user || seldom(9) }
    return ResultDetails(
      counts: counts, marks: marks, includesPayloads: seldom(2), viewer: seldom(6) ? nil : user(model))
  }

  mutating func edgeQuestion(_ model: ReferenceModel) -> Question {
    if seldom(6) {
      return .ancestors(post(model), limit: limit(), viewer: viewer(model), includesAuthors: seldom(3))
    }
    if !seldom(4) { return edgeList(model) }
    if seldom(3) { return .incomingCount(user(model), incomingOptions(model)) }
    let others = (0..<below(5)).map { _ in node(pick([.user, .post]), model) }
    return .edges(node(pick([.user, .post]), model), others)
  }

  mutating func edgeList(_ model: ReferenceModel) -> Question {
    if seldom(5) { return .incoming(user(model), incomingOptions(model)) }
    if seldom(4) {
      let options = ThreadQuery(
        order: pick([.oldest, .newest]), includesAuthors: seldom(3), leavesOutMuted: seldom(4), limit: limit(),
        viewer: viewer(model))
      return .thread(post(model), options)
    }
    let relation = relation(model)
    let side: RelationSide = pick([.targets, .sources])
    let subject = end(side == .targets ? relation.source : relation.target, model)
    let isOwn = seldom(3)
    var own: UserID? {
      switch subject {
      case .user(let user): user
      case .post(let post): model.posts[post]?.author
      }
    }
    let options = EdgeQuery(
      order: pick([.newest, .oldest, .name]), includesAuthors: seldom(3), countsEdges: seldom(3),
      leavesOutMuted: seldom(4), limit: limit(), viewer: isOwn ? own : viewer(model))
    return .edgeList(relation, side, subject, options)
  }
}
