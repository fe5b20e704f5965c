import Kith

/// What the commands that query a store have in common: they open it to read, query it once, and write the answer as
/// text or as JSON.
enum StoreQuery {
  static let store = Positional(
    "STORE", "a store directory, a snapshot, or - for a snapshot on standard input; only read")

  /// Opens a store or a snapshot, also one on standard input, to read it. Without an index, posts are found by a scan.
  static func open(
    _ arguments: Arguments, postIndex: SocialGraph.PostIndexing = .off
  ) throws(CommandFailure) -> SocialGraph {
    let path = arguments.positionals[0]
    var options = try arguments.graphOptions()
    options.postIndex = postIndex
    guard path == ByteStream.sign else { return try StoreAccess.open(path, access: .readOnly, options) }
    do throws(KithError) {
      return try SnapshotStream.graph(options)
    } catch {
      throw error.isDamage ? .no(error.sentence) : .usage(error.sentence)
    }
  }

  /// Opens the store that the first argument names, and queries it under one read.
  static func answer<Answer>(
    _ arguments: Arguments, _ query: (borrowing GraphView) throws -> Answer
  ) throws(CommandFailure) -> Answer {
    let graph = try open(arguments, postIndex: .textsAndAuthors)
    return try failing { try graph.read(query) }
  }

  /// Runs a part of a query; what the engine refuses is the answer "no".
  static func failing<Answer>(_ query: () throws -> Answer) throws(CommandFailure) -> Answer {
    do {
      return try query()
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw .no("\(error)")
    }
  }

  /// Writes an answer: with `--json` as one object, else as text.
  static func write(
    _ arguments: Arguments, text: @autoclosure () -> String, json: (inout JSONWriter) -> Void
  ) throws(CommandFailure) {
    if arguments.flag(.json) { try Console.writeJSON(json) } else { try Console.write(text()) }
  }
}

extension Arguments {
  /// The value of `--limit`.
  func pageLimit() throws(CommandFailure) -> Int {
    Int(try integer(.limit, in: 1...Int64(SocialGraph.Limits.pageCount)) ?? 20)
  }
}
