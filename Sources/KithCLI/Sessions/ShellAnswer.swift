import Kith

/// An answer of the protocol as text: lists as tables, the rest as names with values.
struct ShellAnswer {
  /// Members whose numbers are milliseconds since 1970, and those whose numbers are not grouped.
  private static let times: Set = ["createdAt", "editedAt", "followedAt", "likedAt", "addedAt", "at"]
  private static let plain: Set = ["id", "parent", "sequence", "watch"]
  /// Members that are not shown: the time has a line of its own, and ranges are for machines.
  private static let hidden: Set = ["ok", "ns", "tag", "ranges", "next", "previous"]

  private let line: [UInt8]
  private let members: [JSONMember]

  init(_ line: [UInt8]) {
    self.line = line
    if case .object(let members)? = try? JSONReader.parse(line) { self.members = members } else { members = [] }
  }

  /// - Parameter time: the time of the round trip, shown if the answer has none of its own; nil for no time.
  func text(time: Duration?) -> String {
    if case .object(let error)? = members.named("error")?.value {
      let words = ["code", "message"].map { Self.cell(error.named($0)?.value, $0) }
      return Color.red("error", on: .output) + ": \(words[1]) (\(words[0]))\n"
    }
    var text = ""
    var facts = Table([.whole, .left])
    for member in members where !Self.hidden.contains(member.name) {
      switch member.value {
      case .array(let items): text += Self.list(items, member.name)
      case .object(let object):
        for one in object where !Self.hidden.contains(one.name) { facts.add(one.name, Self.cell(one.value, one.name)) }
      default: facts.add(member.name, Self.cell(member.value, member.name))
      }
    }
    text += facts.text()
    for name in ["next", "previous"] {
      if case .string(let cursor)? = members.named(name)?.value { text += "  \(name): cursor=\(printable(cursor))\n" }
    }
    guard let time else { return text }
    if case .integer(let nanoseconds)? = members.named("ns")?.value {
      return text + "  \(Duration.nanoseconds(nanoseconds).text) in the engine\n"
    }
    return text + "  \(time.text) round trip\n"
  }

  private static func list(_ items: [JSONValue], _ name: String) -> String {
    if items.isEmpty { return "  no \(name)\n" }
    var columns: [String] = []
    for case .object(let members) in items {
      for member in members where !hidden.contains(member.name) && !columns.contains(member.name) {
        columns.append(member.name)
      }
    }
    if columns.isEmpty { return items.map { "  \(cell($0, name))\n" }.joined() }
    // The text of a post comes last: it is what is shortened.
    if let place = columns.firstIndex(of: "text") { columns.append(columns.remove(at: place)) }
    let isNumber = columns.map { column in items.allSatisfy { number($0, column) } }
    var table = Table(zip(columns, isNumber).map { $0 == "text" ? .left : $1 ? .right : .whole })
    table.addHeading(cells: columns)
    for item in items {
      guard case .object(let members) = item else {
        table.add(cell(item, name))
        continue
      }
      table.add(cells: columns.map { cell(members.named($0)?.value, $0) })
    }
    return table.text()
  }

  private static func number(_ item: JSONValue, _ column: String) -> Bool {
    guard case .object(let members) = item, case .integer? = members.named(column)?.value else { return false }
    return !times.contains(column)
  }

  private static func cell(_ value: JSONValue?, _ name: String) -> String {
    switch value {
    case nil, .null?: ""
    case .boolean(let flag)?: flag ? "yes" : "no"
    case .integer(let number)? where times.contains(name): timeText(number)
    case .integer(let number)?: plain.contains(name) ? String(number) : grouped(number)
    case .otherNumber?: "?"
    case .string(let text)?: printable(text)
    case .array(let items)?: items.map { cell($0, name) }.joined(separator: ", ")
    case .object(let members)?:
      // An author is shown by name, everything else as pairs.
      if case .string(let username)? = members.named("username")?.value {
        printable(username)
      } else {
        members.map { "\($0.name) \(cell($0.value, $0.name))" }.joined(separator: ", ")
      }
    }
  }
}

/// What the shell says about operations, from the table that checks requests.
enum ShellHelp {
  static func text(about name: String?) -> String {
    guard let name else {
      var table = Table([.whole, .left])
      for shape in ShapeTable.graph.shapes {
        table.add(shape.operation.name, (shape.required + shape.optional).map(\.name).joined(separator: " "))
      }
      return table.text() + "  .help NAME tells about one; .mode table|json, .timing on|off, .quit\n"
    }
    guard let shape = ShapeTable.graph[name] else { return "  no operation \(printable(name))\n" }
    var table = Table([.whole, .whole, .left])
    table.addHeading("field", "", "value")
    for field in shape.required { table.add(field.name, "needed", words(field)) }
    for field in shape.optional { table.add(field.name, "", words(field)) }
    return table.text() + "  answers \(shape.answer.joined(separator: ", "))\n"
  }

  private static func words(_ field: Field) -> String {
    let kind =
      switch field.kind {
      case .integer: "a number"
      case .number(let range): "a number from \(grouped(range.lowerBound)) to \(grouped(range.upperBound))"
      case .text: "text"
      case .payload: "bytes as base64"
      case .choice(let words): alternatives(words)
      case .flag: "true or false"
      case .reference: "a user: an id or a name"
      case .references: "users, separated by commas"
      case .integers: "numbers, separated by commas"
      case .texts: "texts, separated by commas"
      case .words(let words): "some of \(words.joined(separator: ",")), separated by commas"
      case .changes, .edges, .question: "JSON"
      }
    switch field.defaultValue {
    case .integer(let number)?: return "\(kind) (\(grouped(number)))"
    case .text(let text)? where !text.isEmpty: return "\(kind) (\(text))"
    case .flag(let flag)?: return "\(kind) (\(flag))"
    default: return kind
    }
  }
}
