/// All users by row: ids, names, and the indexes that find them. A removed user keeps the row and the id, with an empty
/// name.
struct UserTable: ~Copyable, Sendable {
  private(set) var identifiers: IdentifierTable
  /// The names, and the cards (`UserCard`).
  var names: TextColumn
  private(set) var digests: NameDigests
  private var byName: HashIndex
  /// By loose key, if usernames are unique by it; see `keepLooseKeys`.
  private var byLooseKey: Optional<HashIndex>
  /// Users who share a name, as older releases allowed: row to row, in both directions.
  private var twins: [UInt32: UInt32]
  /// The index of the names of users of kind 0.
  var search: NameIndex
  /// Those of the other kinds, by number less one, made by their first users.
  var otherSearches: [Box<NameIndex>?]
  /// The number of users that are not removed.
  private(set) var count: Int
  /// Whether the search index waits for `buildSearch`.
  private(set) var defersSearch: Bool
  /// Payloads; nil before the first.
  private(set) var host: Optional<Box<HostColumns>>
  /// How many users are private.
  private(set) var privateCount: Int

  init() {
    identifiers = IdentifierTable()
    names = TextColumn(wordsPerRow: UserCard.wordsPerRow)
    digests = NameDigests()
    byName = HashIndex()
    byLooseKey = nil
    twins = [:]
    search = NameIndex()
    otherSearches = []
    count = 0
    defersSearch = false
    host = nil
    privateCount = 0
  }

  private init(
    identifiers: consuming IdentifierTable, names: consuming TextColumn, digests: consuming NameDigests,
    byName: consuming HashIndex, byLooseKey: consuming HashIndex?, twins: [UInt32: UInt32],
    search: consuming NameIndex, _ otherSearches: [Box<NameIndex>?], count: Int, defersSearch: Bool,
    host: Box<HostColumns>?, privateCount: Int
  ) {
    self.identifiers = identifiers
    self.names = names
    self.digests = digests
    self.byName = byName
    self.byLooseKey = byLooseKey
    self.twins = twins
    self.search = search
    self.otherSearches = otherSearches
    self.count = count
    self.defersSearch = defersSearch
    self.host = host
    self.privateCount = privateCount
  }

  mutating func pin() -> UserTable {
    UserTable(
      identifiers: identifiers.pin(), names: names.pin(), digests: digests.pin(), byName: byName.pin(),
      byLooseKey: byLooseKey?.pin(), twins: twins, search: search.pin(),
      otherSearches.map { $0.map { Box($0.value.pin()) } }, count: count, defersSearch: defersSearch,
      host: host.map { Box($0.value.pin()) }, privateCount: privateCount)
  }

  /// The number of rows, including those of removed users.
  var rowCount: Int { identifiers.count }

  @inline(__always)
  func isLive(_ row: UInt32) -> Bool { names.byteCount(Int(row)) > 0 }

  /// The row of a live user; nil for an unknown or removed one.
  @inline(__always)
  func row(of id: UserID) -> UInt32? {
    // If no user was removed, the check is skipped: it is a cache miss.
    guard let row = identifiers.row(of: id.rawValue), count == rowCount || isLive(row) else { return nil }
    return row
  }

  // MARK: - By name

  /// The row of the user of a kind whose name has this NFC; of two, the one with the lower id.
  func row(named name: Span<UInt8>, ofKind kind: UInt8 = 0) -> UInt32? {
    guard let row = anyRow(named: name, kind) else { return nil }
    return twins.isEmpty ? row : lower(row, twins[row])
  }

  /// The row of the user whom a name means: by loose key if loose keys are kept, otherwise as `row(named:)`.
  func row(meantBy name: Span<UInt8>, ofKind kind: UInt8 = 0) -> UInt32? {
    byLooseKey == nil ? row(named: name, ofKind: kind) : row(looselyNamed: name, kind)
  }

  /// The row of the user whose name is exactly this text.
  func row(exactlyNamed name: Span<UInt8>, ofKind kind: UInt8 = 0) -> UInt32? {
    guard let row = anyRow(named: name, kind) else { return nil }
    if ByteSearch.compare(names.bytes(Int(row)), name) == 0 { return row }
    guard let twin = twins[row], ByteSearch.compare(names.bytes(Int(twin)), name) == 0 else { return nil }
    return twin
  }

  /// The row of a user of a kind, other than `row`, whose name has the same NFC. If `loosely` is set and loose keys are
  /// kept: the same loose key.
  func holder(of name: Span<UInt8>, ofKind kind: UInt8, besides row: UInt32?, loosely: Bool) -> UInt32? {
    let isLoose = loosely && byLooseKey != nil
    let holder = isLoose ? self.row(looselyNamed: name, kind) : self.row(named: name, ofKind: kind)
    guard let holder, holder == row else { return holder }
    return twins[holder]
  }

  private func row(looselyNamed name: Span<UInt8>, _ kind: UInt8) -> UInt32? {
    let key = Folding.loose(name)
    return byLooseKey?.find(Self.salted(Hashing.hash(key.span), kind)) { row in
      names.kind(row) == kind && ByteSearch.compare(Folding.loose(names.bytes(Int(row))).span, key.span) == 0
    }
  }

