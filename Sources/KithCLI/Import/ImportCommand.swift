import Foundation
import Kith

/// `kith import`: fills a store from files of rows, completely or not at all.
enum ImportCommand {
  static let command = Command(
    name: "import",
    summary: "fills a new or existing store from TSV, CSV or JSON Lines files",
    positionals: [Positional("STORE", "a store directory; created if it does not exist")],
    options: ImportFiles.options + [.compactLists, .compressTexts, .uniqueNames, .json],
    notes: [
      """
      Files are plain or .zst, UTF-8, and may begin with a header: it names the columns, in any order; others beside
      them are ignored. FILE can be -, standard input. Files are read in the order above, edges before blocks. A
      malformed line ends the import with file, line and reason. The import is committed by one snapshot at its end:
      until then the store is unchanged. Follows and likes may come in any order. That of kith export is fastest; others
      are sorted, in a file in STORE of up to 24 bytes a row.
      """,
      """
      Rows that break a rule (an unknown id, a self-follow) are rejected and counted by reason; with --rejects each is a
      line of FILE, {"file":…,"line":…,"code":…,"message":…,"row":…}, where row is a line of jsonl. Rows that exist
      already are skipped as duplicates. With --strict either fails the import, and nothing is kept but the rejects.
      """,
      """
      tsv: fields between tabs; in names and texts, \\t \\n \\r \\\\ stand for a tab, line feed, carriage return and
      backslash; lines end in LF, or all lines of a file in CR LF. csv: as in RFC 4180. An
      empty time of a follow or like is none. jsonl: each line is the request
      of kith query that adds the row, such as {"id":1,"username":"ann"}; "op" can be left out.
      parent is the post that a post replies to, earlier in the file; it needs a relation that makes threads.
      """,
      """
      Exit status: 0 imported; 3 with --rejects, if rows were rejected; 1 nothing was imported (a malformed line, no
      row that could be added and none that existed, or --strict); 2 wrong usage or cannot open.
      """,
    ],
    examples: [
      "import ./store --users users.tsv --follows follows.tsv.zst",
      "import ./store --schema schema.json --users users.tsv --posts posts.tsv --edges bookmark bookmarks.csv",
      "import ./store --users people.csv", "import ./store --users - --format jsonl < users.jsonl",
      "import ./store --posts posts.tsv --likes likes.tsv --at 1700000000000 --strict",
      "import ./store --posts posts.csv --time-unit s --rejects rejects.jsonl",
    ],
    writes: { [$0.positionals[0]] }, run: run)

