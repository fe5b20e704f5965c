import Kith

/// A graph as rows in a format, ids ascending, passed on in pieces: to a file, or to a digest.
struct RowEncoder {
  static let pieceByteCount = 1 << 20

  private let kind: RowKind
  private let format: RowFormat
  private let isCompressed: Bool
  private var bytes: [UInt8] = []
  private var json = JSONWriter()
  private(set) var rowCount = 0
  /// The relation of declared edges.
  private var relation: Relation?
  /// The relation that makes threads, in a file of posts of a graph with replies: their rows have a column more.
  private var thread: Relation?
  /// Whether the rows of users or posts have the columns of what the host keeps.
  private var hasFields = false
  private let take: ([UInt8]) throws(CommandFailure) -> Void

  private init(
    _ kind: RowKind, _ format: RowFormat, isCompressed: Bool,
    _ take: @escaping ([UInt8]) throws(CommandFailure) -> Void
  ) {
    self.kind = kind
    self.format = format
    self.isCompressed = isCompressed
    self.take = take
    bytes.reserveCapacity(Self.pieceByteCount + (256 << 10))
  }

  /// Passes all rows of a kind to `take`, in pieces of about a megabyte; returns how many rows there were.
  /// - Parameter isCompressed: whether each piece is passed as a zstd frame; one empty frame without any row.
  static func encode(
    _ kind: RowKind, of view: borrowing GraphView, as format: RowFormat = .tsv, isCompressed: Bool = false,
    take: @escaping ([UInt8]) throws(CommandFailure) -> Void
  ) throws(CommandFailure) -> Int {
    var encoder = RowEncoder(kind, format, isCompressed: isCompressed, take)
    encoder.thread = kind == .component(.posts) ? view.threadRelation : nil
    encoder.hasFields =
      kind == .component(.users) && view.hasUserFields || kind == .component(.posts) && view.hasPostFields
    if format == .csv { encoder.bytes += (encoder.columns.joined(separator: ",") + "\r\n").utf8 }
    switch kind {
    case .component(.users):
      try view.forEachUser { (id, name, fields) throws(CommandFailure) in
        try encoder.row(
          id.rawValue, text: name,
          host: HostFields(
            kind: fields.kind, displayName: fields.displayName, payload: fields.payload, flags: fields.flags,
            isPrivate: fields.isPrivate))
      }
    case .component(.posts):
      try view.forEachPost(isForImport: true) { (id, author, time, parent, text, fields) throws(CommandFailure) in
        try encoder.row(
          id.rawValue, author.rawValue, time.rawValue, text: text, parent: parent?.rawValue,
          host: HostFields(
            payload: fields.payload, flags: fields.flags, editedAt: fields.editedAt?.rawValue,
            audience: fields.audience))
      }
    case .component(.relation(let relation)):
      try view.forEachEdge(of: relation) { (source, target, time) throws(CommandFailure) in
        try encoder.row(source.rawValue, target, time?.rawValue)
      }
    case .edges(let name):
      try view.forEachEdge(ofDeclared: name) { (relation, source, target, time) throws(CommandFailure) in
        encoder.relation = relation
        try encoder.row(source, target, time?.rawValue)
      }
    }
    try encoder.flush(isEnd: true)
    return encoder.rowCount
  }

  /// What the host keeps with the user or the post of a row.
  private struct HostFields {
    var kind: String?
    var displayName: String?
    var payload: [UInt8]?
    var flags: UInt16?
    var editedAt: Int64?
    var isPrivate: Bool?
    var audience: Audience?
  }

  private var columns: [String] {
    if hasFields { return kind.columns }
    switch kind {
    case .component(.users): return ["id", "username"]
    case .component(.posts): return Array(kind.columns.prefix(thread == nil ? 4 : 5))
    default: return kind.columns
    }
  }

  private mutating func row(
    _ first: Int64, _ second: Int64? = nil, _ third: Int64? = nil, text: String? = nil, parent: Int64? = nil,
    host: HostFields = HostFields()
  ) throws(CommandFailure) {
    switch format {
    case .tsv:
      appendRow(first, second, third, text, parent, host, separator: "\t", end: "\n") { Self.append($0, to: &$1) }
    case .csv:
      appendRow(first, second, third, text, parent, host, separator: ",", end: "\r\n") {
        Self.appendQuoted($0, to: &$1)
      }
    case .jsonl: appendObject([first, second, third].compactMap(\.self), text, parent: parent, host)
    }
    rowCount += 1
    if bytes.count >= Self.pieceByteCount { try flush() }
  }