  /// Whether older releases allowed a name beside one with the same NFC: they did if exactly one of the two is ASCII
  /// (`K` and U+212A).
  /// - Parameter row: the user who is renamed to it, if any.
  func mayShare(_ name: Span<UInt8>, with holder: UInt32, besides row: UInt32? = nil) -> Bool {
    (twins[holder] == nil || twins[holder] == row) && Folding.isASCII(name) != Folding.isASCII(names.bytes(Int(holder)))
  }

  /// Records that two users share a name.
  mutating func notePair(_ row: UInt32, _ other: UInt32) {
    twins[row] = other
    twins[other] = row
  }

  /// The pairs of users who share a name, by the lower id.
  var sharedNames: [RecoveryReport.SharedName] {
    twins.compactMap { row, twin in
      let (id, other) = (identifiers.id(of: row), identifiers.id(of: twin))
      return id < other ? RecoveryReport.SharedName(lower: UserID(id), higher: UserID(other)) : nil
    }.sorted { $0.lower.rawValue < $1.lower.rawValue }
  }

  private func lower(_ row: UInt32, _ twin: UInt32?) -> UInt32 {
    guard let twin, identifiers.id(of: twin) < identifiers.id(of: row) else { return row }
    return twin
  }

  private func anyRow(named name: Span<UInt8>, _ kind: UInt8) -> UInt32? {
    if Folding.isASCII(name) { return byName.find(Self.salted(Hashing.hash(name), kind)) { isNamed($0, name, kind) } }
    let composed = Folding.nfc(name)
    return byName.find(Self.salted(Hashing.hash(composed.span), kind)) { isNamed($0, composed.span, kind) }
  }

  /// The hash of a name of a kind.
  @inline(__always)
  private static func salted(_ hash: UInt64, _ kind: UInt8) -> UInt64 { hash ^ UInt64(kind) &* 0x9E37_79B9_7F4A_7C15 }

  /// Whether the NFC of a row's name is `composed`.
  @inline(__always)
  private func isNamed(_ row: UInt32, _ composed: Span<UInt8>, _ kind: UInt8) -> Bool {
    let name = names.bytes(Int(row))
    if hasKinds && names.kind(row) != kind { return false }
    return ByteSearch.compare(name, composed) == 0 || Self.composes(name, to: composed)
  }

  /// For the few names with an equal hash but different bytes.
  @inline(never)
  private static func composes(_ name: Span<UInt8>, to composed: Span<UInt8>) -> Bool {
    !Folding.isASCII(name) && ByteSearch.compare(Folding.nfc(name).span, composed) == 0
  }

  // MARK: - Changing

  /// Adds a user whose id and name are known to be free. Returns the row.
  /// - Parameter displayName: empty for none.
  mutating func append(id: Int64, name: Span<UInt8>, displayName: Span<UInt8> = Span(), kind: UInt8 = 0) -> UInt32 {
    let row = UInt32(identifiers.count)
    identifiers.append(id)
    names.append(name)
    digests.grow(to: identifiers.count)
    names.setCard(row, UserCard(id: id, followerCount: 0, followeeCount: 0, postCount: 0, kind: kind))
    if kind > 0 { useKind(kind) }
    if !displayName.isEmpty { keepDisplayName(displayName, of: row) }
    enter(row)
    count += 1
    return row
  }

  /// Sets the ids of all rows; their names follow by `restore`, then `buildSearch`.
  /// - Parameter liveCount: the number of rows that will have a name.
  mutating func beginRestoring(_ identifiers: consuming IdentifierTable, liveCount: Int) {
    names.grow(to: identifiers.count)
    digests.grow(to: identifiers.count)
    self.identifiers = identifiers
    defersSearch = true
    byName.reserve(liveCount)
  }

  /// An MVCC snapshot of the ids alone.
  mutating func pinIDs() -> RowIDs { identifiers.pinIDs() }

  /// Restores the name of a user, known to be free.
  mutating func restore(_ row: UInt32, name: Span<UInt8>) {
    names.fill(Int(row), name)
    enter(row)
    count += 1
  }

  mutating func rename(_ row: UInt32, to name: Span<UInt8>) {
    leave(row)
    names.set(Int(row), name)
    enter(row)
  }

  mutating func remove(_ row: UInt32) {
    leave(row)
    keepDisplayName(Span(), of: row)
    names.clear(Int(row))
    count -= 1
    if let host {
      host.value.clear(row)
      setFlags(0, of: row)
      setPrivate(false, row)
    }
  }

  // MARK: - What the host keeps

  @inline(__always)
  func isPrivate(_ row: UInt32) -> Bool { names.isPrivate(row) }

  mutating func setPrivate(_ isPrivate: Bool, _ row: UInt32) {
    var card = names.card(row)
    if card.isPrivate == isPrivate { return }
    useHost()
    card.isPrivate = isPrivate
    names.setCard(row, card)
    privateCount += isPrivate ? 1 : -1
  }

