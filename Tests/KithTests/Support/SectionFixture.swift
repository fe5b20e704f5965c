@testable import Kith

/// Sections in memory: to read, to compare, to damage, and to put into files.
final class SectionList: SectionSink, SectionSource, @unchecked Sendable {
  // Safety: it is filled before it is shared.
  private(set) var sections: [Section]
  let path: String

  init(_ sections: [Section] = [], path: String = "memory") {
    self.sections = sections
    self.path = path
  }

  func append(_ head: SectionHead, level: Int32, pieceCount: Int, _ piece: @Sendable (Int) -> ColumnPiece) {
    let pieces = (0..<pieceCount).map(piece)
    sections.append(Section(head: head, content: pieces.flatMap(\.content) + pieces.flatMap(\.headers)))
  }

  func section(_ id: SectionID) throws(KithError) -> Section {
    guard let section = sections.first(where: { $0.id == id }) else {
      throw .corrupt(file: path, offset: 0, reason: "section \(id) is missing")
    }
    return section
  }

  func find(_ id: SectionID) throws(KithError) -> (head: SectionHead, contentByteCount: Int, place: FilePlace) {
    let section = try section(id)
    return (section.head, section.content.count, section.place)
  }

  /// In frames of eight bytes, so that nearly every text is on two of them.
  func forEachFrame(of id: SectionID, _ body: ([UInt8]) throws(KithError) -> Void) throws(KithError) {
    let content = try section(id).content
    for start in stride(from: 0, to: content.count, by: 8) {
      try body(Array(content[start..<min(start + 8, content.count)]))
    }
  }
}

extension GraphSections {
  static func sections(of state: borrowing GraphState) -> [Section] {
    let list = SectionList()
    do throws(KithError) { try write(state, to: list) } catch { preconditionFailure("a list takes all sections") }
    return list.sections
  }

  static func state(
    from sections: [Section], sequence: UInt64, file: String, form: ListForm = .plain
  ) throws(KithError) -> GraphState {
    try state(from: SectionList(sections, path: file), sequence: sequence, form: GraphForm(lists: form))
  }
}

extension SnapshotFile {
  /// A file of any sections, each cut into frames in order.
  static func write<D: Disk>(
    _ header: SnapshotHeader, _ sections: [Section], to directory: String, name: String, replacing: Bool = false,
    disk: D
  ) throws(KithError) -> SnapshotSummary {
    let writer = try SnapshotFileWriter(
      header: header, directory: directory, name: name, replacing: replacing, disk: disk)
    for section in sections { try writer.sections.append(section) }
    return try writer.finish()
  }

  /// The header and the known sections; the others are checked.
  static func read<D: Disk>(
    path: String, knownSections: [SectionID: UInt16], memoryLimit: Int = defaultMemoryLimit, disk: D
  ) throws(KithError) -> (header: SnapshotHeader, sections: [Section]) {
    let reader = try SnapshotFileReader(
      path: path, disk: disk, memoryLimit: memoryLimit, knownSections: knownSections)
    var sections: [Section] = []
    for entry in reader.table.entries where entry.head.version <= knownSections[entry.id] ?? 0 {
      sections.append(try reader.read(entry))
    }
    try reader.checkUnknown()
    return (reader.header, sections)
  }
}

extension SnapshotWriter {
  func append(_ section: Section) throws(KithError) {
    let frameByteCount = SnapshotFormat.frameContentByteCount
    let pieceCount = (section.content.count + frameByteCount - 1) / frameByteCount
    try append(section.head, level: section.encoding == .bytes ? 3 : 1, pieceCount: pieceCount) { index in
      let start = index * frameByteCount
      let end = min(start + frameByteCount, section.content.count)
      return ColumnPiece(content: Array(section.content[start..<end]))
    }
  }
}

extension StoreDirectory {
  /// As if all snapshots were known to be restorable.
  @discardableResult
  func prune(
    keeping retention: SocialGraph.Retention = SocialGraph.Retention(), now: Timestamp = .now(),
    holding lock: StoreLock<D>
  ) throws(KithError) -> [SnapshotName] {
    let names = try contents()?.snapshots ?? []
    return try prune(keeping: retention, now: now, restorable: Set(names), holding: lock)
  }