  @inline(__always)
  private mutating func appendRow(
    _ first: Int64, _ second: Int64?, _ third: Int64?, _ text: String?, _ parent: Int64?, _ host: HostFields,
    separator: Unicode.Scalar, end: String, _ appendText: (String, inout [UInt8]) -> Void
  ) {
    Self.append(first, to: &bytes)
    if let second {
      bytes.append(UInt8(ascii: separator))
      Self.append(second, to: &bytes)
    }
    if let third {
      bytes.append(UInt8(ascii: separator))
      Self.append(third, to: &bytes)
    }
    if let text {
      bytes.append(UInt8(ascii: separator))
      appendText(text, &bytes)
    }
    if thread != nil || hasFields && kind == .component(.posts) {
      bytes.append(UInt8(ascii: separator))
      if let parent { Self.append(parent, to: &bytes) }
    }
    if hasFields {
      bytes.append(UInt8(ascii: separator))
      if let flags = host.flags { Self.append(Int64(flags), to: &bytes) }
      if kind == .component(.posts) {
        bytes.append(UInt8(ascii: separator))
        if let time = host.editedAt { Self.append(time, to: &bytes) }
      }
      bytes.append(UInt8(ascii: separator))
      if let payload = host.payload { bytes.append(contentsOf: Base64.standard.text(payload).utf8) }
      bytes.append(UInt8(ascii: separator))
      if host.isPrivate == true { bytes.append(UInt8(ascii: "1")) }
      if let audience = host.audience { bytes.append(contentsOf: audience.rawValue.utf8) }
      if kind == .component(.users) {
        bytes.append(UInt8(ascii: separator))
        if let displayName = host.displayName { appendText(displayName, &bytes) }
        bytes.append(UInt8(ascii: separator))
        if let kind = host.kind { appendText(kind, &bytes) }
      }
    }
    bytes.append(contentsOf: end.utf8)
  }

  /// The request of `kith query` that adds the row.
  private mutating func appendObject(_ numbers: [Int64], _ text: String?, parent: Int64?, _ host: HostFields) {
    let members = kind.members
    json.removeAll()
    json.object { json in
      json.member("op", kind.operation.rawValue)
      if let relation { json.member("relation", relation.name) }
      let isOfPosts = [relation?.source == .post, relation?.target == .post, false]
      for (place, number) in numbers.enumerated() {
        json.member(members.numbers[place][isOfPosts[place] ? 1 : 0], number)
      }
      if let name = members.text, let text { json.member(name, text) }
      if let thread, let parent {
        json.objects("edges", [parent]) { json, parent in
          json.member("relation", thread.name)
          json.member("toPost", parent)
        }
      }
      if let kind = host.kind { json.member("kind", kind) }
      if let displayName = host.displayName { json.member("displayName", displayName) }
      if let flags = host.flags { json.member("flags", Int64(flags)) }
      if let time = host.editedAt { json.member("editedAt", time) }
      if let payload = host.payload { json.member("payload", Base64.standard.text(payload)) }
      if let isPrivate = host.isPrivate { json.member("isPrivate", isPrivate) }
      if let audience = host.audience { json.member("audience", audience.rawValue) }
    }
    json.newline()
    bytes.append(contentsOf: json.bytes)
  }

  private mutating func flush(isEnd: Bool = false) throws(CommandFailure) {
    guard !bytes.isEmpty || (isEnd && isCompressed && rowCount == 0) else { return }
    try take(isCompressed ? Self.compressed(bytes) : bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  private static func compressed(_ bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
    do throws(KithError) { return try Zstd.frame(of: bytes) } catch { throw .no(error.sentence) }
  }

  static func append(_ number: Int64, to bytes: inout [UInt8]) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    var (digitCount, bound) = (1, UInt64(10))
    while digitCount < 19 && rest >= bound { (digitCount, bound) = (digitCount + 1, bound &* 10) }
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: digitCount))
    var index = bytes.count
    while rest > 0 {
      index -= 1
      bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  /// The text with `\t \n \r \\` escaped.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\t"): append(escape: "t", to: &bytes)
      case UInt8(ascii: "\n"): append(escape: "n", to: &bytes)
      case UInt8(ascii: "\r"): append(escape: "r", to: &bytes)
      case UInt8(ascii: "\\"): append(escape: "\\", to: &bytes)
      default: bytes.append(byte)
      }
    }
  }

  @inline(__always)
  static func append(escape letter: Unicode.Scalar, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    bytes.append(UInt8(ascii: letter))
  }

  /// The text, in quotes if it holds a comma, a quote or a line break.
  static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    guard text.utf8.contains(where: { $0 == quote || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) else {
      bytes.append(contentsOf: text.utf8)
      return
    }
    bytes.append(quote)
    for byte in text.utf8 {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    bytes.append(quote)
  }
}
