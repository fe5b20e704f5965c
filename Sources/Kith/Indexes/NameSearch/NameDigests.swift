/// What a scan of many users reads of each in the place of the name: its signature, and how its key begins. By row.
///
/// Apart from the cards, because a scan reads them at random: eight bytes each stay in the cache where cards of 32 do
/// not.
struct NameDigests: ~Copyable, Sendable {
  private(set) var signatures: Column<UInt64>
  /// The first four bytes of the loose keys as numbers with the same order; shorter keys are padded with zeros.
  private(set) var beginnings: Column<UInt32>

  init() {
    signatures = Column()
    beginnings = Column()
  }

  private init(signatures: consuming Column<UInt64>, beginnings: consuming Column<UInt32>) {
    self.signatures = signatures
    self.beginnings = beginnings
  }

  mutating func pin() -> NameDigests { NameDigests(signatures: signatures.pin(), beginnings: beginnings.pin()) }

  var count: Int { signatures.count }
  var byteCount: Int { signatures.byteCount + beginnings.byteCount }

  /// Grows to this many rows, of names without bytes.
  mutating func grow(to count: Int) {
    signatures.grow(to: count, filledWith: 0)
    beginnings.grow(to: count, filledWith: 0)
  }

  /// Sets the name of a row.
  mutating func set(_ row: UInt32, name: Span<UInt8>) {
    var keys = KeyBuffer(capacity: name.count)
    Folding.appendLoose(name, to: &keys)
    let key = keys.bytes.extracting(first: keys.count - 1)
    signatures[row] = NameSignature(key: key).bits
    beginnings[row] = Self.beginning(ofKey: key)
  }

  @inline(__always)
  func signature(_ row: UInt32) -> NameSignature { NameSignature(bits: signatures[row]) }

  @inline(__always)
  func prefetchSignature(_ row: UInt32) { signatures.prefetch(Int(row)) }

  static func beginning(ofKey key: Span<UInt8>) -> UInt32 { UInt32(ByteSearch.leadingWord(key) >> 32) }

  /// Whether a row has the digest of a loose key.
  func holds(_ row: UInt32, key: Span<UInt8>) -> Bool {
    signature(row) == NameSignature(key: key) && beginnings[row] == Self.beginning(ofKey: key)
  }
}
