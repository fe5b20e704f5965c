/// The edges of the relations that a host declared: an adjacency index for each that has, or had, an edge.
///
/// A relation without edges takes nothing here, and nothing is done for it when users and posts are added.
@safe
struct DeclaredEdges: ~Copyable, @unchecked Sendable {
  /// A relation that is in use.
  struct Use: Sendable {
    let kind: RelationKind
    let source: Relation.End
    let target: Relation.End
  }

  /// Those in use, in the order of their first edge.
  private(set) var uses: [Use]
  /// By the number of a declared relation: its place in `uses`; `unused` for one without edges, and for numbers beyond.
  private var places: [UInt8]
  // Safety: owned by this value; the first `uses.count` are initialized, and there is room for `capacity`.
  private var indexes: Optional<UnsafeMutablePointer<Adjacency>>
  private var capacity: Int

  private static let unused = UInt8.max

  init() { unsafe self.init(uses: [], places: [], indexes: nil, capacity: 0) }

  private init(
    uses: [Use], places: [UInt8], indexes: UnsafeMutablePointer<Adjacency>?, capacity: Int
  ) {
    self.uses = uses
    self.places = places
    unsafe self.indexes = indexes
    self.capacity = capacity
  }

  deinit {
    guard let indexes = unsafe indexes else { return }
    unsafe indexes.deinitialize(count: uses.count)
    unsafe indexes.deallocate()
  }

  /// Shares all pages, as `Adjacency.pin`.
  /// - Complexity: O(relations in use).
  mutating func pin() -> DeclaredEdges {
    if isEmpty { return DeclaredEdges() }
    let pinned = UnsafeMutablePointer<Adjacency>.allocate(capacity: uses.count)
    for place in uses.indices { unsafe (pinned + place).initialize(to: at(place).pointee.pin()) }
    return unsafe DeclaredEdges(uses: uses, places: places, indexes: pinned, capacity: uses.count)
  }

  /// Whether no declared relation is in use.
  @inline(__always)
  var isEmpty: Bool { capacity == 0 }

  /// Whether a declared relation has, or had, edges.
  func has(_ kind: RelationKind) -> Bool { place(of: kind) != nil }

  private func place(of kind: RelationKind) -> Int? {
    let index = Int(kind.number) - Relation.builtIn.count
    guard places.indices.contains(index), places[index] != Self.unused else { return nil }
    return Int(places[index])
  }

  private func at(_ place: Int) -> UnsafeMutablePointer<Adjacency> {
    guard let indexes = unsafe indexes, place < uses.count else { preconditionFailure("a relation in use has an index") }
    return unsafe indexes + place
  }

  /// The index of a relation in use.
  subscript(kind: RelationKind) -> Adjacency {
    _read {
      guard let place = place(of: kind) else { preconditionFailure("a relation without edges has no index") }
      yield unsafe at(place).pointee
    }
    _modify {
      guard let place = place(of: kind) else { preconditionFailure("a relation without edges has no index") }
      yield unsafe &at(place).pointee
    }
  }

  /// Gives a relation its index.
  mutating func add(_ index: consuming Adjacency, for relation: Relation, _ kind: RelationKind) {
    unsafe (withRoom() + uses.count).initialize(to: index)
    let number = Int(kind.number) - Relation.builtIn.count
    while places.count <= number { places.append(Self.unused) }
    places[number] = UInt8(uses.count)
    uses.append(Use(kind: kind, source: relation.source, target: relation.target))
  }

  /// The indexes, with room for another.
  private mutating func withRoom() -> UnsafeMutablePointer<Adjacency> {
    if let indexes = unsafe indexes, uses.count < capacity { return unsafe indexes }
    let grown = UnsafeMutablePointer<Adjacency>.allocate(capacity: capacity * 2 + 2)
    if let old = unsafe indexes {
      unsafe grown.moveInitialize(from: old, count: uses.count)
      unsafe old.deallocate()
    }
    unsafe indexes = grown
    capacity = capacity * 2 + 2
    return unsafe grown
  }

  /// Appends the lists of a new user, or of a new post.
  mutating func appendRow(of end: Relation.End) {
    for place in uses.indices {
      if uses[place].source == end { unsafe at(place).pointee.appendSource() }
      if uses[place].target == end { unsafe at(place).pointee.appendTarget() }
    }
  }

  /// The bytes of the indexes.
  var byteCount: Int { uses.indices.reduce(0) { unsafe $0 + at($1).pointee.byteCount } }
}
