/// A search of the username index: a query, a range of the order, and a limit.
///
/// Results are sorted by rank, descending, then by name. The caller ranks every match. Where the order is by name
/// alone, all ranks are equal.
struct NameSearch {
  let query: NameQuery
  /// The position after which the results begin; nil for the start.
  var after: NameKey?
  /// The rank of that position; nil where the order is by name alone, so that the walk can begin at the position.
  var afterRank: Int?
  /// Only names whose loose key is below this one.
  var below: [UInt8]?
  /// The most results.
  var limit: Int
  /// The highest possible rank. A walk in name order ends once `limit` matches of this rank are found.
  var ceiling = 0
  /// Of a prefix: the position of its first name in the only segment, if `NameIndex.lacksPrefix` looked for it.
  var prefixStart: NameSegment.Place?

  /// Whether it begins at the first name, in the order of names alone.
  var isOfFirstPage: Bool { afterRank == nil && after == nil && below == nil }
}