  func writeSnapshot(
    _ header: SnapshotHeader, _ sections: [Section], holding lock: StoreLock<D>
  ) throws(KithError) -> SnapshotSummary {
    try lock.checkProcess()
    let name = SnapshotName(sequence: header.sequence, generation: header.generation)
    return try SnapshotFile.write(header, sections, to: path, name: name.description, replacing: true, disk: disk)
  }
}

/// A whole column as bytes, ready to become a section.
struct EncodedColumn {
  let encoding: ColumnEncoding
  let elementCount: UInt64
  let content: [UInt8]
}

extension Section {
  init(_ id: SectionID, _ column: EncodedColumn) {
    self.init(id: id, encoding: column.encoding, elementCount: column.elementCount, content: column.content)
  }

  init(id: SectionID, encoding: ColumnEncoding, elementCount: UInt64, content: [UInt8]) {
    self.init(head: SectionHead(id: id, encoding: encoding, elementCount: elementCount), content: content)
  }

  /// All numbers of a column of 64-bit integers.
  func decodedInt64(count: Int? = nil) throws(KithError) -> [Int64] {
    var numbers: [Int64] = []
    try forEachInt64(count: count) { numbers.append($0) }
    return numbers
  }

  /// Lists one after the other, of the lengths that the degrees give, each strictly ascending.
  func decodedLists(degrees: [UInt32], below limit: UInt32) throws(KithError) -> [UInt32] {
    let decoder = try listDecoder()
    try decoder.checkSum(of: degrees)
    var targets = [UInt64](repeating: 0, count: decoder.elementCount)
    var words = [UInt32](repeating: 0, count: decoder.elementCount)
    var all = targets.mutableSpan
    var coded = words.mutableSpan
    try decoder.decodeLists(
      degrees.indices, 0..<decoder.elementCount, degrees: degrees, below: limit, into: &all, using: &coded)
    return targets.map(Adjacency.target)
  }
}

extension ColumnCoding {
  static func bytes(_ content: [UInt8]) -> EncodedColumn {
    EncodedColumn(encoding: .bytes, elementCount: UInt64(content.count), content: content)
  }

  static func planes(_ values: [UInt32]) -> EncodedColumn { encoded(.planes, values) { planes($0, of: $1, $2) } }

  static func planes(_ values: [Int64]) -> EncodedColumn {
    encoded(.planes, values.map { UInt64(bitPattern: $0) }) { planes($0, of: $1, $2) }
  }

  static func deltaPlanes(_ values: [UInt32]) -> EncodedColumn {
    encoded(.deltaPlanes, values) { deltaPlanes($0, of: $1, $2) }
  }

  static func deltaPlanes(_ values: [Int64]) -> EncodedColumn {
    encoded(.deltaPlanes, values.map { UInt64(bitPattern: $0) }) { deltaPlanes($0, of: $1, $2) }
  }

  /// The gaps inside lists, coded the plain way.
  static func lists(degrees: [UInt32], targets: [UInt32]) -> EncodedColumn {
    var coded = targets
    var start = 0
    for degree in degrees {
      for index in start..<start + Int(degree) where index > start && index % blockElementCount != 0 {
        coded[index] = targets[index] &- targets[index - 1] &- 1
      }
      start += Int(degree)
    }
    return encoded(.listPlanes, coded) { planes($0, of: $1, $2) }
  }

  private static func encoded<Value: FixedWidthInteger & UnsignedInteger>(
    _ encoding: ColumnEncoding, _ values: [Value],
    _ piece: (Int, Int, (Range<Int>, inout MutableSpan<Value>) -> Void) -> ColumnPiece
  ) -> EncodedColumn {
    let pieces = (0..<pieceCount(values.count, of: Value.self)).map { index in
      piece(index, values.count) { range, block in
        for index in range { block[index - range.lowerBound] = values[index] }
      }
    }
    return EncodedColumn(
      encoding: encoding, elementCount: UInt64(values.count),
      content: pieces.flatMap(\.content) + pieces.flatMap(\.headers))
  }
}
