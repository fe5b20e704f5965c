/// What a scan of many users reads of each in the place of the name: its signature and its abbreviated key. By row.
///
/// Apart from the cards, because a scan reads them at random: eight bytes each stay in the cache where cards of 32 do
/// not.
struct NameDigests: ~Copyable, Sendable {
  private(set) var signatures: Column<UInt64>
  /// The first four bytes of the loose keys of usernames as numbers: if two differ, they have the order of the keys.
  private(set) var abbreviatedKeys: Column<UInt32>

  init() {
    signatures = Column()
    abbreviatedKeys = Column()
  }

  private init(signatures: consuming Column<UInt64>, abbreviatedKeys: consuming Column<UInt32>) {
    self.signatures = signatures
    self.abbreviatedKeys = abbreviatedKeys
  }

  mutating func pin() -> NameDigests {
    NameDigests(signatures: signatures.pin(), abbreviatedKeys: abbreviatedKeys.pin())
  }

  var count: Int { signatures.count }
  var byteCount: Int { signatures.byteCount + abbreviatedKeys.byteCount }

  /// Grows to this many rows, of names without bytes.
  mutating func grow(to count: Int) {
    signatures.grow(to: count, filledWith: 0)
    abbreviatedKeys.grow(to: count, filledWith: 0)
  }

  /// Sets the names of a row: the username, and the display name, unless that is empty.
  mutating func set(_ row: UInt32, name: Span<UInt8>, displayName: Span<UInt8>) {
    var keys = KeyBuffer(capacity: name.count)
    Folding.appendLoose(name, to: &keys)
    let end = keys.count - 1
    if !displayName.isEmpty { keys.append(displayName: displayName) }
    signatures[row] = NameSignature(key: keys.bytes.extracting(first: keys.count - 1)).bits
    abbreviatedKeys[row] = Self.abbreviated(keys.bytes.extracting(first: end))
  }

  @inline(__always)
  func signature(_ row: UInt32) -> NameSignature { NameSignature(bits: signatures[row]) }

  @inline(__always)
  func prefetchSignature(_ row: UInt32) { signatures.prefetch(Int(row)) }

  static func abbreviated(_ key: Span<UInt8>) -> UInt32 { UInt32(ByteSearch.leadingWord(key) >> 32) }

  /// Whether a row has the digest of the key of an entry of the index.
  func holds(_ row: UInt32, key: Span<UInt8>) -> Bool {
    signature(row) == NameSignature(key: key) && abbreviatedKeys[row] == Self.abbreviated(NamesKey.name(key))
  }
}
