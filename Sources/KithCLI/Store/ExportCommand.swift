import Kith

/// `kith export`: writes a store as the TSV files that `kith import` reads.
enum ExportCommand {
  static let command = Command(
    name: "export",
    summary: "writes a store as TSV files, which an import reads again",
    positionals: [
      Positional("STORE", "a store directory or a snapshot; only read"),
      Positional("DIRECTORY", "where the files go; made when absent, no file is overwritten"),
    ],
    options: [.json],
    notes: ["The files: " + RowKind.allCases.map { "\($0.rawValue).tsv" }.joined(separator: ", ") + "; ids ascending."],
    examples: ["export ./store ./tsv", "export ./store/snap-….kith.zst ./tsv"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let (store, directory) = (arguments.positionals[0], arguments.positionals[1])
    try TSVDirectory.checkFree(directory)
    let graph = try StoreAccess.open(store, access: .readOnly)
    let rowCounts = try write(graph, to: directory)
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("directory", directory)
        for (kind, rowCount) in rowCounts { writer.member(kind.rawValue, rowCount) }
      }
    } else {
      var table = Table([.left, .right, .left])
      for (kind, rowCount) in rowCounts {
        table.add(kind.rawValue, grouped(rowCount), printable(TSVDirectory.path(of: kind, in: directory)))
      }
      try Console.write(table.text())
    }
    return 0
  }

  /// Writes one instant of the graph; other work on it goes on meanwhile.
  static func write(
    _ graph: SocialGraph, to directory: String
  ) throws(CommandFailure) -> [(kind: RowKind, rowCount: Int)] {
    let pin = graph.pin()
    var progress = Progress()
    defer { progress.finish() }
    return try TSVDirectory.write(pin.view, to: directory, &progress)
  }
}
