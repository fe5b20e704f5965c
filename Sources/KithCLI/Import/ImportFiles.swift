import Kith

/// The arguments of an import: files by kind of row, the time of rows without one, and whether a bad row is a failure.
///
/// `kith import` and `kith demo` read the same options.
struct ImportFiles: Sendable {
  static let options =
    components + [
      edges,
      Option(
        "--format", "FORMAT", RowFormat.option.help + "; without it, by the name of each file, else tsv",
        choices: RowFormat.option.choices),
      at, TimeUnit.option, strict, RejectFile.option, SchemaFile.option,
    ]

  private static let components = GraphComponent.allCases.map {
    Option("--\($0.rawValue)", "FILE", "rows: \(RowKind.component($0).fields)")
  }
  private static let edges = Option(
    "--edges", "RELATION FILE", "rows of a declared relation: \(RowKind.edges("").fields); once for each relation",
    isRepeated: true)
  private static let at = Option(
    "--at", "MS", "the time, in milliseconds, of edges without one (default: the start of the import)")
  private static let strict = Option("--strict", nil, "a row that breaks a rule fails the import")

  let files: [(kind: RowKind, path: String)]
  let format: RowFormat?
  let time: Timestamp
  let unit: TimeUnit
  let isStrict: Bool
  /// Where the rows go that break a rule.
  let rejectsPath: String?
  /// Whether a report is JSON.
  let isJSON: Bool
  /// What is declared before rows are read.
  let schema: SocialGraph.Schema?

  var isEmpty: Bool { files.isEmpty }

  init(_ arguments: Arguments) throws(CommandFailure) {
    var files: [(kind: RowKind, path: String)] = []
    for (component, option) in zip(GraphComponent.allCases, Self.components) {
      if let path = arguments.value(option) { files.append((.component(component), path)) }
    }
    let edges = arguments.pairs(Self.edges)
    for (index, (name, path)) in edges.enumerated() {
      if edges[..<index].contains(where: { $0.0 == name }) { throw arguments.misuse("--edges \(name) is given twice") }
      files.append((.edges(name), path))
    }
    self.files = files
    if files.count(where: { $0.path == ByteStream.sign }) > 1 {
      throw arguments.misuse("- is standard input, for one file only")
    }
    format = try arguments.rowFormat()
    time = try arguments.integer(Self.at, in: 0...SocialGraph.Limits.edgeMilliseconds).map { Timestamp($0) } ?? .now()
    unit = try arguments.choice(TimeUnit.option) ?? .milliseconds
    isStrict = arguments.flag(Self.strict)
    rejectsPath = arguments.value(RejectFile.option)
    isJSON = arguments.flag(.json)
    schema = try arguments.schema()
  }

  /// Opens the files, so that a missing one is found before any other work.
  func open() throws(CommandFailure) -> [RowReader] {
    var readers: [RowReader] = []
    for (kind, path) in files {
      let format = format ?? RowFormat(fileName: path) ?? .tsv
      readers.append(RowReader(kind, time: time, unit, format.blocks(of: try InputFile(path), kind, unit)))
    }
    return readers
  }
}

extension RowFormat {
  /// The rows of a file.
  fileprivate func blocks(of file: sending InputFile, _ kind: RowKind, _ unit: TimeUnit) -> sending any RowBlocks {
    switch self {
    case .tsv: LineBlocks(file)
    case .csv: CSVReader(file)
    case .jsonl: JSONRows(file, of: kind, unit)
    }
  }
}
