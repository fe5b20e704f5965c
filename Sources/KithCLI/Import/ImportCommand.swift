import Foundation
import Kith

/// `kith import`: fills a store from TSV files, in one piece or not at all.
enum ImportCommand {
  static let command = Command(
    name: "import",
    summary: "fills a new or existing store from TSV files",
    positionals: [Positional("STORE", "a store directory; made when absent")],
    options: ImportFiles.options + [.json],
    notes: [
      """
      Files are plain or .zst, UTF-8, one row a line, without a header; in names and texts, \\t \\n \\r \\\\ stand for a
      tab, line feed, carriage return and backslash. They are read in the order above. Rows that break a rule (an
      unknown id, a self-follow, a duplicate) are counted by reason and passed over. A malformed line ends the import
      with file, line and reason. The import is committed by one snapshot at its end: until then the store is as it was.
      """
    ],
    examples: [
      "import ./store --users users.tsv --follows follows.tsv.zst",
      "import ./store --posts posts.tsv --likes likes.tsv --at 1700000000000 --strict",
    ],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let files = try ImportFiles(arguments)
    guard !files.isEmpty else { throw arguments.misuse("nothing to import: give a file, such as --users FILE") }
    let store = arguments.positionals[0]
    let summary = try load(files, into: store)
    if arguments.flag(.json) {
      try Console.writeJSON { summary.write(to: &$0) }
    } else {
      try Console.write(summary.text)
    }
    return 0
  }

  /// Opens the store, imports, commits and closes it. Of a failed import into a store that was not there before,
  /// nothing remains.
  private static func load(_ files: ImportFiles, into store: String) throws(CommandFailure) -> ImportSummary {
    let began = ContinuousClock().now
    let opened = try files.open()
    let isNew = !FileManager.default.fileExists(atPath: store)
    let graph = try StoreAccess.open(store, access: .readWrite)
    do throws(CommandFailure) {
      let result = try fill(graph, from: opened, files)
      let sequenceBefore = result.sequenceBefore
      let readEnd = result.readEnd
      let (counts, sequence) = graph.read { view in (view.counts, view.sequence) }
      let hasChanged = sequence != sequenceBefore || sequence == 0
      let snapshotPath = hasChanged ? try StoreAccess.snapshot(graph).path : nil
      try StoreAccess.close(graph)
      let end = ContinuousClock().now
      return ImportSummary(
        store: store, reports: result.reports, counts: counts, sequence: sequence, snapshotPath: snapshotPath,
        commitSeconds: (end - readEnd).seconds, seconds: (end - began).seconds)
    } catch {
      if isNew { StoreAccess.removeUnlessFilled(store) }
      throw error
    }
  }

  /// What reading the files gave, before anything is written.
  struct Filled {
    let reports: [ImportReport]
    let sequenceBefore: UInt64
    /// When the last row was read; what follows is the commit.
    let readEnd: ContinuousClock.Instant
  }

  /// Applies the files in the memory of `graph`, which is to be thrown away when this throws.
  static func fill(
    _ graph: SocialGraph, from opened: [(kind: RowKind, blocks: LineBlocks)], _ files: ImportFiles
  ) throws(CommandFailure) -> Filled {
    let sequenceBefore = graph.read { view in view.sequence }
    var progress = Progress()
    var importer = Importer(time: files.time, progress: progress)
    var reports: [ImportReport] = []
    defer { progress.finish() }
    let readEnd = try graph.bulk { (batch) throws(CommandFailure) in
      for (kind, blocks) in opened { reports.append(try importer.apply(kind, blocks, to: &batch)) }
      if files.isStrict { try refuseSkipped(reports) }
      progress.note("building the index of names, writing the snapshot…")
      return ContinuousClock().now
    }
    return Filled(reports: reports, sequenceBefore: sequenceBefore, readEnd: readEnd)
  }

  private static func refuseSkipped(_ reports: [ImportReport]) throws(CommandFailure) {
    let skipped = ImportSummary.skipped(reports)
    guard !skipped.isEmpty else { return }
    try Console.write(ImportSummary.text(of: reports))
    let reasons = skipped.map { "\($0.count) \($0.reason)" }.joined(separator: ", ")
    throw .no("nothing was imported, because of --strict: \(reasons)")
  }
}
