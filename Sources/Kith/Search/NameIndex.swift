/// All usernames in order of loose key, then exact name; found by any part of them.
///
/// Tiers by age and a small mutable head. A head that is full becomes the youngest tier as it is; tiers are rewritten
/// into immutable segments that grow geometrically (`NameMerge`), and into one while no name comes (`rest`), by whom
/// and whenever that suits: answers do not depend on it. A name's row remembers the *serial* of the head it went into;
/// a tier covers a range of serials, and an entry lives as long as its row's serial is in the range of its tier. So a
/// removal is one write, a merge needs no bookkeeping, and changes made while a merge runs are not lost on it.
///
/// Names must be in `names` from before their insertion until after their removal.
/// - Complexity: insertion O(log n) and, amortised, one rewriting of the name on each level; removal O(log n); `pin`
///   O(1).
struct NameIndex: ~Copyable, Sendable {
  /// Names in order that do not change any more, and how many of them are dead.
  struct Tier: Sendable {
    enum Body: Sendable {
      case segment(NameSegment)
      /// A head that was full and waits to be made into a segment.
      case head(NameHead)
    }

    let body: Body
    /// The heads that are in it.
    let serials: ClosedRange<UInt32>
    let count: Int
    var deadCount = 0

    init(_ segment: NameSegment) {
      body = .segment(segment)
      serials = segment.serials
      count = segment.count
    }

    init(_ head: NameHead, serial: UInt32) {
      body = .head(head)
      serials = serial...serial
      count = head.count
    }

    var isHead: Bool { if case .head = body { true } else { false } }
  }

  static let defaultHeadCapacity = 4_096
  /// Fewer tiers to look through against more rewriting: a million names that came one by one are in seven tiers with
  /// four, in thirteen with eight, and were rewritten for 1.5 and 1.2 µs each.
  static let defaultFanout = 4
  static let noSerial: UInt32 = 0

  let headCapacity: Int
  let fanout: Int
  /// Of segments.
  let namesPerPart: Int
  /// By age: the ranges of their serials ascend and do not meet.
  var tiers: [Tier] = []
  var head = NameHead()
  /// The serial of the names in the head. It never goes back, so that a range of serials names one tier for ever.
  var headSerial: UInt32 = 1
  /// By row.
  var serials = Column<UInt32>()
  /// Whether tiers changed so that a merge may be due; for the one who has merges run, who sets it back.
  var mergeMayBeDue = false

  init() {
    self.init(
      headCapacity: Self.defaultHeadCapacity, fanout: Self.defaultFanout, namesPerPart: NameSegment.maximumNamesPerPart)
  }

  /// - Parameters:
  ///   - headCapacity: how many names fill the head.
  ///   - fanout: how many segments of about one size are merged into one; at least 2.
  ///   - namesPerPart: of segments (see there).
  init(headCapacity: Int, fanout: Int, namesPerPart: Int) {
    precondition(headCapacity >= 1 && fanout >= 2, "a head holds at least one name, and a merge takes at least two")
    self.headCapacity = headCapacity
    self.fanout = fanout
    self.namesPerPart = namesPerPart
  }

  private init(
    headCapacity: Int, fanout: Int, namesPerPart: Int, tiers: [Tier], head: NameHead, headSerial: UInt32,
    serials: consuming Column<UInt32>, mergeMayBeDue: Bool
  ) {
    self.headCapacity = headCapacity
    self.fanout = fanout
    self.namesPerPart = namesPerPart
    self.tiers = tiers
    self.head = head
    self.headSerial = headSerial
    self.serials = serials
    self.mergeMayBeDue = mergeMayBeDue
  }

  /// The index as of now; neither side sees what the other changes afterwards.
  mutating func pin() -> NameIndex {
    NameIndex(
      headCapacity: headCapacity, fanout: fanout, namesPerPart: namesPerPart, tiers: tiers, head: head,
      headSerial: headSerial, serials: serials.pin(), mergeMayBeDue: mergeMayBeDue)
  }

  /// Adds a row's name, which is in `names` already.
  mutating func insert(_ row: UInt32, names: borrowing TextColumn) {
    serials.grow(to: Int(row) + 1, filledWith: Self.noSerial)
    precondition(serials[row] == Self.noSerial, "a row has one name in the index")
    head.insert(row, key: Folding.loose(names.bytes(Int(row))), names: names)
    serials[row] = headSerial
    if head.count >= headCapacity { freezeHead(names: names) }
  }

  /// Takes a row's name out, while it is still in `names`. Nothing happens if it is not in the index.
  mutating func remove(_ row: UInt32, names: borrowing TextColumn) {
    guard Int(row) < serials.count else { return }
    let serial = serials[row]
    if serial == Self.noSerial { return }
    serials[row] = Self.noSerial
    if serial == headSerial {
      head.remove(row, key: Folding.loose(names.bytes(Int(row))), names: names)
    } else if let index = tiers.firstIndex(where: { $0.serials.contains(serial) }) {
      tiers[index].deadCount += 1
      if isMostlyDead(tiers[index]) { mergeMayBeDue = true }
    }
  }

  /// Forgets everything and indexes every row that has a name.
  /// - Complexity: O(bytes) for the most part: about 0.7 µs a name.
  mutating func rebuild(names: borrowing TextColumn) {
    tiers = []
    head = NameHead()
    headSerial += 1
    serials = Column()
    var byteCount = 0
    for row in 0..<names.count { byteCount += names.byteCount(row) }
    var builder = NameSegmentBuilder(namesPerPart: namesPerPart)
    builder.reserve(count: names.count, keyByteCount: byteCount + names.count)
    for row in 0..<names.count {
      let name = names.bytes(row)
      if name.isEmpty {
        serials.append(Self.noSerial)
        continue
      }
      if builder.keyByteCount > NameSegment.maximumKeyByteCount - NameSegmentBuilder.maximumKeyByteCount {
        append(builder, names: names)
        builder = NameSegmentBuilder(namesPerPart: namesPerPart)
      }
      builder.add(UInt32(row), name: name)
      serials.append(headSerial)
    }
    append(builder, names: names)
  }

  /// Makes a segment of the present serial, and begins the next one.
  private mutating func append(_ builder: consuming NameSegmentBuilder, names: borrowing TextColumn) {
    if builder.count == 0 { return }
    tiers.append(Tier(builder.build(serials: headSerial...headSerial, names: names) {}))
    headSerial += 1
  }

  /// Whether a tier's entry for a row is the one that counts.
  @inline(__always)
  func isLive(_ tier: Tier, _ row: UInt32) -> Bool { tier.serials.contains(serials[row]) }

  var byteCount: Int {
    var total = head.byteCount + serials.byteCount + tiers.count * MemoryLayout<Tier>.stride
    for tier in tiers {
      switch tier.body {
      case .segment(let segment): total += segment.byteCount
      case .head(let head): total += head.byteCount
      }
    }
    return total
  }
}
