/// The relations of one graph by number: the four of every graph, then those that its host declared, in that order.
/// What their facts mean together is computed once.
final class RelationTable: Sendable {
  /// That of a graph without a schema.
  static let withoutSchema = RelationTable(Relation.builtIn, ["user"], hasSchema: false)

  /// Whether the graph has a schema. Only then can its host add edges of any relation.
  let hasSchema: Bool
  /// By number.
  let relations: [Relation]
  /// The kinds of users by number, with that of every graph.
  let userKinds: [String]
  private let nameHashes: [UInt32]
  private let rules: [Rules]
  /// The relation of replies; nil without one.
  let thread: RelationKind?
  /// The relation of reposts, whose edges bring posts into timelines; nil without one.
  let repost: RelationKind?
  /// The relations from posts to users whose edges bring the posts into timelines.
  let tags: [RelationKind]
  /// The relations from posts to users who are meant by them.
  let mentions: [RelationKind]
  /// The declared relations by which users hide something of others, by what they hide.
  let hiding: (timeline: [RelationKind], reposts: [RelationKind], incoming: [RelationKind])

  /// What follows from the facts of all relations for an edge of one.
  struct Rules: Sendable {
    /// The relations whose edges between the same nodes end when one is added.
    var ended: [RelationKind] = []
    /// Those whose edges in the opposite direction end, too: of a block.
    var endedBackward: [RelationKind] = []
    /// Those whose edges end with one, at once or along others.
    var dependent: [RelationKind] = []
    /// Those of which an edge between the same nodes keeps one from being added.
    var barring: [RelationKind] = []
    /// That of which an edge must stand for one to be added.
    var base: RelationKind?
  }

  private init(_ relations: [Relation], _ userKinds: [String], hasSchema: Bool) {
    self.hasSchema = hasSchema
    self.userKinds = userKinds
    self.relations = relations
    let kinds = Dictionary(
      uniqueKeysWithValues: relations.indices.map { (relations[$0].name, RelationKind(number: UInt8($0))) })
    nameHashes = relations.map(\.nameHash)
    func numbers(_ isIncluded: (Relation) -> Bool) -> [RelationKind] {
      relations.indices.filter { isIncluded(relations[$0]) }.map { RelationKind(number: UInt8($0)) }
    }
    func hiding(_ hidden: Relation.Hidden) -> [RelationKind] {
      numbers { $0.facts.hides.contains(hidden) }.filter { $0 != .mute }
    }
    thread = numbers(\.isThread).first
    repost = numbers { $0.entersTimelines && $0.source == .user }.first
    tags = numbers { $0.entersTimelines && $0.source == .post }
    mentions = numbers(\.grantsAccess)
    self.hiding = (hiding(.timeline), hiding(.reposts), hiding(.incoming))
    rules = relations.map { relation in
      var rules = Rules()
      rules.base = relation.endsWith.flatMap { kinds[$0] }
      rules.dependent = Self.closure([relation.name], relations).compactMap { kinds[$0] }
      let ended = relations.filter { $0.isEndedBy.contains(relation.name) }.map(\.name)
      let together = ended + Self.closure(ended, relations).filter { !ended.contains($0) }
      rules.ended = together.compactMap { kinds[$0] }
      if relation.name == Relation.block.name { rules.endedBackward = rules.ended }
      rules.barring = relation.isEndedBy.filter { name in
        kinds[name].map { !relations[Int($0.number)].isEndedBy.contains(relation.name) } ?? false
      }.compactMap { kinds[$0] }
      return rules
    }
  }

