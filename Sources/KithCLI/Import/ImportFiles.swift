import Kith

/// The arguments of an import: files by kind of row, the time of rows without one, and whether a bad row is a failure.
///
/// `kith import` and `kith demo` read the same options.
struct ImportFiles: Sendable {
  static let options =
    GraphComponent.allCases.map { Option("--\($0.rawValue)", "FILE", "rows: \($0.fields)") } + [
      Option(
        "--format", "FORMAT", RowFormat.option.help + "; without it, by the name of each file, else tsv",
        choices: RowFormat.option.choices),
      Option("--at", "MS", "the time of follows and likes without one (default: the start of the import)"),
      Option("--strict", nil, "a row that breaks a rule fails the import"),
    ]

  let files: [(kind: GraphComponent, path: String)]
  let format: RowFormat?
  let time: Timestamp
  let isStrict: Bool

  var isEmpty: Bool { files.isEmpty }

  init(_ arguments: Arguments) throws(CommandFailure) {
    files = zip(GraphComponent.allCases, Self.options).compactMap { kind, option in
      arguments.value(option).map { (kind, $0) }
    }
    if files.count(where: { $0.path == ByteStream.sign }) > 1 {
      throw arguments.misuse("- is standard input, for one file only")
    }
    format = try arguments.rowFormat()
    let at = Self.options[GraphComponent.allCases.count + 1]
    time = try arguments.integer(at, in: 0...SocialGraph.Limits.edgeMilliseconds).map { Timestamp($0) } ?? .now()
    isStrict = arguments.flag(Self.options[GraphComponent.allCases.count + 2])
  }

  /// Opens the files, so that a missing one is found before any other work.
  func open() throws(CommandFailure) -> [RowReader] {
    var readers: [RowReader] = []
    for (kind, path) in files {
      let format = format ?? RowFormat(fileName: path) ?? .tsv
      readers.append(RowReader(kind, time: time, format.blocks(of: try InputFile(path), kind)))
    }
    return readers
  }
}

extension RowFormat {
  /// The rows of a file.
  fileprivate func blocks(of file: sending InputFile, _ kind: GraphComponent) -> sending any RowBlocks {
    switch self {
    case .tsv: LineBlocks(file)
    case .csv: CSVReader(file)
    case .jsonl: JSONRows(file, of: kind)
    }
  }
}
