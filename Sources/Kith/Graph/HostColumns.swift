/// What a host keeps with the users, or with the posts, of a graph: payloads, flags, when a post was edited, and who
/// may see it. By row.
///
/// A column is made by its first use, and ends with the last row that used it: the rows behind have nothing.
struct HostColumns: ~Copyable, Sendable {
  private(set) var payloads: TextColumn
  /// Those of posts. The flags of users are in their cards.
  private var flags: Column<UInt16>
  /// When posts were edited, in milliseconds plus one; 0 for those that were not.
  private var editTimes: Column<UInt64>
  /// The numbers of the audiences of posts. That a user is private is in the card.
  private var audiences: Column<UInt8>

  init() {
    payloads = TextColumn()
    flags = Column()
    editTimes = Column()
    audiences = Column()
  }

  private init(
    payloads: consuming TextColumn, flags: consuming Column<UInt16>, editTimes: consuming Column<UInt64>,
    audiences: consuming Column<UInt8>
  ) {
    self.payloads = payloads
    self.flags = flags
    self.editTimes = editTimes
    self.audiences = audiences
  }

  mutating func pin() -> HostColumns {
    HostColumns(payloads: payloads.pin(), flags: flags.pin(), editTimes: editTimes.pin(), audiences: audiences.pin())
  }

  var byteCount: Int { payloads.memoryByteCount + flags.byteCount + editTimes.byteCount + audiences.byteCount }

  /// Whether any row has, or had, one.
  var hasFlags: Bool { flags.count > 0 }
  var hasEdits: Bool { editTimes.count > 0 }
  var hasAudiences: Bool { audiences.count > 0 }

  // MARK: - Payloads

  @inline(__always)
  func payloadByteCount(_ row: UInt32) -> Int { row < payloads.count ? payloads.byteCount(Int(row)) : 0 }

  /// Calls `body` with the payload of a row, in place; empty for a row without one.
  func withPayload<Result>(_ row: UInt32, _ body: (Span<UInt8>) -> Result) -> Result {
    row < payloads.count ? body(payloads.bytes(Int(row))) : body(Span())
  }

  /// Prefetches what leads to the payload of a row.
  @inline(__always)
  func prefetchPayloadReference(_ row: UInt32) { if row < payloads.count { payloads.prefetchReference(Int(row)) } }

  /// Prefetches the payload of a row. Returns its byte count.
  @inline(__always)
  func prefetchPayload(_ row: UInt32) -> Int {
    row < payloads.count ? payloads.prefetch(referenced: payloads.reference(Int(row))).byteCount : 0
  }

  /// Appends the payload of a row to a result. Returns where.
  @inline(__always)
  func append<Record>(payloadOf row: UInt32, to buffer: inout ResultBufferWriter<Record>) -> Range<Int> {
    row < payloads.count ? buffer.append(payloads.reference(Int(row)), of: payloads) : 0..<0
  }

  /// Prefetches the flags of a row.
  @inline(__always)
  func prefetchFlags(of row: UInt32) { if row < flags.count { flags.prefetch(Int(row)) } }

  mutating func setPayload(_ payload: Span<UInt8>, of row: UInt32) {
    if row >= payloads.count {
      if payload.isEmpty { return }
      payloads.grow(to: Int(row) + 1)
    }
    if payload.isEmpty { payloads.clear(Int(row)) } else { payloads.set(Int(row), payload) }
  }

  // MARK: - Flags and times

  @inline(__always)
  func flags(of row: UInt32) -> UInt16 { row < flags.count ? flags[row] : 0 }

  mutating func setFlags(_ value: UInt16, of row: UInt32) {
    if row >= flags.count {
      if value == 0 { return }
      flags.grow(to: Int(row) + 1, filledWith: 0)
    }
    flags[row] = value
  }

  /// When a post was edited, in milliseconds; nil for one that was not.
  @inline(__always)
  func editTime(of row: UInt32) -> Int64? {
    let stored = storedEditTime(of: row)
    return stored == 0 ? nil : Int64(bitPattern: stored &- 1)
  }

  /// The same plus one; 0 for a post that was not edited.
  @inline(__always)
  func storedEditTime(of row: UInt32) -> UInt64 { row < editTimes.count ? editTimes[row] : 0 }

  mutating func setEditTime(_ time: Int64?, of row: UInt32) {
    if row >= editTimes.count {
      if time == nil { return }
      editTimes.grow(to: Int(row) + 1, filledWith: 0)
    }
    editTimes[row] = time.map { UInt64($0) + 1 } ?? 0
  }

  // MARK: - Audiences

  /// The number of the audience of a post, whether its author is private or not.
  @inline(__always)
  func audience(of row: UInt32) -> UInt8 { row < audiences.count ? audiences[row] : 0 }

  /// Prefetches the audience of a row.
  @inline(__always)
  func prefetchAudience(of row: UInt32) { if row < audiences.count { audiences.prefetch(Int(row)) } }

  mutating func setAudience(_ number: UInt8, of row: UInt32) {
    if row >= audiences.count {
      if number == 0 { return }
      audiences.grow(to: Int(row) + 1, filledWith: 0)
    }
    audiences[row] = number
  }

  // MARK: - Whole rows and columns

  /// Forgets everything about a row, which was removed.
  mutating func clear(_ row: UInt32) {
    setAudience(0, of: row)
    setPayload(Span(), of: row)
    setFlags(0, of: row)
    setEditTime(nil, of: row)
  }

  /// Takes the payloads of a snapshot.
  mutating func restore(payloads: consuming TextColumn) { self.payloads = payloads }

  /// - Parameter isLive: whether a row is of what was not removed.
  func checkInvariants(_ name: String, rowCount: Int, isLive: (UInt32) -> Bool) -> [String] {
    var problems = payloads.checkInvariants("payloads of \(name)")
    if max(payloads.count, flags.count, editTimes.count, audiences.count) > rowCount {
      return problems + ["\(name): more rows than ids"]
    }
    for row in 0..<UInt32(rowCount) where !isLive(row) {
      if payloadByteCount(row) > 0 || flags(of: row) != 0 || editTime(of: row) != nil || audience(of: row) != 0 {
        problems.append("\(name): removed row \(row) has kept something")
      }
    }
    return problems
  }
}