  /// The names of the relations that end with some, directly or along others, in the order of their numbers.
  private static func closure(_ names: [String], _ relations: [Relation]) -> [String] {
    var found = Set(names)
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for relation in relations {
        if let base = relation.endsWith, found.contains(base), found.insert(relation.name).inserted { isGrowing = true }
      }
    }
    return relations.map(\.name).filter { found.contains($0) && !names.contains($0) }
  }

  /// The relations that the host declared.
  var declared: ArraySlice<Relation> { relations[Relation.builtIn.count...] }

  /// The schema; nil for a graph without one.
  var schema: SocialGraph.Schema? {
    if !hasSchema { return nil }
    return SocialGraph.Schema(Array(declared), userKinds: Array(userKinds.dropFirst()))
  }

  subscript(kind: RelationKind) -> Relation { relations[Int(kind.number)] }

  func rules(of kind: RelationKind) -> Rules { rules[Int(kind.number)] }

  /// Whether edges of declared relations can end by an edge of a relation, or with one.
  func endsOthers(_ kind: RelationKind) -> Bool {
    let rules = rules(of: kind)
    return !rules.ended.isEmpty || !rules.endedBackward.isEmpty || !rules.dependent.isEmpty
  }

  /// The number of the relation with a name.
  /// - Throws: `unknownRelation`.
  func kind(of relation: Relation) throws(KithError) -> RelationKind {
    if let kind = relation.kind, Int(kind.number) < relations.count, relations[Int(kind.number)].name == relation.name {
      return kind
    }
    for number in nameHashes.indices
    where nameHashes[number] == relation.nameHash && relations[number].name == relation.name {
      return RelationKind(number: UInt8(number))
    }
    throw .unknownRelation(relation.name)
  }

  /// A relation as this graph has it.
  /// - Throws: `unknownRelation`.
  func known(_ relation: Relation) throws(KithError) -> Relation { self[try kind(of: relation)] }

  // MARK: - Declaring

  /// What of a schema is missing; nil if nothing is, and the graph has a schema.
  /// - Throws: `schemaConflict` if a relation has other facts here; `invalidRequest` for facts that are not allowed;
  ///   `limitExceeded`.
  func missing(of schema: SocialGraph.Schema) throws(KithError) -> SocialGraph.Schema? {
    var found: [Relation] = []
    for relation in schema.relations {
      if let known = (relations + found).first(where: { $0.name == relation.name }) {
        if known != relation {
          throw .schemaConflict(relation.name, found: known.description, asked: relation.description)
        }
      } else {
        found.append(relation)
      }
    }
    let userKinds = try Self.missing(of: schema.userKinds, in: userKinds)
    if found.isEmpty && userKinds.isEmpty && hasSchema { return nil }
    if relations.count + found.count > SocialGraph.Limits.relationCount {
      throw .limitExceeded(.relations(limit: SocialGraph.Limits.relationCount))
    }
    for relation in found { try Self.check(relation, among: relations + found) }
    return SocialGraph.Schema(found, userKinds: userKinds)
  }

  /// The kinds that are not among some.
  private static func missing(of asked: [String], in known: [String]) throws(KithError) -> [String] {
    var found: [String] = []
    for kind in asked where !known.contains(kind) && !found.contains(kind) {
      guard isName(kind) else { throw .invalidRequest(.kindName(kind)) }
      found.append(kind)
    }
    guard known.count + found.count <= SocialGraph.Limits.kindCount else {
      throw .limitExceeded(.kinds(limit: SocialGraph.Limits.kindCount))
    }
    return found
  }

  /// Whether a text can name a relation or a kind.
  private static func isName(_ text: String) -> Bool {
    let name = text.utf8
    let isOfLetters = name.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x5F
    }
    return isOfLetters && (1...SocialGraph.Limits.relationNameByteCount).contains(name.count)
      && name.first.map { $0 > 0x40 && $0 != 0x5F } == true
  }

  /// The number of a kind of users; 0 for nil.
  /// - Throws: `invalidRequest`.
  @inline(__always)
  func number(ofKind kind: String?) throws(KithError) -> UInt8 {
    guard let kind else { return 0 }
    return try number(ofNamedKind: kind)
  }

  @inline(never)
  private func number(ofNamedKind kind: String) throws(KithError) -> UInt8 {
    guard let number = userKinds.firstIndex(of: kind) else { throw .invalidRequest(.unknownKind(kind)) }
    return UInt8(number)
  }

  /// The table with more relations.
  /// - Throws: as `missing`.
  func adding(_ schema: SocialGraph.Schema) throws(KithError) -> RelationTable? {
    guard let missing = try missing(of: schema) else { return nil }
    var relations = relations
    for relation in missing.relations {
      relations.append(Relation(relation.facts, RelationKind(number: UInt8(relations.count))))
    }
    return RelationTable(relations, userKinds + missing.userKinds, hasSchema: true)
  }

  /// Checks the facts of a new relation.
  private static func check(_ relation: Relation, among all: [Relation]) throws(KithError) {
    func refuse(_ reason: String) -> KithError { .invalidRequest(.relation(relation.name, reason: reason)) }
    guard isName(relation.name) else {
      throw refuse(
        "a name has 1 to \(SocialGraph.Limits.relationNameByteCount) letters, digits and underscores, first a letter")
    }
    if relation.source == .user && relation.isTimed {
      throw refuse("an edge of a user always has a time of its own; leave isTimed out")
    }
    if relation.isThread {
      guard relation.source == .post, relation.target == .post, !relation.isTimed else {
        throw refuse("isThread is of a relation from posts to posts whose edges have no times of their own")
      }
      guard relation.isEndedBy.isEmpty, relation.endsWith == nil else {
        throw refuse("a reply stays as long as both posts, so isThread goes with neither isEndedBy nor endsWith")
      }
      if let other = all.first(where: { $0.isThread && $0.name != relation.name }) {
        throw refuse("\(other.name) makes the threads; one relation can")
      }
    }
    if !relation.facts.hides.isEmpty && (relation.source != .user || relation.target != .user) {
      throw refuse("hides is of a relation from users to users")
    }
    if relation.entersTimelines {
      guard relation.source != relation.target, relation.visibility == .everyone else {
        throw refuse("entersTimelines is of a relation between users and posts whose edges everyone sees")
      }
      let other = all.first { $0.entersTimelines && $0.source == .user && $0.name != relation.name }
      if relation.source == .user, let other {
        throw refuse("\(other.name) brings posts into timelines from users; one relation can")
      }
    }
    if relation.grantsAccess && (relation.source != .post || relation.target != .user) {
      throw refuse("grantsAccess is of a relation from posts to users")
    }
    for other in relation.isEndedBy + (relation.endsWith.map { [$0] } ?? []) {
      guard let known = all.first(where: { $0.name == other }) else { throw refuse("no relation is called \(other)") }
      if other == relation.name { throw refuse("it cannot end by itself") }
      guard known.source == relation.source, known.target == relation.target else {
        throw refuse("\(other) has other ends")
      }
    }
    var (base, passed) = (relation.endsWith, Set([relation.name]))
    while let name = base, let known = all.first(where: { $0.name == name }) {
      if !passed.insert(name).inserted { throw refuse("it ends with itself, along \(name)") }
      if relation.isEndedBy.contains(name) || known.isEndedBy.contains(relation.name) {
        throw refuse("it ends with \(name), so neither can end the other")
      }
      base = known.endsWith
    }
  }
}
