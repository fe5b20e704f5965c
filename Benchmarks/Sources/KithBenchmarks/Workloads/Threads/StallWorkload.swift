import Kith
import Synchronization

/// The longest changes: the thread's own time of each of many, while all tables grow, the indexes are compacted in the
/// background, and snapshots are written, or states pinned and let go. Adds users, posts, follows and likes.
struct StallWorkload {
  let network: Network
  let graph: SocialGraph
  let seed: UInt64

  private enum Kind: Int, CaseIterable {
    /// None takes as long as reading the clock, unless the host takes the processor away.
    case none, user, post, follow, like

    var name: String { ["no change", "user added", "post added", "follow", "like"][rawValue] }
  }

  func run(_ harness: inout Harness) throws -> [Measurement] {
    let count = harness.samples * 200
    let quiet = try changes(count, stream: 90)
    let nowhere = JournalBaseline.openNowhere()
    let besideSnapshots = try changes(count, stream: 91) { _ in
      do { try graph.writeSnapshot(to: nowhere) } catch { preconditionFailure("\(error)") }
    }
    let besidePins = try changes(count, stream: 92) { isDone in
      let pin = graph.pin()
      let clock = ContinuousClock()
      let end = clock.now + Self.pinTime
      while clock.now < end && !isDone.load(ordering: .acquiring) {}
      precondition(pin.view.sequence > 0, "a snapshot of a graph that is not empty")
    }
    return [("snapshots", besideSnapshots), ("pins of 20 ms", besidePins)].flatMap { name, times in
      Kind.allCases.map { kind in
        Measurement(
          name: "\(kind.name) beside \(name), own time", engine: Percentiles(times[kind.rawValue]),
          baseline: Percentiles(quiet[kind.rawValue]))
      }
    }
  }

  /// How long a pin is held: the pages that are changed in that time are copied, and those of the next pin again.
  private static let pinTime = Duration.milliseconds(20)

  /// Changes of all kinds in turn, while another thread calls `work` again and again.
  private func changes(
    _ count: Int, stream: UInt64, beside work: @escaping @Sendable (borrowing Atomic<Bool>) -> Void
  ) throws -> [[Int64]] {
    let isDone = Atomic(false)
    let result = Mutex<Result<[[Int64]], KithError>>(.success([]))
    JournalBaseline.onThreads(2) { number in
      if number > 0 {
        while !isDone.load(ordering: .acquiring) { work(isDone) }
        return
      }
      let times = Result { () throws(KithError) in try changes(count, stream: stream) }
      result.withLock { $0 = times }
      isDone.store(true, ordering: .releasing)
    }
    return try result.withLock { try $0.get() }
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
          case .none: break
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
