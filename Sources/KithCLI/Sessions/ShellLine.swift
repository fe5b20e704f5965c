import Kith

/// A line of a shell as a request of the protocol.
enum ShellLine {
  /// What is wrong with a line.
  struct Mistake: Error {
    let message: String
  }

  static func request(_ line: String) throws(Mistake) -> [UInt8] {
    if line.hasPrefix("{") { return Array(line.utf8) }
    let words = try words(of: line)
    let name = words[0].text
    guard let shape = ShapeTable.graph[name] else {
      let near = nearestWord(to: name, among: ShapeTable.graph.shapes.map(\.operation.name)).map { ", perhaps \($0)" }
      throw Mistake(message: "no operation \(printable(name))\(near ?? ""); .help lists them")
    }
    let values = try values(words.dropFirst(), of: shape)
    for field in shape.required where !values.contains(where: { $0.field == field }) {
      throw Mistake(message: "\(name) needs \(field.name); .help \(name) tells more")
    }
    var writer = JSONWriter()
    var mistake: Mistake?
    writer.object { writer in
      writer.member("op", name)
      for (field, text) in values {
        do throws(Mistake) { try write(text, of: field, to: &writer) } catch { mistake = mistake ?? error }
      }
    }
    if let mistake { throw mistake }
    return writer.bytes
  }

  // MARK: Words

  private struct Word {
    var text = ""
    /// The name before the first `=` that is not in quotation marks.
    var name: String?
  }

  private static func words(of line: String) throws(Mistake) -> [Word] {
    var (words, word, quote): ([Word], Word?, Bool) = ([], nil, false)
    for (place, letter) in zip(line.indices, line) {
      switch letter {
      case "{" where word?.name != nil && word?.text.isEmpty == true,
        "[" where word?.name != nil && word?.text.isEmpty == true:
        // JSON goes to the end of the line.
        words.append(Word(text: String(line[place...]), name: word?.name))
        return words
      case "\"":
        quote.toggle()
        word = word ?? Word()
      case " " where !quote, "\t" where !quote:
        if let word { words.append(word) }
        word = nil
      case "=" where !quote && word?.name == nil && word?.text.isEmpty == false:
        word = Word(text: "", name: word?.text)
      default: word = Word(text: (word?.text ?? "") + String(letter), name: word?.name)
      }
    }
    if quote { throw Mistake(message: "a quotation mark has no end") }
    if let word { words.append(word) }
    guard let first = words.first, first.name == nil else { throw Mistake(message: "an operation is missing; .help") }
    return words
  }

  /// The fields that words set: named ones, and in order those that the operation needs, or its search text.
  private static func values(
    _ words: ArraySlice<Word>, of shape: Shape
  ) throws(Mistake) -> [(field: Field, text: String)] {
    var values: [(field: Field, text: String)] = []
    var free = shape.required.isEmpty ? shape.optional.filter { $0 == .query || $0 == .about } : shape.required
    for word in words {
      let field: Field
      var text = word.text
      if let name = word.name {
        guard let named = shape.field(named: name) else {
          let fields = (shape.required + shape.optional).map(\.name)
          let near = nearestWord(to: name, among: fields).map { ", perhaps \($0)" } ?? ""
          throw Mistake(message: "\(shape.operation) has no field \(printable(name))\(near)")
        }
        field = named
      } else if let next = free.first {
        field = next
      } else if let flag = shape.optional.first(where: { $0.name == word.text && $0.kind == .flag }) {
        (field, text) = (flag, "true")
      } else {
        throw Mistake(message: "\(printable(word.text)): which field? Write name=\(printable(word.text))")
      }
      free.removeAll { $0 == field }
      if values.contains(where: { $0.field == field }) { throw Mistake(message: "\(field.name) is given twice") }
      values.append((field, text))
    }
    return values
  }

  // MARK: Values

  private static func write(_ text: String, of field: Field, to writer: inout JSONWriter) throws(Mistake) {
    let list = text.split(separator: ",").map(String.init)
    switch field.kind {
    case .integer, .number: writer.member(field.name, try integer(text, of: field))
    case .text, .choice, .payload: writer.member(field.name, text)
    case .flag:
      guard let flag = ["true": true, "yes": true, "on": true, "false": false, "no": false, "off": false][text] else {
        throw Mistake(message: "\(field.name) is true or false")
      }
      writer.member(field.name, flag)
    case .reference:
      writer.name(field.name)
      write(user: text, to: &writer)
    case .references: writer.array(field.name, list) { write(user: $1, to: &$0) }
    case .integers:
      var numbers: [Int64] = []
      for one in list { numbers.append(try integer(one, of: field)) }
      writer.array(field.name, numbers) { $0.integer($1) }
    case .texts, .words: writer.strings(field.name, list)
    case .changes, .edges, .question:
      guard (try? JSONReader.parse(Array(text.utf8))) != nil else {
        throw Mistake(message: "\(field.name) is JSON here; write the whole request as JSON")
      }
      writer.name(field.name)
      writer.source(Array(text.utf8)[...])
    }
  }

  private static func integer(_ text: String, of field: Field) throws(Mistake) -> Int64 {
    let isTime = [Field.before, .after, .at, .createdAt, .editedAt].contains(field)
    let digits = text.hasPrefix("#") ? String(text.dropFirst()) : text
    if let number = Int64(digits) { return number }
    if isTime, let time = parseTime(text, missingMilliseconds: field == .after ? 999 : 0) { return time }
    throw Mistake(
      message:
        "\(field.name)=\(printable(text)): \(isTime ? "a time such as 2026-02-28T23:59:07Z" : "a number") is needed")
  }

  private static func write(user text: String, to writer: inout JSONWriter) {
    if let number = Int64(text.hasPrefix("#") ? String(text.dropFirst()) : text) { return writer.integer(number) }
    writer.object { $0.member("username", text.hasPrefix("@") ? String(text.dropFirst()) : text) }
  }
}
