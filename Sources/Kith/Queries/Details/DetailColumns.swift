import CSupport

/// The details of the records of a result, attached to it.
final class DetailColumns: Sendable {
  let counted: [String]
  let marked: [String]
  /// By record, then by `counted`.
  private let counts: [UInt32]
  /// By record: a bit for each of `marked`.
  private let marks: [UInt64]
  /// By record; nil if they were not asked for.
  let payloads: PayloadRecords?
  /// The authors of posts, which were attached in its place.
  let authors: (any Sendable)?

  /// - Parameters:
  ///   - counts: by record, then by `counted`.
  ///   - marks: by record: a bit for each of `marked`.
  init(
    counted: [String], marked: [String], counts: [UInt32], marks: [UInt64], payloads: PayloadRecords?,
    authors: (any Sendable)?
  ) {
    (self.counted, self.marked, self.counts, self.marks) = (counted, marked, counts, marks)
    self.payloads = payloads
    self.authors = authors
  }

  func count(of relation: Relation, _ index: Int) -> Int? {
    counted.firstIndex(of: relation.name).map { Int(counts[index * counted.count + $0]) }
  }

  func isMarked(_ relation: Relation, _ index: Int) -> Bool? {
    marked.firstIndex(of: relation.name).map { marks[index] >> $0 & 1 == 1 }
  }

  /// The payload of a record; nil if payloads were not asked for.
  func payload(_ index: Int) -> [UInt8]? {
    payloads.map { $0.bytes(at: Int($0[index].start), count: Int($0[index].size)) }
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
      && left.payload(index) == right.payload(other)
  }
}

extension ResultBuffer {
  /// The details that were attached; nil if none were asked for.
  var details: DetailColumns? { attachment as? DetailColumns }
}

/// Where the payload of a record lies: the structure that C reads in place, declared in kith_records.h.
package typealias PayloadRecord = kith_payload

/// The payloads of a result: one allocation.
typealias PayloadRecords = ResultBuffer<PayloadRecord>

extension ResultBuffer<PayloadRecord> {
  /// - Parameter rows: nil for what is not in the graph.
  init(_ rows: [UInt32?], _ host: Box<HostColumns>?) {
    guard let host else {
      let empty = ResultBufferWriter<PayloadRecord>(recordCount: rows.count, byteCount: 0)
      for index in rows.indices { empty.set(index, PayloadRecord(start: 0, size: 0)) }
      self.init(empty)
      return
    }
    for case let row? in rows { host.value.prefetchPayloadReference(row) }
    var byteCount = 0
    for case let row? in rows { byteCount += host.value.prefetchPayload(row) }
    var buffer = ResultBufferWriter<PayloadRecord>(recordCount: rows.count, byteCount: byteCount)
    for (index, row) in rows.enumerated() {
      let place = row.map { host.value.append(payloadOf: $0, to: &buffer) } ?? 0..<0
      buffer.set(
        index,
        PayloadRecord(
          start: UInt32(truncatingIfNeeded: place.lowerBound), size: UInt32(truncatingIfNeeded: place.count)))
    }
    self.init(buffer)
  }
}
