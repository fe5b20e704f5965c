import Kith
import Synchronization

/// The longest changes: the thread's own time of each of many, while all tables grow, the indexes are compacted in the
/// background, and snapshots are taken and let go. Adds users, posts, follows and likes to the graph.
struct StallWorkload {
  let network: Network
  let graph: SocialGraph
  let seed: UInt64

  private enum Kind: Int, CaseIterable {
    case user, post, follow, like

    var name: String { ["user added", "post added", "follow", "like"][rawValue] }
  }

  func run(_ harness: inout Harness) throws -> [Measurement] {
    let count = harness.samples * 200
    let quiet = try changes(count, stream: 90)
    let isDone = Atomic(false)
    let busy = Mutex<[[Int64]]>([])
    let failure = Mutex<KithError?>(nil)
    JournalBaseline.onThreads(2) { number in
      if number == 0 {
        do throws(KithError) {
          let times = try changes(count, stream: 91)
          busy.withLock { $0 = times }
        } catch {
          failure.withLock { $0 = error }
        }
        isDone.store(true, ordering: .releasing)
        return
      }
      // As a snapshot does: the state is held for a while, then let go.
      while !isDone.load(ordering: .acquiring) {
        let pin = graph.pin()
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(20)
        while clock.now < end && !isDone.load(ordering: .acquiring) {}
        precondition(pin.view.sequence > 0, "a snapshot of a graph that is not empty")
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    let times = busy.withLock { $0 }
    return Kind.allCases.map { kind in
      Measurement(
        name: "\(kind.name) beside snapshots, own time", engine: Percentiles(times[kind.rawValue]),
        baseline: Percentiles(quiet[kind.rawValue]))
    }
  }

  /// Changes of all kinds in turn. Returns the thread's own time of each, by kind.
  private func changes(_ count: Int, stream: UInt64) throws(KithError) -> [[Int64]] {
    var random = RandomSource(seed: seed, stream: stream)
    var times = [[Int64]](repeating: [], count: Kind.allCases.count)
    for number in 0..<count {
      for kind in Kind.allCases {
        let user = Network.userID(random.below(network.userCount))
        let target = Network.userID(random.below(network.userCount))
        let post = Network.postID(random.below(network.authors.count))
        let name = "stall\(stream)x\(number)"
        if kind == .follow && user == target { continue }
        let began = ThreadClock.nanoseconds
        do throws(KithError) {
          switch kind {
          case .user: _ = try graph.addUser(name)
          case .post: _ = try graph.addPost(network.texts[number % network.texts.count], by: user)
          case .follow: _ = try graph.follow(target, as: user)
          case .like: _ = try graph.like(post, as: user)
          }
        } catch {
          // A few users block each other in this graph.
          guard case .blocked = error else { throw error }
          continue
        }
        times[kind.rawValue].append(ThreadClock.nanoseconds - began)
      }
    }
    return times
  }
}
