import Kith

/// What an import takes: files by kind of row, the time of rows without one, and whether a bad row is a failure.
///
/// `kith import` and `kith demo` read the same options.
struct ImportFiles: Sendable {
  static let options =
    RowKind.allCases.map { Option("--\($0.rawValue)", "FILE", "rows: \($0.fields)") } + [
      Option("--at", "MS", "the time of follows and likes without one (the start of the import without it)"),
      Option("--strict", nil, "a row that breaks a rule fails the import"),
    ]

  let files: [(kind: RowKind, path: String)]
  let time: Timestamp
  let isStrict: Bool

  var isEmpty: Bool { files.isEmpty }

  init(_ arguments: Arguments) throws(CommandFailure) {
    files = zip(RowKind.allCases, Self.options).compactMap { kind, option in
      arguments.value(option).map { (kind, $0) }
    }
    let at = Self.options[RowKind.allCases.count]
    time = try arguments.integer(at, in: 0...Limits.edgeMilliseconds).map { Timestamp($0) } ?? .now()
    isStrict = arguments.flag(Self.options[RowKind.allCases.count + 1])
  }

  /// The files opened, so that a missing one is found before anything else is begun.
  func open() throws(CommandFailure) -> [(kind: RowKind, blocks: LineBlocks)] {
    var opened: [(kind: RowKind, blocks: LineBlocks)] = []
    for (kind, path) in files { opened.append((kind, LineBlocks(try InputFile(path)))) }
    return opened
  }
}
