/// The index of all usernames, in order of loose key, then exact name: a log-structured merge tree (LSM) in memory.
///
/// Names are added to a small mutable *memtable*. A full memtable is frozen: it becomes the youngest *sorted run*
/// without being rewritten. Compactions (`NameCompaction`) rewrite adjacent sorted runs into immutable segments of
/// geometrically growing size, and into one segment while no names are added (`NameIndex+IdleCompaction`). They may run
/// on any thread at any time; query results do not depend on them.
///
/// Every memtable has a *generation*. The row of a name holds the generation of the memtable that the name was added
/// to. A sorted run covers a range of generations. An entry is live while its row's generation is in the range of its
/// run. A removal is therefore one write, which makes the entry a tombstone. A compaction needs no list of removals,
/// and removals during a compaction take effect.
///
/// A name must be in `names` from before its insertion until after its removal.
/// - Complexity: insertion O(log n), and amortised one rewrite of the name per level; removal O(log n); `pin` O(1).
struct NameIndex: ~Copyable, Sendable {
  /// An immutable sorted run of names, with the number of deleted entries.
  struct SortedRun: Sendable {
    enum Body: Sendable {
      case segment(NameSegment)
      /// A frozen memtable, which waits to be compacted into a segment. Indirect, so that a body is one reference.
      indirect case memtable(NameMemtable)
    }

    let body: Body
    /// The generations of the memtables it was made from.
    let generations: ClosedRange<UInt32>
    let count: Int
    var deletedCount = 0

    init(_ segment: NameSegment) {
      body = .segment(segment)
      generations = segment.generations
      count = segment.count
    }

    init(_ memtable: NameMemtable, generation: UInt32) {
      body = .memtable(memtable)
      generations = generation...generation
      count = memtable.count
    }

    var isMemtable: Bool { if case .memtable = body { true } else { false } }
    var liveCount: Int { count - deletedCount }
    var isMostlyDeleted: Bool { CompactionPolicy.isMostlyDeleted(deletedCount, of: count) }
  }

  static let defaultMemtableCapacity = 4_096
  /// More fanout means more sorted runs to search but less rewriting. A million names added one by one end in seven
  /// runs with a fanout of four, in thirteen with eight; rewriting took 1.5 and 1.2 µs per name.
  static let defaultFanout = 4
  static let noGeneration: UInt32 = 0
  /// What a name takes in the index at most: for itself, and for each of its bytes.
  static let entryByteCount = 10
  static let nameByteFactor = 5

  let memtableCapacity: Int
  let policy: CompactionPolicy
  /// Names in each part of a segment.
  let namesPerPart: Int
  // Initialised in the inits: a default value of a property would be created for every pin and discarded.
  /// Oldest first. The ranges of their generations ascend and are disjoint.
  var sortedRuns: [SortedRun]
  var memtable: NameMemtable
  /// The generation of the memtable. It only increases, so a range of generations identifies one sorted run
  /// permanently.
  var memtableGeneration: UInt32
  /// By row: the generation of the memtable that the name was added to; `noGeneration` if the row has no name in the
  /// index.
  var generations: Column<UInt32>
  /// The display names by row, which may end before the last; nil before the first one.
  private(set) var displayNames: Optional<Box<TextColumn>>
  /// Whether sorted runs changed so that a compaction may be due. The caller that starts the compactions resets it.
  var compactionMayBeDue: Bool

  init() {
    self.init(
      memtableCapacity: Self.defaultMemtableCapacity, fanout: Self.defaultFanout,
      namesPerPart: NameSegment.maximumNamesPerPart)
  }

  /// The index of the names of a kind of users. The generations of each are apart from those of the others.
  init(kind: UInt8) {
    self.init()
    memtableGeneration = UInt32(kind) << Self.kindShift + 1
  }

  /// The kinds have the highest bits of generations.
  private static let kindShift: UInt32 = 28

  /// The kind whose index has such generations.
  static func kind(ofGeneration generation: UInt32) -> UInt8 { UInt8(generation >> kindShift) }

