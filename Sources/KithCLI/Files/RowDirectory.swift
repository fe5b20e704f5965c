import Foundation
import Kith

/// The directory of an export: one file per kind of row, none of which may exist. Its files are accessible to their
/// owner alone, like a store's, because posts, mutes and blocks are private.
struct RowDirectory {
  let path: String
  var format = RowFormat.tsv
  var kinds = GraphComponent.allCases
  /// Whether each file is compressed with zstd.
  var isCompressed = false

  func path(of kind: RowKind) -> String { "\(path)/\(name(of: kind))" }

  /// The schema of a graph that has one: in an export of all files, with a file for each declared relation with edges.
  var schemaPath: String { "\(path)/\(Self.schemaName)" }
  private static let schemaName = "schema.json"
  private var isWhole: Bool { kinds.count == GraphComponent.allCases.count }

  private func name(of kind: RowKind) -> String { Self.name(of: kind, format, isCompressed) }

  private static func name(of kind: RowKind, _ format: RowFormat, _ isCompressed: Bool) -> String {
    "\(kind.fileName).\(format.rawValue)\(isCompressed ? ".zst" : "")"
  }

  /// The files of an export of a graph.
  private func rowKinds(of view: borrowing GraphView) -> [RowKind] {
    kinds.map { .component($0) } + (isWhole ? view.exportedRelations.map { .edges($0.name) } : [])
  }

  /// The names of the files of any export of some kinds.
  private static func names(_ kinds: [RowKind]) -> [String] {
    let all = GraphComponent.allCases.map { RowKind.component($0) } + kinds
    return [schemaName]
      + all.flatMap { kind in RowFormat.allCases.flatMap { format in [false, true].map { name(of: kind, format, $0) } }
      }
  }

  /// Throws before anything is written if one of the files exists.
  func checkFree() throws(CommandFailure) {
    try check(kinds.map { path(of: .component($0)) } + (isWhole ? [schemaPath] : []))
  }

  private func check(_ paths: [String]) throws(CommandFailure) {
    for path in paths where PathAccess.exists(path) {
      throw .usage(
        "\(path): exists already; export to another directory, or remove it if an "
          + "interrupted export has left it")
    }
  }

  /// Writes the files; returns how many rows each has, and whether there is one of a schema. They get their names once
  /// all of them are on the disk, a new directory with all of them. If it fails, what it began is removed; what an
  /// interrupted export left is replaced.
  func write(
    _ view: borrowing GraphView, _ progress: inout Progress
  ) throws(CommandFailure) -> (rows: [(kind: RowKind, rowCount: Int)], hasSchema: Bool) {
    let kinds = rowKinds(of: view)
    try checkFree()
    try check(kinds.map { path(of: $0) })
    let isNew = PathAccess.isFree(path)
    let place: String
    do throws(KithError) {
      if isNew {
        place = try PrivateFile.makeStaging(for: path, of: Self.names(kinds))
      } else {
        try PrivateFile.makeDirectory(path)
        place = path
      }
    } catch {
      throw .usage(error.sentence)
    }
    var rowCounts: [(kind: RowKind, rowCount: Int)] = []
    let schema = isWhole ? view.schema : nil
    var files: [PrivateFile] = []
    do throws(CommandFailure) {
      for kind in kinds {
        files.append(try Self.create("\(place)/\(name(of: kind))"))
        rowCounts.append((kind, try write(kind, of: view, to: files[files.count - 1], &progress)))
      }
      if let schema {
        files.append(try Self.create("\(place)/\(Self.schemaName)"))
        do throws(KithError) {
          try files[files.count - 1].append(schema.file)
        } catch {
          throw .no("the export is incomplete and was removed: \(error.sentence)")
        }
      }
      do throws(KithError) {
        try PrivateFile.finish(files, in: place)
        if isNew { try PrivateFile.finish(staging: place, as: path) }
      } catch {
        throw .no("the export is incomplete: \(error.sentence)")
      }
    } catch {
      for file in files { file.abandon() }
      if isNew { PathAccess.removeDirectory(place) }
      throw error
    }
    return (rowCounts, schema != nil)
  }

  private static func create(_ path: String) throws(CommandFailure) -> PrivateFile {
    do throws(KithError) {
      return try PrivateFile(path)
    } catch {
      throw .usage(error.sentence)
    }
  }

  private func write(
    _ kind: RowKind, of view: borrowing GraphView, to file: PrivateFile, _ progress: inout Progress
  ) throws(CommandFailure) -> Int {
    let take = Self.pieces(of: kind.name, to: file, &progress)
    return try RowEncoder.encode(kind, of: view, as: format, isCompressed: isCompressed, take: take)
  }

  /// Appends pieces of rows to a file, with the progress on a terminal.
  private static func pieces(
    of name: String, to file: PrivateFile, _ progress: inout Progress
  ) -> ([UInt8]) throws(CommandFailure) -> Void {
    progress.begin(name)
    var (shown, written) = (progress, 0)
    return { (piece) throws(CommandFailure) in
      do throws(KithError) {
        try file.append(piece)
      } catch {
        throw .no("the export is incomplete and was removed: \(error.sentence)")
      }
      written += piece.count
      shown.update(done: written >> 10, of: "KB", share: nil)
    }
  }
}
