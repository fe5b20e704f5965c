import Kith

/// The questions that a query session watches: after each line, those whose answer became another are written again.
struct QueryWatches {
  /// Questions watched at once, at most.
  static let limit = 10_000

  private let graph: SocialGraph
  /// By number, ascending.
  private var watches: [(number: Int, subscription: LiveSubscription<[UInt8]>)] = []
  private var lastNumber = 0

  init(_ graph: SocialGraph) { self.graph = graph }

  /// Watches a question from now on. Returns its number.
  mutating func add(_ request: Request) throws(KithError) -> Int {
    if watches.count >= Self.limit { throw .limitExceeded("questions watched: \(Self.limit)") }
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

  /// Writes the answers that are new, one a line. A question that has none any more ends with its error.
  mutating func push(to writer: inout JSONWriter) {
    var ended: [Int] = []
    for (number, subscription) in watches {
      do throws(KithError) {
        guard let members = try subscription.askIfTold() else { continue }
        line(number, to: &writer) { writer in
          writer.member("ok", true)
          writer.source(members[...])
        }
      } catch {
        line(number, to: &writer) { $0.members(of: error) }
        ended.append(number)
      }
    }
    watches.removeAll { ended.contains($0.number) }
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
  /// The question, live; its answers are the members of the JSON object that `kith query` answers. Users that it names
  /// by username are those who bear the names now.
  func liveQuestion(_ view: borrowing GraphView) throws(KithError) -> LiveQuestion<[UInt8]> {
    switch operation {
    case .users: json(.search(text(.query) ?? "", try userSearch(view))) { .users($0) }
    case .posts: json(.posts(text(.query) ?? "", try postSearch(view))) { .posts($0) }
    case .timeline: json(.timeline(of: try user(.user, view), timelineOptions)) { .timeline($0) }
    case .user: json(.user(try user(.user, view), as: try viewer(view))) { .user($0) }
    case .post: json(.post(postID, as: try viewer(view))) { .post($0) }
    case .followees: json(.followees(of: try user(.user, view), try listOptions(view))) { .users($0) }
    case .followers: json(.followers(of: try user(.user, view), try listOptions(view))) { .users($0) }
    case .isFollowing: json(.isFollowing(try user(.user, view), try user(.target, view))) { .value($0) }
    case .relations: json(.relations(of: try user(.user, view), to: try targets(view))) { .relations($0) }
    case .likers: json(.likers(of: postID, try listOptions(view))) { .users($0) }
    case .likes: json(.likes(of: try user(.user, view), try listOptions(view))) { .posts($0) }
    case .blocked: json(.blocked(by: try user(.user, view), try listOptions(view))) { .users($0) }
    case .muted: json(.muted(by: try user(.user, view), try listOptions(view))) { .users($0) }
    default: LiveQuestion { [self] (view) throws(KithError) in json(try answer(from: view)) }
    }
  }

  private func json<Value>(
    _ question: LiveQuestion<Value>, _ answer: @escaping @Sendable (Value) -> Answer
  ) -> LiveQuestion<[UInt8]> {
    question.map { value in json(answer(value)) }
  }

  private func json(_ answer: Answer) -> [UInt8] {
    var writer = JSONWriter()
    writer.members(of: answer, to: self, in: [])
    return writer.bytes
  }
}
