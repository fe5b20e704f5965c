import Foundation
import Kith
import Synchronization

/// Queries a second by number of threads.
struct BenchThroughput {
  /// One kind of query.
  struct Line: Sendable {
    let name: String
    /// Queries a second, for each number of threads.
    let perSecond: [Double]
    /// Changes a second of one more thread beside them; empty if there was none.
    var changesPerSecond: [Double] = []
  }

  private static let duration = Duration.milliseconds(400)

  let graph: SocialGraph
  let sample: BenchSample

  /// 1, 2, 4… up to every core.
  static let threadCounts: [Int] = {
    let coreCount = ProcessInfo.processInfo.activeProcessorCount
    let powers = (0..<16).map { 1 << $0 }.filter { $0 < coreCount }
    return powers + [coreCount]
  }()

  func measure(_ progress: inout Progress) throws(KithError) -> [Line] {
    let timeline = BenchQuery.timeline(sample)
    let asked = [
      ("search of names", BenchQuery.search(sample)), ("first page of a timeline", timeline),
      ("whether one follows another", BenchQuery.isFollowing(sample)),
    ]
    var lines: [Line] = []
    for (name, question) in asked {
      progress.next("measuring throughput: \(name)")
      let answers = try Self.threadCounts.map { (count) throws(KithError) in try run(question, threads: count).answers }
      lines.append(Line(name: name, perSecond: answers))
    }
    progress.next("measuring throughput beside a writer")
    let beside = try Self.threadCounts.map { (count) throws(KithError) in
      try run(timeline, threads: count, writes: true)
    }
    lines.append(
      Line(
        name: "timelines beside a writer", perSecond: beside.map(\.answers),
        changesPerSecond: beside.map(\.changes)))
    return lines
  }

  /// Every thread runs queries until the time is over, each beginning at another place of the sample.
  private func run(
    _ question: BenchQuery, threads: Int, writes: Bool = false
  ) throws(KithError) -> (answers: Double, changes: Double) {
    let clock = ContinuousClock()
    let began = clock.now
    let deadline = began.advanced(by: Self.duration)
    let tally = Tally()
    let everybody = DispatchGroup()
    for thread in 0..<threads + (writes ? 1 : 0) {
      everybody.enter()
      let hasThread = Threads.run {
        var done = 0
        while clock.now < deadline {
          // The clock is read only now and then: it costs as much as the cheapest query.
          for _ in 0..<16 {
            if thread < threads { ask(question, thread * 997 + done) } else { change(done) }
            done += 1
          }
        }
        tally.add(done, areAnswers: thread < threads)
        everybody.leave()
      }
      if hasThread { continue }
      everybody.leave()
      throw .limitExceeded(.threads)
    }
    everybody.wait()
    let seconds = (clock.now - began).seconds
    let counts = tally.counts
    return (Double(counts.answers) / seconds, Double(counts.changes) / seconds)
  }

  /// The totals of all threads.
  private final class Tally: Sendable {
    private let total = Mutex((answers: 0, changes: 0))

    var counts: (answers: Int, changes: Int) { total.withLock { $0 } }

    func add(_ count: Int, areAnswers: Bool) {
      total.withLock { if areAnswers { $0.answers += count } else { $0.changes += count } }
    }
  }

  /// The sample is of this graph, and nothing is removed from it: this cannot fail.
  private func ask(_ question: BenchQuery, _ place: Int) {
    _ = try? graph.read { (view) throws(KithError) in try question.ask(view, place) }
  }

  /// A follow at even places, and its removal after it; with a block between the users, a refused change.
  private func change(_ place: Int) {
    let (one, other) = (sample.users.cycled(place / 2), sample.users.cycled(place / 2 &* 31 &+ 1))
    _ = try? graph.apply(
      place.isMultiple(of: 2) ? .follow(as: one, target: other, at: nil) : .unfollow(as: one, target: other))
  }
}
