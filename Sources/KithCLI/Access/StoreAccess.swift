import Foundation
import Kith

/// Opens, saves and closes stores; failures are those that a command ends with.
enum StoreAccess {
  /// Opens a store or a snapshot, and prints the findings of its recovery. A missing store is created if it is opened
  /// for writing.
  static func open(
    _ path: String, access: SocialGraph.Access, _ options: SocialGraph.Options = SocialGraph.Options(),
    schema: SocialGraph.Schema? = nil, events: EventLog? = nil
  ) throws(CommandFailure) -> SocialGraph {
    if path == ByteStream.sign { throw noDirectory }
    return try opened(path) { () throws(KithError) in
      try SocialGraph.open(path, access: access, options: options, schema: schema, onEvent: events?.note)
    }
  }

  /// Opens a store that the command fills at once, as `open` does; a new one is refused by others until it is filled.
  static func openUnfinished(_ path: String, _ options: SocialGraph.Options) throws(CommandFailure) -> SocialGraph {
    if path == ByteStream.sign { throw noDirectory }
    return try opened(path) { () throws(KithError) in try SocialGraph.openUnfinished(path, options: options) }
  }

  /// Ends a failed load: what it has left of a new store is removed.
  static func giveUp(_ graph: SocialGraph, at path: String, isNew: Bool) {
    try? graph.close()
    StoreTools.removeUnfinished(path, alsoDirectory: isNew)
  }

  private static let noDirectory = CommandFailure.usage(
    "-: standard input or output is no store; give a directory (./- for one of that name)")

  /// Opens a store or a snapshot to read, and to try changes that are not saved.
  static func openScratch(_ path: String, _ options: SocialGraph.Options) throws(CommandFailure) -> SocialGraph {
    try opened(path) { () throws(KithError) in try SocialGraph.openScratch(path, options: options) }
  }

  private static func opened(
    _ path: String, _ open: () throws(KithError) -> SocialGraph
  ) throws(CommandFailure) -> SocialGraph {
    do throws(KithError) {
      let graph = try reading(path, open)
      if let report = graph.recovery { note(report, of: path) }
      return graph
    } catch {
      throw .usage(error.advised(for: path))
    }
  }

  /// Reads a store or a snapshot, with the progress on a terminal.
  private static func reading<R>(_ path: String, _ body: () throws(KithError) -> R) throws(KithError) -> R {
    try DiskProgress.show(
      "reading", of: DiskProgress.byteCount(of: path, .newest), ending: "building the index of names", body)
  }

  /// Makes a store from files, with the progress on a terminal: they are read, and as much is written and read back.
  static func making<R>(_ phase: String, from path: String, _ body: () throws(KithError) -> R) throws(KithError) -> R {
    try DiskProgress.show(
      phase, of: DiskProgress.byteCount(of: path, .newest).map { 3 * $0 }, ending: "finishing the snapshot", body)
  }

  /// Prints what opening a store found, one line for each fact, on standard error.
  static func note(_ report: RecoveryReport, of path: String) {
    for remark in report.remarks { Console.note(path, remark) }
  }

  /// Prints that a name at a path may not be durable.
  static func remark(at path: String) -> (String) -> Void { { Console.note(path, $0) } }

  /// Opens an existing store for writing.
  static func openExisting(_ path: String, _ options: SocialGraph.Options = SocialGraph.Options())
    throws(CommandFailure) -> SocialGraph
  {
    guard PathAccess.exists(path) else {
      throw .usage("\(path): there is no store; kith import and kith seed create one")
    }
    return try open(path, access: .readWrite, options)
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
      throw .no(error.sentence)
    }
  }

  static func close(_ graph: SocialGraph) throws(CommandFailure) {
    do throws(KithError) { try graph.close() } catch { throw .no(error.sentence) }
  }

  /// Runs a query; its error is the command's failure with status 1.
  static func ask<R>(
    _ graph: SocialGraph, _ question: (borrowing GraphView) throws(KithError) -> R
  ) throws(CommandFailure) -> R {
    do throws(KithError) { return try graph.read(question) } catch { throw .no(error.sentence) }
  }
}

extension SocialGraph.Counts {
  /// `1,000 users, 20 follows, 3 posts, 4 likes`, and private edges where there are any.
  var text: String {
    let parts = GraphComponent.allCases.filter { $0.relation?.facts.isPrivate != true || self[$0] > 0 }
    return parts.map { RowKind.component($0).counted(self[$0]) }.joined(separator: ", ")
  }

  func write(to writer: inout JSONWriter) {
    for part in GraphComponent.allCases { writer.member(part.rawValue, self[part]) }
  }

  private subscript(part: GraphComponent) -> Int {
    switch part {
    case .users: users
    case .posts: posts
    case .relation(let kind): self[kind]
    }
  }
}
