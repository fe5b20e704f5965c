import Kith

/// `kith query`: one JSON object a line in on standard input, one out on standard output.
enum QueryCommand {
  /// Paragraphs of the command's help, after its options.
  static let notes = [
    "STORE is a store directory, made when absent, or a snapshot file, which is only read.",
    "A change is in the store's journal, on the disk, before it is answered: what was answered survives a crash. The "
      + "request {\"op\":\"snapshot\"} writes a snapshot now; others are written an hour after the first change, after "
      + "a gibibyte of journal or ten million changes.",
    "Exit status: 0 at the end of input, whatever the answers were; 1 when input or output failed or the store could "
      + "not be closed; 2 for wrong usage or a store that cannot be opened.",
  ]

  private static let readByteCount = 256 << 10
  private static let flushByteCount = 64 << 10

  /// Runs until the input ends; answers the exit status. Without a path the graph is in memory.
  static func run(storePath: String?, memory: Bool, timings: Bool, readOnly: Bool) -> Int32 {
    StandardStream.ignoreBrokenPipes()
    let graph: SocialGraph
    do throws(CommandFailure) {
      if let storePath, !memory {
        graph = try StoreAccess.open(storePath, access: readOnly ? .readOnly : .readWrite)
      } else {
        graph = SocialGraph()
      }
    } catch {
      Console.complain(error)
      return error.status
    }
    var session = QuerySession(graph, timings: timings, readOnly: readOnly)
    let answered = answerAll(in: &session)
    let closed = close(session.graph)
    return answered && closed ? 0 : 1
  }

  /// Reads and answers to the end; false when a stream failed. A reader of our answers who has gone away ends it
  /// quietly.
  private static func answerAll(in session: inout QuerySession) -> Bool {
    do throws(StandardStream.Failure) {
      try loop(&session)
      return true
    } catch {
      if !error.isBrokenPipe { Console.complain(.no("\(error); the answers end here")) }
      return error.isBrokenPipe
    }
  }

  private static func loop(_ session: inout QuerySession) throws(StandardStream.Failure) {
    var splitter = LineSplitter()
    var answers = JSONWriter()
    var chunk = [UInt8](repeating: 0, count: readByteCount)
    while true {
      while let line = splitter.next() {
        session.answer(line, to: &answers)
        session.push(to: &answers)
        if answers.bytes.count >= flushByteCount { try flush(&answers) }
      }
      if !StandardStream.input.isReadable { try flush(&answers) }
      let count = try StandardStream.input.read(into: &chunk)
      if count == 0 { break }
      splitter.feed(chunk[..<count])
    }
    if let line = splitter.last() { session.answer(line, to: &answers) }
    session.push(to: &answers)
    try flush(&answers)
  }

  private static func flush(_ answers: inout JSONWriter) throws(StandardStream.Failure) {
    try StandardStream.output.write(answers.bytes)
    answers.removeAll()
  }

  /// Closes the store; false, after saying why, when that failed.
  private static func close(_ graph: SocialGraph) -> Bool {
    do throws(KithError) {
      try graph.close()
      return true
    } catch {
      Console.complain(.no(error.description))
      return false
    }
  }
}
