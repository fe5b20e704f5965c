/// Two-way map between ids and rows. Rows are assigned in order of insertion and never reused. Ids are never removed:
/// the table thus remembers the ids of removed posts and users.
///
/// Ids that begin 1, 2, 3 … in order of insertion, as assigned ids do, need neither an index nor a column: the row is
/// the id minus one.
struct IdentifierTable: ~Copyable, Sendable {
  private(set) var ids: RowIDs
  private var index: HashIndex
  /// Rows that were already removed when the table was built, by id. They are kept out of the index, since they are
  /// rarely looked up and never change: four bytes each, where the index takes ten.
  private var removed: [UInt32]
  /// The highest id ever inserted.
  private(set) var highest: Int64
  /// Whether ids ascend with rows, as they do if assigned or inserted in order. Rows can then be compared instead of
  /// ids.
  private(set) var isAscending: Bool

  init() {
    ids = RowIDs()
    index = HashIndex()
    removed = []
    highest = 0
    isAscending = true
  }

  private init(
    ids: consuming RowIDs, index: consuming HashIndex, removed: [UInt32], highest: Int64, isAscending: Bool
  ) {
    self.ids = ids
    self.index = index
    self.removed = removed
    self.highest = highest
    self.isAscending = isAscending
  }

  mutating func pin() -> IdentifierTable {
    IdentifierTable(
      ids: ids.pin(), index: index.pin(), removed: removed, highest: highest, isAscending: isAscending)
  }

  /// An MVCC snapshot of the ids alone.
  mutating func pinIDs() -> RowIDs { ids.pin() }

  var count: Int { ids.count }

  /// The row of an id, also of a removed one; nil for an id never inserted.
  @inline(__always)
  func row(of id: Int64) -> UInt32? {
    if id > 0 && id <= ids.denseCount { return UInt32(truncatingIfNeeded: id - 1) }
    return indexedRow(of: id)
  }

  @inline(never)
  private func indexedRow(of id: Int64) -> UInt32? {
    index.find(Hashing.hash(id)) { ids[$0] == id } ?? (removed.isEmpty ? nil : removedRow(of: id))
  }

  /// - Complexity: O(log removed).
  @inline(never)
  private func removedRow(of id: Int64) -> UInt32? {
    if id > highest { return nil }
    var (low, high) = (0, removed.count)
    while low < high {
      let middle = (low + high) / 2
      if ids[removed[middle]] < id { low = middle + 1 } else { high = middle }
    }
    return low < removed.count && ids[removed[low]] == id ? removed[low] : nil
  }

  /// The id of a row.
  @inline(__always)
  func id(of row: UInt32) -> Int64 { ids[row] }

  /// The first row whose id is greater than `id`; `count` if there is none. Requires that ids ascend with rows.
  /// - Complexity: O(log rows).
  func firstRow(after id: Int64) -> UInt32 {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self.id(of: UInt32(middle)) <= id { low = middle + 1 } else { high = middle }
    }
    return UInt32(low)
  }

  /// Inserts an id that was never inserted before.
  mutating func append(_ id: Int64) {
    if !appendDense(id) { index.insert(Hashing.hash(id), row: UInt32(ids.count - 1)) }
  }

  /// Inserts the id of a row that was removed before the table was built. Call `settleRemoved` after the last one.
  mutating func appendRemoved(_ id: Int64) {
    if !appendDense(id) { removed.append(UInt32(ids.count - 1)) }
  }

  /// Appends a row.
  /// - Returns: whether its id needs no index.
  @inline(__always)
  private mutating func appendDense(_ id: Int64) -> Bool {
    let denseCount = ids.denseCount
    ids.append(id)
    if id < highest { isAscending = false }
    highest = max(highest, id)
    return ids.denseCount > denseCount
  }

  /// Sorts the ids inserted by `appendRemoved`.
  /// - Returns: an id that was inserted twice, if there is one.
  /// - Complexity: O(removed); O(removed · log removed) where ids do not ascend with rows.
  mutating func settleRemoved() -> Int64? {
    if removed.isEmpty { return nil }
    // The copy has no spare capacity.
    var rows = Array(removed[...])
    removed = []
    if !isAscending { rows.sort { ids[$0] < ids[$1] } }
    var last: Int64 = 0
    for row in rows {
      let id = ids[row]
      if id == last || self.row(of: id) != nil { return id }
      last = id
    }
    removed = rows
    return nil
  }

  var byteCount: Int { ids.byteCount + index.byteCount + removed.capacity * 4 }

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
