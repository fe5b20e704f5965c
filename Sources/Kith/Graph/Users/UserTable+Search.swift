/// The indexes of names: one for each kind of users that has been used.
extension UserTable {
  /// Whether there are, or were, users of another kind than 0.
  @inline(__always)
  var hasKinds: Bool { !otherSearches.isEmpty }

  /// Makes the index of a kind.
  mutating func useKind(_ kind: UInt8) {
    while otherSearches.count < Int(kind) { otherSearches.append(nil) }
    if otherSearches[Int(kind) - 1] == nil { otherSearches[Int(kind) - 1] = Box(NameIndex(kind: kind)) }
  }

  /// The index of another kind than 0; nil if no user has it.
  private func other(_ kind: UInt8) -> Box<NameIndex>? {
    kind > 0 && Int(kind) <= otherSearches.count ? otherSearches[Int(kind) - 1] : nil
  }

  /// The indexes in use of other kinds than 0.
  private var others: [(kind: UInt8, index: Box<NameIndex>)] {
    otherSearches.indices.compactMap { place in otherSearches[place].map { (UInt8(place) + 1, $0) } }
  }

  /// The kinds that users have, or had.
  var kindsInUse: [UInt8] { [0] + others.map(\.kind) }

  // MARK: - Changes

  /// Adds the names of a row to the index of its kind.
  mutating func index(_ row: UInt32) {
    if let other = other(names.kind(row)) {
      other.value.insert(row, names: names)
    } else {
      search.insert(row, names: names)
    }
  }

  /// Removes the names of a row from the index of its kind.
  mutating func unindex(_ row: UInt32) {
    if let other = other(names.kind(row)) {
      other.value.remove(row, names: names)
    } else {
      search.remove(row, names: names)
    }
  }

  /// Sets the display name of a row; an empty one is none.
  mutating func setDisplayName(_ displayName: Span<UInt8>, of row: UInt32) {
    if !defersSearch { unindex(row) }
    keepDisplayName(displayName, of: row)
    setDigest(row)
    if !defersSearch { index(row) }
  }

  /// The same of a row that is not in its index.
  mutating func keepDisplayName(_ displayName: Span<UInt8>, of row: UInt32) {
    if let other = other(names.kind(row)) {
      other.value.setDisplayName(displayName, of: row)
    } else {
      search.setDisplayName(displayName, of: row)
    }
  }

  mutating func rebuildIndexes() {
    search.rebuild(names: names, ofKind: hasKinds ? 0 : nil)
    for (kind, index) in others { index.value.rebuild(names: names, ofKind: kind) }
  }

  /// Sets the kind of a row, before its names.
  mutating func restore(_ row: UInt32, kind: UInt8) {
    var card = names.card(row)
    card.kind = kind
    names.setCard(row, card)
    useKind(kind)
  }

  // MARK: - Reading

  /// The number of the kind of a user; 0 for a removed one.
  @inline(__always)
  func kind(of row: UInt32) -> UInt8 { isLive(row) || defersSearch ? names.kind(row) : 0 }

  /// The display names of users of all kinds.
  var allDisplayNames: TextColumn {
    var all = TextColumn()
    all.grow(to: rowCount)
    for row in 0..<UInt32(rowCount) {
      withDisplayName(row) { name in if !name.isEmpty { all.fill(Int(row), name) } }
    }
    return all
  }

  /// The display names of users of a kind by row; nil if none has one.
  @inline(__always)
  func displayNames(ofKind kind: UInt8) -> Box<TextColumn>? {
    kind == 0 ? search.displayNames : other(kind)?.value.displayNames
  }

  /// Whether users of any kind have display names.
  @inline(__always)
  var hasDisplayNames: Bool { search.hasDisplayNames || hasKinds && others.contains { $0.index.value.hasDisplayNames } }

  func displayNameByteCount(_ row: UInt32) -> Int {
    displayNames(ofKind: names.kind(row))?.value.byteCount(ofRow: row) ?? 0
  }

  /// Calls `body` with the display name of a row, in place; empty for none.
  @inline(__always)
  func withDisplayName<Result>(_ row: UInt32, _ body: (Span<UInt8>) -> Result) -> Result {
    guard let column = displayNames(ofKind: names.kind(row)), row < column.value.count else { return body(Span()) }
    return column.value.withBytes(Int(row), body)
  }

  /// The key of a row's entry in its index.
  func indexKey(_ row: UInt32) -> [UInt8] {
    other(names.kind(row))?.value.key(row, names: names) ?? search.key(row, names: names)
  }

  /// The bytes of the search indexes; while they wait, what they will take.
  var searchByteCount: Int {
    let held = others.reduce(search.byteCount) { $0 + $1.index.value.byteCount }
    if !defersSearch { return held }
    return max(held, count * NameIndex.entryByteCount + names.liveByteCount * NameIndex.nameByteFactor)
  }

