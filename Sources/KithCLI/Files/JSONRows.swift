import Kith

/// A file of JSON Lines as blocks of tab-separated lines: each object is the request of `kith query` that adds the row,
/// whose `op` can be left out.
struct JSONRows: RowBlocks {
  private var lines: LineBlocks
  private(set) var bytes: [UInt8] = []
  private let kind: RowKind
  private let unit: TimeUnit
  private var line = 0
  private var thread: String?

  var file: InputFile { lines.file }
  var badEnd: String? { lines.badEnd }

  init(_ file: InputFile, of kind: RowKind, _ unit: TimeUnit) {
    // A CR before the end of a line is white space of JSON.
    lines = LineBlocks(file, mayDiffer: true)
    self.kind = kind
    self.unit = unit
  }

  mutating func settle(thread: String?) { self.thread = thread }

  /// Reads the next lines into `bytes`; false when there are no more.
  mutating func next() throws(CommandFailure) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    guard try lines.next() else { return false }
    for source in lines.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
      line += 1
      guard !source.allSatisfy(JSONReader.isWhiteSpace) else {
        bytes.append(UInt8(ascii: "\n"))
        continue
      }
      do throws(MalformedRow) {
        try append(try members(source))
      } catch {
        throw .line(line, of: lines.file.path, error.reason)
      }
    }
    return true
  }

  private func members(_ source: ArraySlice<UInt8>) throws(MalformedRow) -> [JSONMember] {
    let value: JSONValue
    do throws(JSONError) { value = try JSONReader.parse(Array(source)) } catch {
      throw MalformedRow("the line is not JSON: \(error)")
    }
    guard case .object(let members) = value else { throw MalformedRow("a row is a JSON object") }
    return members
  }

  private mutating func append(_ members: [JSONMember]) throws(MalformedRow) {
    let (numbers, text) = kind.members
    let known = numbers.flatMap(\.self) + [text].compactMap(\.self) + others + ["op"]
    if let other = members.first(where: { !known.contains($0.name) }) {
      throw MalformedRow("no member \(other.name.shown); \(shape)")
    }
    if let operation = members.named("op"), operation.value != .string(kind.operation.rawValue) {
      throw MalformedRow("op is \(kind.operation.rawValue) in a file of \(kind.name)")
    }
    if case .edges(let name) = kind, let relation = members.named("relation"), relation.value != .string(name) {
      throw MalformedRow("relation is \(name) in this file")
    }
    for (place, names) in numbers.enumerated() {
      let given = names.compactMap { members.named($0) }
      let name = given.first?.name ?? names.joined(separator: " or ")
      if given.count > 1 { throw MalformedRow("\(names.joined(separator: " and ")) exclude each other") }
      guard let value = given.first?.value else {
        // Only the time of an edge, which is the last, can be missing.
        if place >= kind.fieldCounts.lowerBound { break }
        throw MalformedRow("\(name) is missing; \(shape)")
      }
      if place > 0 { bytes.append(UInt8(ascii: "\t")) }
      // The third is a time.
      switch value {
      case .string(let text) where place == 2 && unit == .iso: RowEncoder.append(text, to: &bytes)
      case _ where place == 2 && unit == .iso: throw MalformedRow("\(name) is no string with a time")
      case .integer(let number): RowEncoder.append(number, to: &bytes)
      default: throw MalformedRow("\(name) is no integer of 64 bits")
      }
    }
    if let text {
      guard case .string(let value)? = members.named(text)?.value else {
        throw MalformedRow("\(text), a string, is missing; \(shape)")
      }
      bytes.append(UInt8(ascii: "\t"))
      RowEncoder.append(value, to: &bytes)
    }
    switch kind {
    case .component(.posts):
      bytes.append(UInt8(ascii: "\t"))
      if let edges = members.named("edges")?.value, let parent = try parent(edges) {
        RowEncoder.append(parent, to: &bytes)
      }
      try appendFields(members, ["flags", "editedAt"])
      bytes.append(UInt8(ascii: "\t"))
      if let value = members.named("audience")?.value {
        guard case .string(let audience) = value else { throw MalformedRow("audience is no string") }
        RowEncoder.append(audience, to: &bytes)
      }
    case .component(.users):
      try appendFields(members, ["flags"])
      bytes.append(UInt8(ascii: "\t"))
      if let value = members.named("isPrivate")?.value {
        guard case .boolean(let isPrivate) = value else { throw MalformedRow("isPrivate is true or false") }
        bytes.append(UInt8(ascii: isPrivate ? "1" : "0"))
      }
      bytes.append(UInt8(ascii: "\t"))
      for name in ["displayName", "kind"] {
        if name == "kind" { bytes.append(UInt8(ascii: "\t")) }
        guard let value = members.named(name)?.value else { continue }
        guard case .string(let text) = value else { throw MalformedRow("\(name) is no string") }
        RowEncoder.append(text, to: &bytes)
      }
    default: break
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends what the host keeps: numbers, then the payload.
  private mutating func appendFields(_ members: [JSONMember], _ numbers: [String]) throws(MalformedRow) {
    for name in numbers {
      bytes.append(UInt8(ascii: "\t"))
      guard let value = members.named(name)?.value else { continue }
      switch value {
      case .string(let text) where name == "editedAt" && unit == .iso: RowEncoder.append(text, to: &bytes)
      case _ where name == "editedAt" && unit == .iso: throw MalformedRow("\(name) is no string with a time")
      case .integer(let number): RowEncoder.append(number, to: &bytes)
      default: throw MalformedRow("\(name) is no integer of 64 bits")
      }
    }
    bytes.append(UInt8(ascii: "\t"))
    guard let value = members.named("payload")?.value else { return }
    guard case .string(let payload) = value else { throw MalformedRow("payload is no string of base64") }
    RowEncoder.append(payload, to: &bytes)
  }

  /// The post that the one edge of a row leads to.
  private func parent(_ edges: JSONValue) throws(MalformedRow) -> Int64? {
    if edges == .array([]) { return nil }
    guard let thread else { throw MalformedRow("no relation makes threads: give --schema") }
    if case .array(let edges) = edges, edges.count == 1, case .object(let members) = edges[0],
      members.named("relation")?.value == .string(thread),
      members.allSatisfy({ ["relation", "toPost"].contains($0.name) }),
      case .integer(let parent)? = members.named("toPost")?.value
    {
      return parent
    }
    throw MalformedRow(
      "edges of a row is one reply: [{\"relation\": \"\(thread)\", \"toPost\": …}]; give others with --edges")
  }

  /// Other members that a row may have.
  private var others: [String] {
    switch kind {
    case .component(.users): ["flags", "payload", "isPrivate", "displayName", "kind"]
    case .component(.posts): ["edges", "flags", "editedAt", "payload", "audience"]
    case .component: []
    case .edges: ["relation"]
    }
  }

  private var shape: String {
    let (numbers, text) = kind.members
    let names = numbers.map { $0.joined(separator: " or ") } + [text].compactMap(\.self)
    return "a row has \(names.joined(separator: ", "))"
  }
}
