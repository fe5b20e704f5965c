/// All users by row: ids, names, and the indexes that find them. A removed user keeps the row and the id, with an empty
/// name.
struct UserTable: ~Copyable, Sendable {
  private(set) var identifiers: IdentifierTable
  private(set) var names: TextColumn
  private var byName: HashIndex
  private(set) var search: NameIndex
  /// Users that are not removed.
  private(set) var count = 0
  /// Whether the search index waits for `buildSearch`.
  private var defersSearch = false

  init() {
    identifiers = IdentifierTable()
    names = TextColumn()
    byName = HashIndex()
    search = NameIndex()
  }

  private init(
    identifiers: consuming IdentifierTable, names: consuming TextColumn, byName: consuming HashIndex,
    search: consuming NameIndex, count: Int, defersSearch: Bool
  ) {
    self.identifiers = identifiers
    self.names = names
    self.byName = byName
    self.search = search
    self.count = count
    self.defersSearch = defersSearch
  }

  mutating func pin() -> UserTable {
    UserTable(
      identifiers: identifiers.pin(), names: names.pin(), byName: byName.pin(), search: search.pin(), count: count,
      defersSearch: defersSearch)
  }

  /// Rows, those of removed users included.
  var rowCount: Int { identifiers.count }

  @inline(__always)
  func isLive(_ row: UInt32) -> Bool { names.byteCount(Int(row)) > 0 }

  /// The row of a user who is there.
  @inline(__always)
  func row(of id: UserID) -> UInt32? {
    // While nobody was removed, there is no need to look, far away in memory.
    guard let row = identifiers.row(of: id.rawValue), count == rowCount || isLive(row) else { return nil }
    return row
  }

  /// The row of the user whose name has this NFC.
  func row(named name: Span<UInt8>) -> UInt32? {
    if Folding.isASCII(name) {
      return byName.find(Hashing.hash(name)) { ByteSearch.compare(names.bytes(Int($0)), name) == 0 }
    }
    let composed = Folding.nfc(name)
    return byName.find(Hashing.hash(composed.span)) { row in
      ByteSearch.compare(Folding.nfc(names.bytes(Int(row))).span, composed.span) == 0
    }
  }

  // MARK: - Changing

  /// Adds a user whose id and name were found free. Returns the row.
  mutating func append(id: Int64, name: Span<UInt8>) -> UInt32 {
    let row = UInt32(identifiers.count)
    identifiers.append(id)
    names.append(name)
    enter(row)
    count += 1
    return row
  }

  /// Adds the row of a user who was removed before: the id alone.
  mutating func appendRemoved(id: Int64) {
    identifiers.append(id)
    names.append(Span())
  }

  mutating func rename(_ row: UInt32, to name: Span<UInt8>) {
    leave(row)
    names.set(Int(row), name)
    enter(row)
  }

  mutating func remove(_ row: UInt32) {
    leave(row)
    names.clear(Int(row))
    count -= 1
  }

  private func nameHash(_ row: UInt32) -> UInt64 {
    let name = names.bytes(Int(row))
    return Folding.isASCII(name) ? Hashing.hash(name) : Hashing.hash(Folding.nfc(name).span)
  }

  private mutating func enter(_ row: UInt32) {
    byName.insert(nameHash(row), row: row)
    if !defersSearch { search.insert(row, names: names) }
  }

  private mutating func leave(_ row: UInt32) {
    byName.remove(nameHash(row), row: row)
    if !defersSearch { search.remove(row, names: names) }
  }

  var nameLookupByteCount: Int { byName.byteCount }

  /// From now on the search index waits: many users come at once.
  mutating func deferSearch() { defersSearch = true }

  /// Takes the search index of all names, which was built elsewhere meanwhile.
  mutating func adopt(_ search: consuming NameIndex) {
    self.search = search
    defersSearch = false
  }

  /// Builds the search index anew from all names.
  mutating func buildSearch() {
    search.rebuild(names: names)
    defersSearch = false
  }

  // MARK: - Merging names

  /// Whether a merge of the search index may be due; asking sets it back.
  mutating func takeMergeMayBeDue() -> Bool {
    defer { search.mergeMayBeDue = false }
    return search.mergeMayBeDue
  }

  /// A due merge of the search index, if any: see `NameMerge`.
  mutating func beginMerge(besides running: [ClosedRange<UInt32>]) -> NameMerge? {
    search.beginMerge(besides: running, names: &names)
  }

  /// What of the search index is to be merged next while no name comes; see there.
  var searchRest: NameIndex.Rest? { search.rest }
  var searchMoment: NameIndex.Moment { search.moment }

  mutating func beginRestMerge() -> NameMerge? { search.beginRestMerge(names: &names) }

  mutating func adopt(_ segment: NameSegment?, inPlaceOf inputs: [NameIndex.Tier]) {
    search.adopt(segment, inPlaceOf: inputs)
  }

  /// Runs all due merges, for a graph that nobody writes to.
  mutating func settleSearch() { search.settle(names: names) }

  func checkInvariants() -> [String] {
    var problems = identifiers.checkInvariants("users") + names.checkInvariants("usernames")
    problems += byName.checkInvariants("users by name") + search.checkInvariants(names: names)
    var live = 0
    for row in 0..<UInt32(rowCount) where isLive(row) {
      live += 1
      if self.row(named: names.bytes(Int(row))) != row {
        problems.append("users: the name of row \(row) does not lead to it")
      }
    }
    if live != count || byName.count != count {
      problems.append("users: \(count) counted, \(live) live, \(byName.count) names")
    }
    return problems
  }
}
