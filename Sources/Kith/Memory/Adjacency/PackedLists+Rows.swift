import CSupport

extension PackedLists<UInt32> {
  /// The first position whose row is not below another one, if the rows ascend; otherwise some position.
  ///
  /// Branchless, for a caller that searches many lists: their searches overlap.
  @inline(__always)
  func position(notBelow row: UInt32, in list: Int) -> Position {
    let (base, count, isLong) = unsafe packed(list)
    if isLong { return partitionPoint(of: list) { $0 < row } }
    return Position(run: 0, offset: unsafe kith_lower_bound_row(base, count, row))
  }
}