  // MARK: - Searches

  /// Runs a search of the names of a kind, as `NameIndex.search`.
  @inline(__always)
  func find(
    _ search: NameSearch, ofKind kind: UInt8, _ budget: inout QueryBudget, rank: (UInt32, inout QueryBudget) -> Int?
  ) -> [FoundName] {
    if kind > 0 { return findOther(search, kind, &budget, rank) }
    return self.search.search(search, names: names, &budget, rank: rank)
  }

  @inline(never)
  private func findOther(
    _ search: NameSearch, _ kind: UInt8, _ budget: inout QueryBudget, _ rank: (UInt32, inout QueryBudget) -> Int?
  ) -> [FoundName] {
    other(kind)?.value.search(search, names: names, &budget, rank: rank) ?? []
  }

  /// The number of names of a kind that match, as `NameIndex.count`.
  func count(
    _ query: NameQuery, ofKind kind: UInt8, _ budget: inout QueryBudget, accept: (UInt32) -> Bool
  ) -> Int {
    if kind == 0 { return search.count(query, names: names, &budget, accept: accept) }
    return other(kind)?.value.count(query, names: names, &budget, accept: accept) ?? 0
  }

  /// As `NameIndex.blockEstimate`.
  func blockEstimate(of query: NameQuery, ofKind kind: UInt8) -> Int? {
    kind == 0 ? search.blockEstimate(of: query) : other(kind).map { $0.value.blockEstimate(of: query) } ?? 0
  }

  /// As `NameIndex.hasOneSource`.
  func hasOneSource(ofKind kind: UInt8) -> Bool {
    kind == 0 ? search.hasOneSource : other(kind)?.value.hasOneSource ?? false
  }

  /// As `NameIndex.names`.
  func namesSearched(ofKind kind: UInt8, ofUsernames areAlone: Bool) -> NameQuery.Names {
    kind == 0 ? search.names(ofUsernames: areAlone) : other(kind)?.value.names(ofUsernames: areAlone) ?? .only
  }

  func checkIndexes(_ control: PassControl) -> [String] {
    var problems = search.checkInvariants(names: names, ofKind: hasKinds ? 0 : nil, control)
    for (kind, index) in others {
      problems += index.value.checkInvariants(names: names, ofKind: kind, control).map { "kind \(kind): \($0)" }
    }
    return problems
  }
}

// MARK: - Compaction

extension UserTable: SegmentedIndex {
  /// Whether a compaction of a search index may be due. Reading it resets it.
  mutating func takeCompactionMayBeDue() -> Bool {
    var isDue = search.compactionMayBeDue
    search.compactionMayBeDue = false
    for (_, index) in others {
      isDue = isDue || index.value.compactionMayBeDue
      index.value.compactionMayBeDue = false
    }
    return isDue
  }

  /// Runs all due compactions on the calling thread, for a graph without writers.
  mutating func settleSearch() {
    search.settle(names: names)
    for (_, index) in others { index.value.settle(names: names) }
  }

  mutating func beginCompaction(besides running: [Range<UInt32>]) -> NameCompaction? {
    if let compaction = search.beginCompaction(besides: running, names: &names) { return compaction }
    for (_, index) in others {
      if let compaction = index.value.beginCompaction(besides: running, names: &names) { return compaction }
    }
    return nil
  }

  /// Installs a compaction's segment. Returns the sorted runs that it replaced.
  mutating func install(_ segment: NameSegment?, of compaction: NameCompaction) -> [NameIndex.SortedRun] {
    if let other = other(NameIndex.kind(ofGeneration: compaction.inputRange.lowerBound)) {
      other.value.install(segment, inPlaceOf: compaction.inputs)
    } else {
      search.install(segment, inPlaceOf: compaction.inputs)
    }
    return compaction.inputs
  }

  /// The soonest of all indexes; its version changes with each name that is added to any.
  var idleCompaction: IdleCompaction? {
    if !hasKinds { return search.idleCompaction }
    let versions = others.reduce(search.version) { $0 &+ $1.index.value.version }
    let soonest = ([search.idleCompaction] + others.map { $0.index.value.idleCompaction }).compactMap(\.self)
      .min { $0.idleMilliseconds < $1.idleMilliseconds }
    return soonest.map { IdleCompaction(idleMilliseconds: $0.idleMilliseconds, version: versions) }
  }

  mutating func beginIdleCompaction() -> NameCompaction? {
    let soonest = idleCompaction?.idleMilliseconds
    if search.idleCompaction?.idleMilliseconds == soonest { return search.beginIdleCompaction(names: &names) }
    for (_, index) in others where index.value.idleCompaction?.idleMilliseconds == soonest {
      return index.value.beginIdleCompaction(names: &names)
    }
    return nil
  }
}
