import Kith

/// The queries that a session watches: after each line, those with a changed answer are answered again.
struct QueryWatches {
  /// The most queries that can be watched at once.
  static let limit = 10_000

  let limit: Int

  private let graph: SocialGraph
  /// By number, ascending.
  private var watches: [(number: Int, subscription: LiveSubscription<[UInt8], KithError>)] = []
  private var lastNumber = 0

  init(_ graph: SocialGraph, limit: Int = Self.limit) {
    self.graph = graph
    self.limit = limit
  }

  var isEmpty: Bool { watches.isEmpty }

  /// Watches a query from now on. Returns its number.
  mutating func add(_ request: Request) throws(KithError) -> Int {
    if watches.count >= limit { throw .limitExceeded(.watches(limit: limit)) }
    let question = try graph.read { (view) throws(KithError) in try request.liveQuestion(view) }
    lastNumber += 1
    watches.append((lastNumber, LiveSubscription(graph, question)))
    return lastNumber
  }

  /// Whether it was watched until now.
  mutating func remove(_ number: Int64) -> Bool {
    let count = watches.count
    watches.removeAll { $0.number == number }
    return watches.count < count
  }

  /// Writes new answers, one a line. A query that fails ends with its error.
  /// - Parameter flush: called after each line; it may empty the writer.
  mutating func push<Failure>(
    to writer: inout JSONWriter, flush: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    var ended: Set<Int> = []
    for (number, subscription) in watches {
      do throws(KithError) {
        guard let members = try subscription.askIfTold() else { continue }
        line(number, to: &writer) { writer in
          writer.member("ok", true)
          writer.source(members[...])
        }
      } catch {
        line(number, to: &writer) { $0.members(of: error) }
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

extension Request {
  /// The query as a live query; its values are the members of the JSON object that `kith query` answers. Users given by
  /// username are resolved again each time.
  func liveQuestion(_ view: borrowing GraphView) throws(KithError) -> LiveQuery<[UInt8], KithError> {
    switch operation {
    case .users: json(.searchUsers(required(.query, text), try userSearch(view))) { .users($0) }
    case .posts: json(.searchPosts(required(.query, text), try postSearch(view))) { .posts($0) }
    case .timeline: json(.timeline(of: try user(.user, view), timelineOptions)) { .timeline($0) }
    case .user: json(.user(try user(.user, view), as: try viewer(view))) { .user($0) }
    case .post: json(.post(postID, as: try viewer(view))) { .post($0) }
    case .isFollowing: json(.isFollowing(try user(.target, view), as: try user(.user, view))) { .value($0) }
    case .relations: json(.relations(of: try user(.user, view), to: try targets(view))) { .relations($0) }
    case .likers: json(.likers(of: postID, try listOptions(view))) { .users($0) }
    case .likes: json(.likes(of: try user(.user, view), try listOptions(view))) { .posts($0) }
    default:
      if let (kind, side) = operation.list {
        json(.list(kind, side, of: try user(.user, view), try listOptions(view))) { .users($0) }
      } else {
        LiveQuery { [self] (view) throws(KithError) in json(try answer(from: view)) }
      }
    }
  }

  private func json<Value>(
    _ question: LiveQuery<Value, KithError>, _ answer: @escaping @Sendable (Value) -> Answer
  ) -> LiveQuery<[UInt8], KithError> {
    question.map { value in json(answer(value)) }
  }

  private func json(_ answer: Answer) -> [UInt8] {
    var writer = JSONWriter()
    writer.members(of: answer, to: self, in: [])
    return writer.bytes
  }
}