  /// - Parameters:
  ///   - memtableCapacity: the number of names that fill the memtable.
  ///   - fanout: the number of segments of similar size that are compacted into one; at least 2.
  ///   - namesPerPart: names in each part of a segment (see `NameSegment`).
  init(memtableCapacity: Int, fanout: Int, namesPerPart: Int) {
    precondition(memtableCapacity >= 1 && fanout >= 2, "a memtable of no names, or a compaction of one segment")
    let policy = CompactionPolicy(
      fanout: fanout, levelZeroCapacity: memtableCapacity * fanout, maximumByteCount: NameSegment.maximumKeyByteCount)
    self.init(
      memtableCapacity: memtableCapacity, policy: policy,
      namesPerPart: namesPerPart, sortedRuns: [], memtable: NameMemtable(), memtableGeneration: 1,
      generations: Column(), displayNames: nil, compactionMayBeDue: false)
  }

  private init(
    memtableCapacity: Int, policy: CompactionPolicy, namesPerPart: Int, sortedRuns: [SortedRun],
    memtable: NameMemtable, memtableGeneration: UInt32, generations: consuming Column<UInt32>,
    displayNames: Box<TextColumn>?, compactionMayBeDue: Bool
  ) {
    self.memtableCapacity = memtableCapacity
    self.policy = policy
    self.namesPerPart = namesPerPart
    self.sortedRuns = sortedRuns
    self.memtable = memtable
    self.memtableGeneration = memtableGeneration
    self.generations = generations
    self.displayNames = displayNames
    self.compactionMayBeDue = compactionMayBeDue
  }

  /// An MVCC snapshot of the index. Neither side sees later changes of the other.
  mutating func pin() -> NameIndex {
    NameIndex(
      memtableCapacity: memtableCapacity, policy: policy, namesPerPart: namesPerPart, sortedRuns: sortedRuns,
      memtable: memtable, memtableGeneration: memtableGeneration, generations: generations.pin(),
      displayNames: displayNames.map { Box($0.value.pin()) }, compactionMayBeDue: compactionMayBeDue)
  }

  /// Adds the name of a row. `names` already contains it.
  mutating func insert(_ row: UInt32, names: borrowing TextColumn) {
    generations.grow(to: Int(row) + 1, filledWith: Self.noGeneration)
    precondition(generations[row] == Self.noGeneration, "a row has one name in the index")
    memtable.insert(row, key: key(row, names: names), names: names)
    generations[row] = memtableGeneration
    if memtable.count >= memtableCapacity {
      freezeMemtable(names: names)
    } else if beginsIdlePlan {
      compactionMayBeDue = true
    }
  }

  /// Removes the name of a row while `names` still contains it. Does nothing if the name is not in the index.
  mutating func remove(_ row: UInt32, names: borrowing TextColumn) {
    guard Int(row) < generations.count else { return }
    let generation = generations[row]
    if generation == Self.noGeneration { return }
    generations[row] = Self.noGeneration
    if generation == memtableGeneration {
      memtable.remove(row, key: key(row, names: names), names: names)
    } else if let index = sortedRuns.firstIndex(where: { $0.generations.contains(generation) }) {
      sortedRuns[index].deletedCount += 1
      if sortedRuns[index].isMostlyDeleted { compactionMayBeDue = true }
    }
  }

  // MARK: - Display names

  var hasDisplayNames: Bool { displayNames != nil }

  /// Which names of the index a query is for.
  func names(ofUsernames areAlone: Bool) -> NameQuery.Names {
    !hasDisplayNames ? .only : areAlone ? .username : .either
  }

  /// Calls `body` with the display name of a row, in place; empty for none.
  @inline(__always)
  func withDisplayName<Result>(_ row: UInt32, _ body: (Span<UInt8>) -> Result) -> Result {
    guard let displayNames, row < displayNames.value.count else { return body(Span()) }
    return displayNames.value.withBytes(Int(row), body)
  }

