/// The edges of the relations that a host declared: an adjacency index for each that has, or had, an edge.
///
/// A relation without edges takes nothing here, and nothing is done for it when users and posts are added.
struct DeclaredEdges: ~Copyable, Sendable {
  /// A relation that is in use.
  struct Use: Sendable {
    let kind: RelationKind
    let source: Relation.End
    let target: Relation.End
    /// Of this version of the graph alone.
    fileprivate let index: Box<Adjacency>
  }

  /// Those in use, in the order of their first edge.
  private(set) var uses: [Use]
  /// By the number of a declared relation: its place in `uses`; `unused` for one without edges, and for numbers beyond.
  private var places: [UInt8]

  /// Conversations, of this version of the graph alone; nil without replies.
  private var conversations: Optional<Box<ThreadTable>>
  /// What enters timelines, of this version of the graph alone; nil where nothing does.
  private(set) var entries: Optional<Box<EntryLists>>

  private static let unused = UInt8.max

  init() { self.init(uses: [], places: [], conversations: nil, entries: nil) }

  private init(
    uses: [Use], places: [UInt8], conversations: Box<ThreadTable>?, entries: Box<EntryLists>?
  ) {
    self.uses = uses
    self.places = places
    self.conversations = conversations
    self.entries = entries
  }

  /// Shares all pages, as `Adjacency.pin`.
  /// - Complexity: O(relations in use).
  mutating func pin() -> DeclaredEdges {
    if isEmpty { return DeclaredEdges() }
    let pinned = uses.map { use in
      Use(kind: use.kind, source: use.source, target: use.target, index: Box(use.index.value.pin()))
    }
    return DeclaredEdges(
      uses: pinned, places: places, conversations: conversations.map { Box($0.value.pin()) },
      entries: entries.map { Box($0.value.pin()) })
  }

  /// Whether no declared relation is in use.
  @inline(__always)
  var isEmpty: Bool { uses.isEmpty }

  /// Whether a declared relation has, or had, edges.
  func has(_ kind: RelationKind) -> Bool { place(of: kind) != nil }

  private func place(of kind: RelationKind) -> Int? {
    let number = Int(kind.number) - Relation.builtIn.count
    guard places.indices.contains(number), places[number] != Self.unused else { return nil }
    return Int(places[number])
  }

  private func index(of kind: RelationKind) -> Box<Adjacency> {
    guard let place = place(of: kind) else { preconditionFailure("a relation without edges has no index") }
    return uses[place].index
  }

  /// The timestamp of an edge; nil if there is none.
  func timestamp(_ kind: RelationKind, _ source: UInt32, _ target: UInt32) -> UInt32? {
    place(of: kind).flatMap { uses[$0].index.value.timestamp(source, target) }
  }

  /// The index of a relation in use.
  subscript(kind: RelationKind) -> Adjacency {
    _read { yield index(of: kind).value }
    _modify { yield &index(of: kind).value }
  }

  /// Gives a relation its index.
  mutating func add(_ index: consuming Adjacency, for relation: Relation, _ kind: RelationKind) {
    let number = Int(kind.number) - Relation.builtIn.count
    while places.count <= number { places.append(Self.unused) }
    places[number] = UInt8(uses.count)
    uses.append(Use(kind: kind, source: relation.source, target: relation.target, index: Box(index)))
  }

  /// Appends the lists of a new user, or of a new post.
  mutating func appendRow(of end: Relation.End) {
    for use in uses {
      if use.source == end { use.index.value.appendSource() }
      if use.target == end { use.index.value.appendTarget() }
    }
    if end == .post { conversations?.value.appendRow() } else { entries?.value.appendUser() }
  }

  /// Sets what enters timelines.
  mutating func set(_ entries: consuming EntryLists) { self.entries = Box(entries) }

  // MARK: - Conversations

  /// Whether there are, or were, replies.
  var hasThreads: Bool { conversations != nil }

  /// Conversations.
  /// - Precondition: `hasThreads`.
  var threads: ThreadTable {
    _read {
      guard let conversations else { preconditionFailure("a graph without replies has no conversations") }
      yield conversations.value
    }
  }

  /// Prefetches the parent of a post, if there are replies.
  @inline(__always)
  func prefetchParent(of row: UInt32) { conversations?.value.parents.prefetch(Int(row)) }

  /// The row of the post that a post replies to; `ThreadTable.none` for one that replies to none.
  @inline(__always)
  func parent(of row: UInt32) -> UInt32 { conversations?.value.parents[row] ?? ThreadTable.none }

  /// Makes a new post a reply.
  mutating func setParent(_ parent: UInt32, of row: UInt32, _ posts: borrowing PostTable) {
    let table = conversations ?? Box(ThreadTable(postCount: posts.rowCount))
    table.value.setParent(parent, of: row, posts)
    conversations = table
  }

  /// Takes a post that is about to be removed out of its conversation.
  mutating func endConversation(of row: UInt32, _ posts: borrowing PostTable) {
    conversations?.value.remove(row, posts)
  }

  mutating func restore(_ threads: consuming ThreadTable) { conversations = Box(threads) }
}
