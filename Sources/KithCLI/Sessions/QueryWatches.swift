import Kith

/// The queries that a session watches: after each line, those with a changed answer are answered again.
///
/// Of an answer, only a digest is kept, and what it depends on. Both are bounded for each session.
struct QueryWatches {
  let limits: WatchLimits

  private let graph: SocialGraph
  /// By number, ascending.
  private var watches: [Watch] = []
  private var lastNumber = 0
  /// The bytes of all watches, by estimate.
  private var byteCount = 0

  init(_ graph: SocialGraph, _ limits: WatchLimits) {
    self.graph = graph
    self.limits = limits
  }

  var isEmpty: Bool { watches.isEmpty }

  /// Watches a query from now on. Returns its number.
  mutating func add(_ request: Request) throws(RequestError) -> Int {
    if watches.count >= limits.count { throw .tooManyWatches(limit: limits.count) }
    let query = try RequestError.from { () throws(KithError) in
      try graph.read { (view) throws(KithError) in try request.liveQuery(view) }
    }
    let watch = Watch(lastNumber + 1, LiveSubscription(graph, query), requestByteCount: request.fields.byteCount)
    if byteCount + watch.byteCount > limits.byteCount { throw .watchesTooMuch(byteLimit: limits.byteCount) }
    lastNumber += 1
    byteCount += watch.byteCount
    watches.append(watch)
    return lastNumber
  }

  /// Whether it was watched until now.
  mutating func remove(_ number: Int64) -> Bool {
    guard let index = watches.firstIndex(where: { $0.number == number }) else { return false }
    byteCount -= watches.remove(at: index).byteCount
    return true
  }

  /// Writes new answers, one a line. A query that fails ends with its error, and so does one whose answer depends on
  /// more than the session may keep.
  /// - Parameter flush: called after each line; it may empty the writer.
  mutating func push<Failure>(
    to writer: inout JSONWriter, flush: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    var ended: Set<Int> = []
    for index in watches.indices {
      let number = watches[index].number
      do throws(RequestError) {
        let before = watches[index].byteCount
        let members = try watches[index].newAnswer()
        byteCount += watches[index].byteCount - before
        guard let members else { continue }
        if byteCount > limits.byteCount { throw .watchesTooMuch(byteLimit: limits.byteCount) }
        line(number, to: &writer) { writer in
          writer.member("ok", true)
          writer.source(members[...])
        }
      } catch {
        line(number, to: &writer) { $0.members(of: error) }
        byteCount -= watches[index].byteCount
        watches[index].end()
        ended.insert(number)
      }
      try flush(&writer)
    }
    if !ended.isEmpty { watches.removeAll { ended.contains($0.number) } }
  }

  private func line(_ number: Int, to writer: inout JSONWriter, _ content: (inout JSONWriter) -> Void) {
    writer.object { writer in
      writer.member("watch", number)
      writer.member("sequence", graph.read { view in view.sequence })
      content(&writer)
    }
    writer.newline()
  }
}

/// One watched query.
private struct Watch {
  /// What a watch takes beside its request and its dependencies.
  private static let fixedByteCount = 1 << 10
  /// What one dependency takes: in the subscription, and in the graph's index of subscribers.
  private static let dependencyByteCount = 200

  let number: Int
  private let subscription: LiveSubscription<[UInt8], KithError>
  /// What it takes, by estimate.
  private(set) var byteCount: Int
  /// Of the last answer.
  private var digest: AnswerDigest?
  private var dependencyCount = 0

  init(_ number: Int, _ subscription: LiveSubscription<[UInt8], KithError>, requestByteCount: Int) {
    self.number = number
    self.subscription = subscription
    byteCount = Self.fixedByteCount + requestByteCount
  }

  /// The members of the answer, if it differs from the last one.
  mutating func newAnswer() throws(RequestError) -> [UInt8]? {
    guard let members = try RequestError.from({ () throws(KithError) in try subscription.rerunIfTold() }) else {
      return nil
    }
    byteCount += (subscription.dependencyCount - dependencyCount) * Self.dependencyByteCount
    dependencyCount = subscription.dependencyCount
    let digest = AnswerDigest(members)
    if digest == self.digest { return nil }
    self.digest = digest
    return members
  }

  func end() { subscription.end() }
}