  /// Sets or removes the display name of a row that is not in the index, or before a rebuild.
  mutating func setDisplayName(_ displayName: Span<UInt8>, of row: UInt32) {
    if displayNames == nil {
      if displayName.isEmpty { return }
      displayNames = Box(TextColumn())
      memtable.hasDisplayNames = true
    }
    guard let column = displayNames else { return }
    if row >= column.value.count {
      if displayName.isEmpty { return }
      column.value.grow(to: Int(row) + 1)
    }
    if displayName.isEmpty { column.value.clear(Int(row)) } else { column.value.set(Int(row), displayName) }
  }

  /// The key of a row's entry.
  func key(_ row: UInt32, names: borrowing TextColumn) -> [UInt8] {
    if displayNames == nil { return Folding.loose(names.bytes(Int(row))) }
    var key: [UInt8] = []
    withDisplayName(row) { NamesKey.append(names.bytes(Int(row)), $0, to: &key) }
    return key
  }

  // MARK: - Rebuilding

  /// Rebuilds the index from all rows that have a name.
  /// - Complexity: mostly O(bytes): about 0.7 µs per name.
  /// - Parameter kind: that of the users whose names are indexed; nil if all users have one.
  mutating func rebuild(names: borrowing TextColumn, ofKind kind: UInt8? = nil) {
    func isOwn(_ row: Int) -> Bool {
      names.byteCount(row) > 0 && (kind.map { $0 == names.kind(UInt32(row)) } ?? true)
    }
    sortedRuns = []
    memtable = NameMemtable()
    memtable.hasDisplayNames = hasDisplayNames
    memtableGeneration += 1
    // Rows of one generation share pages until one of them changes.
    generations = Column()
    generations.grow(to: names.count, filledWith: memtableGeneration)
    var (count, byteCount) = (0, 0)
    for row in 0..<names.count where isOwn(row) {
      count += 1
      byteCount += names.byteCount(row)
    }
    if let displayNames { byteCount += displayNames.value.liveByteCount + count }
    var builder = NameSegmentBuilder(namesPerPart: namesPerPart, isOfNames: true)
    builder.hasDisplayNames = hasDisplayNames
    builder.reserve(count: count, keyByteCount: byteCount + count)
    for row in 0..<names.count {
      let name = names.bytes(row)
      if !isOwn(row) {
        generations[row] = Self.noGeneration
        continue
      }
      if builder.keyByteCount > NameSegment.maximumKeyByteCount - NameSegmentBuilder.maximumKeyByteCount {
        append(builder, names: names)
        builder = NameSegmentBuilder(namesPerPart: namesPerPart, isOfNames: true)
        builder.hasDisplayNames = hasDisplayNames
      }
      withDisplayName(UInt32(row)) { builder.add(UInt32(row), name: name, displayName: $0) }
      if generations[row] != memtableGeneration { generations[row] = memtableGeneration }
    }
    append(builder, names: names)
  }

  /// Builds a segment of the current generation and begins the next generation.
  private mutating func append(_ builder: consuming NameSegmentBuilder, names: borrowing TextColumn) {
    if builder.count == 0 { return }
    sortedRuns.append(SortedRun(builder.build(generations: memtableGeneration...memtableGeneration, names: names) {}))
    memtableGeneration += 1
  }

  /// Whether a sorted run's entry for a row is live. An entry whose generation does not match is a tombstone.
  @inline(__always)
  func isLive(_ sortedRun: SortedRun, _ row: UInt32) -> Bool { sortedRun.generations.contains(generations[row]) }

  var byteCount: Int {
    var total = memtable.byteCount + generations.byteCount + sortedRuns.count * MemoryLayout<SortedRun>.stride
    if let displayNames { total += displayNames.value.memoryByteCount }
    for sortedRun in sortedRuns {
      switch sortedRun.body {
      case .segment(let segment): total += segment.byteCount
      case .memtable(let memtable): total += memtable.byteCount
      }
    }
    return total
  }
}
