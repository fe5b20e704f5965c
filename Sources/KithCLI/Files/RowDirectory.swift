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

  func path(of kind: GraphComponent) -> String {
    "\(path)/\(kind.rawValue).\(format.rawValue)\(isCompressed ? ".zst" : "")"
  }

  /// Throws before anything is written if one of the files exists.
  func checkFree() throws(CommandFailure) {
    for kind in kinds where FileManager.default.fileExists(atPath: path(of: kind)) {
      throw .usage("\(path(of: kind)): exists already; export to another directory")
    }
  }

  /// Writes the files; returns how many rows each has. If it fails, the files that it began are removed.
  func write(
    _ view: borrowing GraphView, _ progress: inout Progress
  ) throws(CommandFailure) -> [(kind: GraphComponent, rowCount: Int)] {
    try checkFree()
    do throws(KithError) {
      try PrivateFile.makeDirectory(path)
    } catch {
      throw .usage(error.description)
    }
    var rowCounts: [(kind: GraphComponent, rowCount: Int)] = []
    var begun: [String] = []
    for kind in kinds {
      do throws(CommandFailure) {
        let path = path(of: kind)
        let file = try Self.create(path)
        begun.append(path)
        rowCounts.append((kind, try write(kind, of: view, to: file, path, &progress)))
      } catch {
        for path in begun { try? FileManager.default.removeItem(atPath: path) }
        throw error
      }
    }
    return rowCounts
  }

  private static func create(_ path: String) throws(CommandFailure) -> PrivateFile {
    do throws(KithError) {
      return try PrivateFile(creating: path)
    } catch {
      throw .usage(error.description)
    }
  }

  private func write(
    _ kind: GraphComponent, of view: borrowing GraphView, to file: PrivateFile, _ path: String,
    _ progress: inout Progress
  ) throws(CommandFailure) -> Int {
    var file = file
    progress.begin(kind.rawValue)
    var shown = progress
    defer { progress = shown }
    var written = 0
    return try RowEncoder.encode(kind, of: view, as: format, isCompressed: isCompressed) {
      (piece) throws(CommandFailure) in
      do throws(KithError) {
        try file.append(piece)
      } catch {
        throw .no("the export is incomplete and was removed: \(error.description)")
      }
      written += piece.count
      shown.update(done: written >> 10, of: "KB", share: nil)
    }
  }
}