  /// The exit status of an import that is committed and lacks rows, if these are asked for.
  private static let lossStatus: Int32 = 3

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let files = try ImportFiles(arguments)
    guard !files.isEmpty else { throw arguments.misuse("nothing to import: give a file, such as --users FILE") }
    let store = arguments.positionals[0]
    var options = try arguments.graphOptions()
    options.postIndex = .off
    let summary = try load(files, into: store, options)
    if arguments.flag(.json) {
      try Console.writeJSON { summary.write(to: &$0) }
    } else {
      try Console.write(summary.text)
    }
    if summary.isFruitless { throw .no("nothing was imported: no row could be added, and none existed already") }
    guard let loss = summary.loss.map({ "the rest is imported; \($0)" }) else { return 0 }
    if files.rejectsPath != nil { throw CommandFailure(status: lossStatus, message: loss) }
    Console.note(store, loss)
    return 0
  }

  /// Opens the store, imports, commits and closes it. An import into a new store that fails, or adds nothing, leaves
  /// nothing.
  private static func load(
    _ files: ImportFiles, into store: String, _ options: SocialGraph.Options
  ) throws(CommandFailure) -> ImportSummary {
    let began = ContinuousClock().now
    let readers = try files.open()
    let isNew = !PathAccess.exists(store)
    let graph = try StoreAccess.openUnfinished(store, options)
    do throws(CommandFailure) {
      let result = try fill(graph, from: readers, files, isForSaving: true)
      let sequenceBefore = result.sequenceBefore
      let readEnd = result.readEnd
      let (counts, sequence) = graph.read { view in (view.counts, view.sequence) }
      let isFruitless = result.reports.allSatisfy(\.isFruitless)
      let hasChanged = sequence != sequenceBefore || (sequence == 0 && !isFruitless)
      let snapshotPath = hasChanged ? try StoreAccess.snapshot(graph).path : nil
      try StoreAccess.close(graph)
      StoreTools.removeUnfinished(store, alsoDirectory: isNew)
      let end = ContinuousClock().now
      return ImportSummary(
        store: store, reports: result.reports, counts: counts, sequence: sequence, snapshotPath: snapshotPath,
        commitSeconds: (end - readEnd).seconds, seconds: (end - began).seconds, rejectsPath: files.rejectsPath)
    } catch {
      StoreAccess.giveUp(graph, at: store, isNew: isNew)
      throw error
    }
  }

  /// The result of reading the files, before anything is written.
  struct Filled {
    let reports: [ImportReport]
    let sequenceBefore: UInt64
    /// When the last row was read; the commit follows.
    let readEnd: ContinuousClock.Instant
  }

  /// Applies the files in the memory of `graph`, which must be discarded if this throws.
  static func fill(
    _ graph: SocialGraph, from readers: [RowReader], _ files: ImportFiles,
    isForSaving: Bool = false
  ) throws(CommandFailure) -> Filled {
    let sequenceBefore = graph.read { view in view.sequence }
    var progress = Progress()
    let rejects: RejectFile?
    if let path = files.rejectsPath { rejects = try RejectFile(path) } else { rejects = nil }
    // Also for an import that fails. One that succeeds has done it before it commits.
    defer { try? rejects?.finish() }
    var importer = Importer(progress: progress, rejects: rejects)
    var reports: [ImportReport] = []
    defer { progress.finish() }
    let readEnd = try graph.bulk(isForSaving: isForSaving) { (batch) throws(CommandFailure) in
      let schema = try declare(files.schema, in: &batch)
      for reader in readers { try reader.settle(schema) }
      for reader in inOrder(readers, of: schema) { reports.append(try importer.apply(reader, to: &batch)) }
      try rejects?.finish()
      if files.isStrict { try refuseSkipped(reports, files) }
      if !isForSaving { progress.note("building the index of names…") }
      return ContinuousClock().now
    }
    return Filled(reports: reports, sequenceBefore: sequenceBefore, readEnd: readEnd)
  }

  /// Declares what the graph lacks of a schema; returns all of its schema.
  static func declare(
    _ schema: SocialGraph.Schema?, in batch: inout SocialGraph.Batch
  ) throws(CommandFailure) -> SocialGraph.Schema? {
    do throws(KithError) {
      if let schema { try batch.declare(schema) }
    } catch {
      throw .usage("\(SchemaFile.option.name): \(error.sentence)")
    }
    return batch.read { view in view.schema }
  }

  /// Users, posts, follows and likes, then edges of declared relations, each after the relation that it ends with, then
  /// blocks and mutes, and what ends with these.
  private static func inOrder(_ readers: [RowReader], of schema: SocialGraph.Schema?) -> [RowReader] {
    let relations = schema?.byDependence ?? []
    func endsWithBlocks(_ name: String) -> Bool {
      guard let base = relations.first(where: { $0.name == name })?.endsWith else { return false }
      return base == Relation.block.name || base == Relation.mute.name || endsWithBlocks(base)
    }
    func place(_ kind: RowKind) -> (Int, Int) {
      switch kind {
      case .component(.relation(.block)), .component(.relation(.mute)): (2, 0)
      case .component: (0, 0)
      case .edges(let name): (endsWithBlocks(name) ? 3 : 1, relations.firstIndex { $0.name == name } ?? 0)
      }
    }
    return readers.enumerated().sorted { one, other in
      let (first, second) = (place(one.element.kind), place(other.element.kind))
      return first != second ? first < second : one.offset < other.offset
    }.map(\.element)
  }

  private static func refuseSkipped(_ reports: [ImportReport], _ files: ImportFiles) throws(CommandFailure) {
    let skipped = ImportSummary.skipped(reports)
    guard !skipped.isEmpty else { return }
    if files.isJSON {
      try Console.writeJSON { ImportSummary.write(reports, isKept: false, to: &$0) }
    } else {
      try Console.write(ImportSummary.text(of: reports, isKept: false))
    }
    throw .no("nothing was imported, because of --strict: \(ImportSummary.text(of: skipped))")
  }
}
