import Foundation
import Kith

/// The directory that an export fills: one file per kind of row, never over a file that exists.
enum TSVDirectory {
  static func path(of kind: RowKind, in directory: String) -> String { "\(directory)/\(kind.rawValue).tsv" }

  /// Refuses, before anything is written, when one of the files exists.
  static func checkFree(_ directory: String) throws(CommandFailure) {
    for kind in RowKind.allCases where FileManager.default.fileExists(atPath: path(of: kind, in: directory)) {
      throw .usage("\(path(of: kind, in: directory)): exists already; export to another directory")
    }
  }

  /// Writes all kinds; answers how many rows each file has. When it fails, the files that it began are removed.
  static func write(
    _ view: borrowing GraphView, to directory: String, _ progress: inout Progress
  ) throws(CommandFailure) -> [(kind: RowKind, rowCount: Int)] {
    try checkFree(directory)
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw .usage("\(directory): cannot be made a directory: \(error.localizedDescription)")
    }
    var rowCounts: [(kind: RowKind, rowCount: Int)] = []
    for kind in RowKind.allCases {
      do throws(CommandFailure) {
        rowCounts.append((kind, try write(kind, of: view, to: path(of: kind, in: directory), &progress)))
      } catch {
        for begun in RowKind.allCases.prefix(rowCounts.count + 1) {
          try? FileManager.default.removeItem(atPath: path(of: begun, in: directory))
        }
        throw error
      }
    }
    return rowCounts
  }

  private static func write(
    _ kind: RowKind, of view: borrowing GraphView, to path: String, _ progress: inout Progress
  ) throws(CommandFailure) -> Int {
    guard FileManager.default.createFile(atPath: path, contents: nil), let handle = FileHandle(forWritingAtPath: path)
    else { throw .usage("\(path): cannot be created; may this user write there?") }
    defer { try? handle.close() }
    progress.begin(kind.rawValue)
    var shown = progress
    defer { progress = shown }
    var written = 0
    return try TSVEncoder.encode(kind, of: view) { (piece) throws(CommandFailure) in
      do {
        try handle.write(contentsOf: Data(piece))
      } catch {
        throw .no("\(path): cannot be written: \(error.localizedDescription)")
      }
      written += piece.count
      shown.update(done: written, of: "bytes", share: nil)
    }
  }
}
