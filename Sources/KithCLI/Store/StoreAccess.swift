import Foundation
import Kith

/// Opening, saving and closing stores, with the failures that a command ends with.
enum StoreAccess {
  /// Opens a store or a snapshot, and tells what was found there that somebody should know. To write, an absent store
  /// is made.
  static func open(
    _ path: String, access: SocialGraph.Access, _ options: Options = Options()
  ) throws(CommandFailure) -> SocialGraph {
    try opened(path) { () throws(KithError) in try SocialGraph.open(path, access: access, options: options) }
  }

  /// Opens a store or a snapshot to read, and to try changes that are saved nowhere.
  static func openScratch(_ path: String) throws(CommandFailure) -> SocialGraph {
    try opened(path) { () throws(KithError) in try SocialGraph.openScratch(path) }
  }

  private static func opened(
    _ path: String, _ open: () throws(KithError) -> SocialGraph
  ) throws(CommandFailure) -> SocialGraph {
    do throws(KithError) {
      let graph = try open()
      if let report = graph.recovery { note(report, of: path) }
      return graph
    } catch {
      throw .usage(error.description)
    }
  }

  /// Tells what opening a store found, one line for each fact, on standard error.
  static func note(_ report: RecoveryReport, of path: String) {
    for remark in report.remarks { Console.note(path, remark) }
  }

  /// Opens a store to write that must be there already.
  static func openExisting(_ path: String, _ options: Options = Options()) throws(CommandFailure) -> SocialGraph {
    guard FileManager.default.fileExists(atPath: path) else {
      throw .usage("\(path): no store there; kith import and kith seed make one")
    }
    return try open(path, access: .readWrite, options)
  }

  /// The names in a directory, in order; none when it is not there.
  static func fileNames(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Writes a snapshot, with its progress on a terminal.
  static func snapshot(_ graph: SocialGraph) throws(CommandFailure) -> SnapshotInfo {
    var progress = Progress()
    progress.begin("snapshot")
    defer { progress.finish() }
    do throws(KithError) {
      return try graph.snapshot { step in
        switch step {
        case .writing(let byteCount): progress.update(done: byteCount >> 20, of: "MB", share: nil)
        case .verifying: progress.note("snapshot   reading it back")
        }
      }
    } catch {
      throw .no(error.description)
    }
  }

  static func close(_ graph: SocialGraph) throws(CommandFailure) {
    do throws(KithError) { try graph.close() } catch { throw .no(error.description) }
  }

  /// Asks a question; what it cannot answer is the command's "no".
  static func ask<R>(
    _ graph: SocialGraph, _ question: (borrowing GraphView) throws(KithError) -> R
  ) throws(CommandFailure) -> R {
    do throws(KithError) { return try graph.read(question) } catch { throw .no(error.description) }
  }

  /// Removes a store directory that holds no graph, only the files of an open one: what is left when filling it failed.
  static func removeUnlessFilled(_ path: String) {
    let manager = FileManager.default
    let names = try? manager.contentsOfDirectory(atPath: path)
    guard let names, names.allSatisfy({ ["LOCK", "ACK"].contains($0) }) else { return }
    try? manager.removeItem(atPath: path)
  }
}

extension Counts {
  /// `1,000 users, 20 follows, 3 posts, 4 likes`, and blocks and mutes where there are any.
  var text: String {
    var parts = [("user", users), ("follow", follows), ("post", posts), ("like", likes)]
    if blocks > 0 { parts.append(("block", blocks)) }
    if mutes > 0 { parts.append(("mute", mutes)) }
    return parts.map { counted($1, $0) }.joined(separator: ", ")
  }

  func write(to writer: inout JSONWriter) {
    writer.member("users", users)
    writer.member("follows", follows)
    writer.member("posts", posts)
    writer.member("likes", likes)
    writer.member("blocks", blocks)
    writer.member("mutes", mutes)
  }
}
