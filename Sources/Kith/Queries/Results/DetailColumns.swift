/// The details of the records of a result, attached to it.
final class DetailColumns: Sendable {
  let counted: [String]
  let marked: [String]
  /// By record, then by `counted`.
  private let counts: [UInt32]
  /// By record: a bit for each of `marked`.
  private let marks: [UInt64]
  /// The authors of posts, which were attached in its place.
  let authors: (any Sendable)?

  /// - Parameters:
  ///   - counts: by record, then by `counted`.
  ///   - marks: by record: a bit for each of `marked`.
  init(counted: [String], marked: [String], counts: [UInt32], marks: [UInt64], authors: (any Sendable)?) {
    (self.counted, self.marked, self.counts, self.marks) = (counted, marked, counts, marks)
    self.authors = authors
  }

  func count(of relation: Relation, _ index: Int) -> Int? {
    counted.firstIndex(of: relation.name).map { Int(counts[index * counted.count + $0]) }
  }

  func isMarked(_ relation: Relation, _ index: Int) -> Bool? {
    marked.firstIndex(of: relation.name).map { marks[index] >> $0 & 1 == 1 }
  }

  /// The counts of a record, by the names of relations, as asked for.
  func counts(_ index: Int) -> [(String, Int64)] {
    counted.indices.map { (counted[$0], Int64(counts[index * counted.count + $0])) }
  }

  /// The marks of a record: the names of relations.
  func marks(_ index: Int) -> [String] { marked.indices.filter { marks[index] >> $0 & 1 == 1 }.map { marked[$0] } }

  /// Whether two records have the same details.
  static func areEqual(_ left: DetailColumns?, _ index: Int, _ right: DetailColumns?, _ other: Int) -> Bool {
    guard let left, let right else { return left === right }
    return left.counted == right.counted && left.marked == right.marked && left.marks[index] == right.marks[other]
      && left.counts(index).elementsEqual(right.counts(other)) { $0.1 == $1.1 }
  }
}

extension ResultBuffer {
  /// The details that were attached; nil if none were asked for.
  var details: DetailColumns? { attachment as? DetailColumns }
}