  /// What the host keeps, made by its first use.
  @discardableResult
  mutating func useHost() -> Box<HostColumns> {
    if let host { return host }
    let made = Box(HostColumns())
    host = made
    return made
  }

  // MARK: - Cards

  mutating func setCard(_ row: UInt32, _ card: UserCard) { names.setCard(row, card) }

  /// Prefetches the cards of both ends of a follow.
  @inline(__always)
  func prefetchCards(_ source: UInt32, _ target: UInt32) {
    prefetchCard(source)
    prefetchCard(target)
  }

  @inline(__always)
  func prefetchCard(_ row: UInt32) { names.prefetchReference(Int(row)) }

  /// Counts a follow that was added (`by` is 1) or removed (-1).
  /// - Returns: the target's number of followers.
  @inline(__always)
  mutating func countFollow(_ source: UInt32, _ target: UInt32, by change: Int64) -> Int {
    names.countFollow(source, target, by: change)
  }

  @inline(__always)
  mutating func countPost(of author: UInt32, by change: Int64) { names.countPost(of: author, by: change) }

  // MARK: - Names

  private func nameHash(_ row: UInt32) -> UInt64 {
    let name = names.bytes(Int(row))
    return Self.salted(
      Folding.isASCII(name) ? Hashing.hash(name) : Hashing.hash(Folding.nfc(name).span), names.kind(row))
  }

  /// Nil if loose keys are not kept.
  private func looseHash(_ row: UInt32) -> UInt64? {
    byLooseKey == nil
      ? nil : Self.salted(Hashing.hash(Folding.loose(names.bytes(Int(row))).span), names.kind(row))
  }

  private mutating func enter(_ row: UInt32) {
    setDigest(row)
    byName.insert(nameHash(row), row: row)
    if let hash = looseHash(row) { byLooseKey?.insert(hash, row: row) }
    if !defersSearch { index(row) }
  }

  mutating func setDigest(_ row: UInt32) {
    guard let column = displayNames(ofKind: names.kind(row)), row < column.value.count else {
      return digests.set(row, name: names.bytes(Int(row)), displayName: Span())
    }
    column.value.withBytes(Int(row)) { digests.set(row, name: names.bytes(Int(row)), displayName: $0) }
  }

  private mutating func leave(_ row: UInt32) {
    byName.remove(nameHash(row), row: row)
    if let hash = looseHash(row) { byLooseKey?.remove(hash, row: row) }
    if let twin = twins.removeValue(forKey: row) { twins[twin] = nil }
    if !defersSearch { unindex(row) }
  }

  var nameLookupByteCount: Int { byName.byteCount + looseLookupByteCount }

  /// Defers the search index, for many users at once.
  mutating func deferSearch() { defersSearch = true }

  /// Rebuilds the search indexes from all names.
  mutating func buildSearch() {
    rebuildIndexes()
    defersSearch = false
  }

  // MARK: - Uniqueness by loose key

  /// Makes loose keys unique from now on; a lone accent has an empty key. Returns the first two users, by row, with
  /// equal keys, if there are any. Keys are then not kept.
  /// - Complexity: O(bytes of all names).
  mutating func keepLooseKeys() -> (UInt32, UInt32)? {
    byLooseKey = HashIndex()
    for row in 0..<UInt32(rowCount) where isLive(row) {
      if let other = self.row(looselyNamed: names.bytes(Int(row)), names.kind(row)) {
        byLooseKey = nil
        return (other, row)
      }
      if let hash = looseHash(row) { byLooseKey?.insert(hash, row: row) }
    }
    return nil
  }

  private var looseLookupByteCount: Int {
    switch byLooseKey {
    case .some(let index): index.byteCount
    case nil: 0
    }
  }

  private func checkLooseKeys() -> [String] {
    switch byLooseKey {
    case .some(let index):
      index.checkInvariants("users by loose key")
        + (index.count == count ? [] : ["users: \(count) counted, \(index.count) loose keys"])
    case nil: []
    }
  }

  func checkInvariants(_ control: PassControl) -> [String] {
    var problems = identifiers.checkInvariants("users") + names.checkInvariants("usernames")
    problems += byName.checkInvariants("users by name") + checkIndexes(control)
    problems += checkLooseKeys()
    var (live, privates) = (0, 0)
    for row in 0..<UInt32(rowCount) where isLive(row) {
      live += 1
      if isPrivate(row) { privates += 1 }
      if !control.visit() { return problems }
      if !digests.holds(row, key: indexKey(row).span) {
        problems.append("users: the digest of row \(row) is another name's")
      }
      if self.row(exactlyNamed: names.bytes(Int(row)), ofKind: names.kind(row)) != row {
        problems.append("users: the name of row \(row) does not lead to it")
      }
    }
    if let host { problems += host.value.checkInvariants("users", rowCount: rowCount) { isLive($0) } }
    if privates != privateCount { problems.append("users: \(privateCount) private, \(privates) by their cards") }
    if digests.count != rowCount { problems.append("users: \(digests.count) digests of \(rowCount) rows") }
    if live != count || byName.count != count {
      problems.append("users: \(count) counted, \(live) live, \(byName.count) names")
    }
    return problems
  }
}
