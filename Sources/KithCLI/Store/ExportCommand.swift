import Kith

/// `kith export`: writes a store as the files that `kith import` reads.
enum ExportCommand {
  private static let only = Option(
    "--only", "PART", "this file only: " + GraphComponent.allCases.map(\.rawValue).joined(separator: ", "),
    choices: GraphComponent.allCases.map(\.rawValue))
  private static let compress = Option("--compress", nil, "compresses each file with zstd: users.tsv.zst")

  static let command = Command(
    name: "export",
    summary: "writes a store as TSV, CSV or JSON Lines files, which kith import reads",
    positionals: [
      StoreQuery.store,
      Positional(
        "DIRECTORY",
        "the directory of the files, created if it does not exist, no file is overwritten; - for standard output"),
    ],
    options: [
      Option("--format", "FORMAT", RowFormat.option.help + "; tsv without it", choices: RowFormat.option.choices), only,
      compress, .json,
    ],
    notes: [
      "The files are " + GraphComponent.allCases.map(\.rawValue).joined(separator: ", ")
        + ", each with the ending of its format; ids ascending. csv has a header and ends lines in CR LF. jsonl has "
        + "the requests of kith query that add the rows. Standard output takes one file: name it with --only.",
      "A graph with a schema gives more files: schema.json, and edges-RELATION for each declared relation with edges, "
        + "which kith import reads with --schema and --edges. Where posts reply to others, posts have one column more: "
        + "the parent, if it was not removed; a post then comes after its parent.",
      "Created files and folders are accessible to their owner alone (0600 and 0700), with any umask.",
    ],
    examples: [
      "export ./store ./tsv --compress", "export ./store ./csv --format csv",
      "export ./store - --only users --format jsonl",
    ],
    writes: { $0.positionals[1] == ByteStream.sign ? [] : [$0.positionals[1]] }, run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let format = try arguments.rowFormat() ?? .tsv
    let part = try part(arguments)
    if arguments.positionals[1] == ByteStream.sign {
      guard let part, !arguments.flag(.json) else {
        throw arguments.misuse("standard output takes the rows of one file: give --only, and no --json")
      }
      let pin = try StoreQuery.open(arguments).pin()
      _ = try RowEncoder.encode(.component(part), of: pin.view, as: format, isCompressed: arguments.flag(compress)) {
        (piece) throws(CommandFailure) in
        try Console.write(piece)
      }
      return 0
    }
    let directory = RowDirectory(
      path: arguments.positionals[1], format: format, kinds: part.map { [$0] } ?? GraphComponent.allCases,
      isCompressed: arguments.flag(compress))
    try directory.checkFree()
    let (rowCounts, hasSchema) = try write(try StoreQuery.open(arguments), to: directory)
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("directory", directory.path)
        for case (.component(let kind), let rowCount) in rowCounts { writer.member(kind.rawValue, rowCount) }
        if hasSchema {
          writer.object("edges") { writer in
            for case (.edges(let relation), let rowCount) in rowCounts { writer.member(relation, rowCount) }
          }
        }
      }
    } else {
      var table = Table([.left, .right, .whole])
      for (kind, rowCount) in rowCounts {
        table.add(kind.name, grouped(rowCount), printable(directory.path(of: kind)))
      }
      if hasSchema { table.add("schema", "", printable(directory.schemaPath)) }
      try Console.write(table.text())
    }
    return 0
  }

  private static func part(_ arguments: Arguments) throws(CommandFailure) -> GraphComponent? {
    guard let text = arguments.value(only) else { return nil }
    guard let part = GraphComponent(rawValue: text) else {
      throw arguments.misuse("\(only.name) \(text): \(alternatives(only.choices)) is needed")
    }
    return part
  }

  /// Writes one version of the graph; other work on it continues.
  static func write(
    _ graph: SocialGraph, to directory: RowDirectory
  ) throws(CommandFailure) -> (rows: [(kind: RowKind, rowCount: Int)], hasSchema: Bool) {
    let pin = graph.pin()
    var progress = Progress()
    defer { progress.finish() }
    return try directory.write(pin.view, &progress)
  }
}
