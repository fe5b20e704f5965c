/// The ids of one kind of thing by row, and the rows by id. Rows are given in order of appearance and never reused, and
/// an id once entered stays: that is how a removed one is remembered.
///
/// Ids that begin 1, 2, 3 … in order of appearance, as assigned ones do, need no index: the row is the id less one.
struct IdentifierTable: ~Copyable, Sendable {
  private(set) var ids: Column<Int64>
  private var index: HashIndex
  /// Leading rows whose id is the row plus one.
  private var denseCount = 0
  /// The highest id ever.
  private(set) var highest: Int64 = 0
  /// Whether ids ascend with rows, as those do that are assigned or come in their order: then rows can be compared in
  /// the place of ids.
  private(set) var isAscending = true

  init() {
    ids = Column()
    index = HashIndex()
  }

  private init(
    ids: consuming Column<Int64>, index: consuming HashIndex, denseCount: Int, highest: Int64, isAscending: Bool
  ) {
    self.ids = ids
    self.index = index
    self.denseCount = denseCount
    self.highest = highest
    self.isAscending = isAscending
  }

  mutating func pin() -> IdentifierTable {
    IdentifierTable(
      ids: ids.pin(), index: index.pin(), denseCount: denseCount, highest: highest, isAscending: isAscending)
  }

  /// The ids alone, as of now.
  mutating func pinIDs() -> Column<Int64> { ids.pin() }

  var count: Int { ids.count }

  /// The row that ever had an id.
  @inline(__always)
  func row(of id: Int64) -> UInt32? {
    if id > 0 && id <= denseCount { return UInt32(truncatingIfNeeded: id - 1) }
    return index.find(Hashing.hash(id)) { ids[$0] == id }
  }

  /// The id of a row; where ids are dense it is known without a look.
  @inline(__always)
  func id(of row: UInt32) -> Int64 { Int(row) < denseCount ? Int64(row) + 1 : ids[row] }

  /// The first row whose id is after another, where ids ascend with rows; `count` if there is none.
  /// - Complexity: O(log rows).
  func firstRow(after id: Int64) -> UInt32 {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self.id(of: UInt32(middle)) <= id { low = middle + 1 } else { high = middle }
    }
    return UInt32(low)
  }

  /// Enters an id that was never there.
  mutating func append(_ id: Int64) {
    let row = UInt32(ids.count)
    if Int(row) == denseCount && id == Int64(row) + 1 {
      denseCount += 1
    } else {
      index.insert(Hashing.hash(id), row: row)
    }
    ids.append(id)
    if id < highest { isAscending = false }
    highest = max(highest, id)
  }

  var byteCount: Int { ids.byteCount + index.byteCount }

  func checkInvariants(_ name: String) -> [String] {
    var problems = ids.checkInvariants("\(name) ids") + index.checkInvariants("\(name) id index")
    var greatest: Int64 = 0
    for row in 0..<ids.count {
      if self.row(of: ids[row]) != UInt32(row) {
        problems.append("\(name): id \(ids[row]) does not lead to row \(row)")
      }
      greatest = max(greatest, ids[row])
    }
    if isAscending && (1..<max(1, ids.count)).contains(where: { ids[$0 - 1] >= ids[$0] }) {
      problems.append("\(name): ids are noted as ascending with rows, and are not")
    }
    if greatest != highest { problems.append("\(name): the highest id is \(greatest), noted is \(highest)") }
    return problems
  }
}
