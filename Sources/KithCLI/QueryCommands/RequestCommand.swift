import Kith

/// A command that answers one request of `kith query`: as text, or with `--json` with the members of that answer.
struct RequestCommand: Sendable {
  /// An option, and the field of the request that it sets, or the operation that it chooses; or one of the graph.
  struct Setting: Sendable {
    let option: Option
    var field: Field?
    /// The field's value, if the option takes none.
    var word: JSONValue?
    /// Another option that it needs.
    var companion: Option?
    /// The operation that is asked for instead.
    var operation: Operation?
  }

  let operation: Operation
  let summary: String
  /// The argument after the store, and its field.
  var subject: (positional: Positional, field: Field)?
  var settings: [Setting] = []
  var notes: [String] = []
  let examples: [String]
  /// Whether an answer without a result is the answer "no".
  var isSearch = false

  var command: Command {
    Command(
      name: operation.name, summary: summary,
      positionals: [StoreQuery.store] + (subject.map { [$0.positional] } ?? []),
      options: settings.map(\.option) + [.uniqueNames, .json], notes: notes, examples: examples
    ) { (arguments) throws(CommandFailure) in try run(arguments) }
  }

  private func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let values = try values(arguments)
    let (request, answer) = try StoreQuery.answer(arguments) { view in
      let chosen = settings.first { $0.operation != nil && arguments.flag($0.option) }?.operation ?? operation
      var members = [member("op", .string(chosen.name))]
      for (field, value) in values { members.append(member(field.name, try resolved(value, of: field, in: view))) }
      let request: Request
      do throws(RequestError) { request = try Request(members) } catch { throw arguments.misuse(error.sentence) }
      return (request, try request.answer(from: view))
    }
    try StoreQuery.write(arguments, text: answer.text) { $0.members(of: answer, to: request, in: []) }
    return isSearch && answer.isEmpty ? 1 : 0
  }

  private func member(_ name: String, _ value: JSONValue) -> JSONMember {
    JSONMember(name: name, value: value, source: 0..<0)
  }

  // MARK: - Values

  /// The fields that the arguments set. Users are still texts: only the store can resolve them.
  private func values(_ arguments: Arguments) throws(CommandFailure) -> [(field: Field, value: JSONValue)] {
    var values: [(field: Field, value: JSONValue)] = []
    if let subject {
      let text = arguments.positionals[1]
      values.append((subject.field, try value(text, of: subject.field, subject.positional.name, arguments)))
    }
    for setting in settings {
      guard let field = setting.field, let text = arguments.value(setting.option) else { continue }
      if let companion = setting.companion { try arguments.check(setting.option.name, needs: companion) }
      let word =
        if let word = setting.word { word } else { try value(text, of: field, setting.option.name, arguments) }
      values.append((field, word))
    }
    return values
  }

  private func value(
    _ text: String, of field: Field, _ name: String, _ arguments: Arguments
  ) throws(CommandFailure) -> JSONValue {
    switch field.kind {
    case .number(let range):
      guard let number = Int64(text), range.contains(number) else {
        let bounds = "a whole number from \(range.lowerBound) to \(range.upperBound) is needed"
        throw arguments.misuse("\(name) \(text): \(bounds)")
      }
      return .integer(number)
    case .integer where field == .before || field == .after:
      guard let time = parseTime(text, missingMilliseconds: field == .before ? 0 : 999) ?? Int64(text) else {
        throw arguments.misuse("\(name) \(text): a time such as 2026-02-28T23:59:07Z, or milliseconds since 1970")
      }
      return .integer(time)
    case .integer:
      guard let number = Int64(text) else { throw arguments.misuse("\(text) is not the id of a post") }
      return .integer(number)
    case .choice(let words):
      guard words.contains(text) else {
        throw arguments.misuse("\(name) \(text): \(alternatives(words)) is needed")
      }
      return .string(text)
    case .words(let words):
      let given = text.split(separator: ",").map(String.init)
      guard !given.isEmpty, given.allSatisfy(words.contains) else {
        throw arguments.misuse("\(name) \(text): some of \(words.joined(separator: ",")) are needed")
      }
      return .array(given.map { .string($0) })
    case .texts:
      return .array(text.split(separator: ",", omittingEmptySubsequences: false).map { .string(String($0)) })
    default: return .string(text)
    }
  }

  private func resolved(
    _ value: JSONValue, of field: Field, in view: borrowing GraphView
  ) throws(CommandFailure) -> JSONValue {
    guard field.kind == .reference, case .string(let text) = value else { return value }
    return .integer(try UserArgument.resolve(text, in: view).rawValue)
  }
}
