import Foundation
import Kith

/// The endpoints that answer events.
extension Explorer {
  /// At most one event of counts in this time.
  private static let countsInterval = Duration.milliseconds(250)
  /// How often a question without an answer is asked again.
  private static let retryInterval = Duration.seconds(1)

  /// The users with the highest scores.
  func ranks(_ parameters: Parameters) throws(HTTPFailure) -> HTTPReply {
    let (pin, limit) = (try graph(parameters).pin(), Int(parameters.integer(.limit) ?? 0))
    let isPageRank = parameters.text(.by) == "pagerank"
    return try Job { (job) throws(HTTPFailure) in
      try HTTPFailure.from { () throws(KithError) in
        let scored = try isPageRank ? pin.byPageRank(limit, job.passes) : pin.view.byFollowers(limit)
        return JSONWriter.bytes { writer in
          writer.array("users", scored) { $0.user($1.user, score: $1.score) }
        }
      }
    }.stream()
  }

  /// Checks the files.
  func verify() throws(HTTPFailure) -> HTTPReply {
    let path = store.path
    return try Job(reading: DiskProgress.byteCount(of: path, .all)) { (job) throws(HTTPFailure) in
      let found = try HTTPFailure.from { () throws(KithError) in try Verification(of: path, control: job.reading) }
      return JSONWriter.bytes { writer in
        writer.objects("problems", found.problems) { $1.writeMembers(to: &$0) }
        writer.strings("notes", found.remarks)
      }
    }.stream()
  }

  /// Opens a past state; afterwards queries can be asked of it.
  func past(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPReply {
    guard case .object(let members)? = try? JSONReader.parse(request.body), members.count == 1,
      case .integer(let time)? = members.named("at")?.value
    else { throw .invalid("the body is {\"at\":MILLISECONDS}") }
    guard store.kind == .store else { throw .invalid("a snapshot holds one state; explore the store's directory") }
    let store = store
    return try Job(reading: DiskProgress.byteCount(of: store.path, .newest)) { (job) throws(HTTPFailure) in
      let graph = try HTTPFailure.from { () throws(KithError) in try store.openPast(at: time, job.reading) }
      return JSONWriter.bytes { writer in
        writer.member("at", time)
        ExploredStore.writeCounts(of: graph, to: &writer)
        writer.strings("notes", graph.recovery?.remarks ?? [])
      }
    }.stream()
  }

  /// Changes and counts.
  func events() throws(HTTPFailure) -> HTTPReply {
    let (store, clock) = (store, ContinuousClock())
    var allowance = ChangeAllowance(after: store.graph.read { view in view.sequence })
    var shown: (sequence: UInt64, problem: HTTPFailure?)?
    var countedAt = clock.now
    return .events(
      try EventStream.open {
        let sequence = store.graph.read { view in view.sequence }
        var events = allowance.events(store.changes(after: allowance.sequence), last: sequence)
        let problem = store.problem
        if let problem, problem != shown?.problem { events += EventStream.event("failure") { problem.write(to: &$0) } }
        let isDue = shown == nil || countedAt.duration(to: clock.now) >= Self.countsInterval
        if isDue, shown?.sequence != sequence || shown?.problem != problem {
          events += EventStream.event("counts") { store.writeInfo(to: &$0) }
          shown = (sequence, problem)
          countedAt = clock.now
        }
        return events
      })
  }

  /// The answer to a question, now and whenever it changes.
  func live(_ parameters: Parameters) throws(HTTPFailure) -> HTTPReply {
    let (store, clock) = (store, ContinuousClock())
    let request: Request
    do throws(RequestError) {
      request = try Request(question: Array((parameters.text(.questionText) ?? "").utf8))
    } catch {
      throw HTTPFailure(error)
    }
    var asked: (graph: SocialGraph, subscription: LiveSubscription<[UInt8], KithError>)?
    var last: AnswerDigest?
    var failedAt: ContinuousClock.Instant?
    return .events(
      try EventStream.open {
        if let failedAt, failedAt.duration(to: clock.now) < Self.retryInterval { return [] }
        let answer: [UInt8]
        do throws(KithError) {
          let graph = store.graph
          if asked?.graph !== graph {
            let question = try graph.read { (view) throws(KithError) in try request.liveQuery(view) }
            asked = (graph, LiveSubscription(graph, question))
          }
          failedAt = nil
          guard let members = try asked?.subscription.rerunIfTold() else { return [] }
          answer = JSONWriter.bytes { writer in
            writer.member("ok", true)
            writer.source(members[...])
          }
        } catch {
          (asked, failedAt) = (nil, clock.now)
          answer = JSONWriter.bytes { $0.members(of: .graph(error)) }
        }
        let digest = AnswerDigest(answer)
        if digest == last { return [] }
        last = digest
        return EventStream.event("answer", answer)
      })
  }
}

extension Request {
  /// The question in a text of JSON.
  init(question text: [UInt8]) throws(RequestError) {
    guard let value = try? JSONReader.parse(text) else { throw .malformed("the question is not JSON") }
    try self.init(value)
    guard operation.isQuestion, operation != .session(.verify) else {
      throw .malformed("\(operation) cannot be watched here")
    }
  }
}

extension SocialGraph.Pin {
  fileprivate func byPageRank(_ limit: Int, _ control: PassControl) throws(KithError) -> [(user: User, score: Double)] {
    let top = try pageRank(control: control).top(limit, in: view)
    return zip(try view.users(top.map(\.user)), top).compactMap { user, scored in user.map { ($0, scored.score) } }
  }
}

extension GraphView {
  fileprivate func byFollowers(_ limit: Int) throws(KithError) -> [(user: User, score: Double)] {
    try searchUsers("", UserQuery(order: .popular, limit: limit)).map { ($0, Double($0.followerCount)) }
  }
}
