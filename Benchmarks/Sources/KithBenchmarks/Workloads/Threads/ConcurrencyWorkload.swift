import Kith
import Synchronization

/// Readers and a writer at once: `isFollowing` of random pairs beside a thread that follows and unfollows in memory
/// without a pause, each compared with itself alone; two readers compared with one; many readers.
struct ConcurrencyWorkload {
  let network: Network
  let graph: SocialGraph
  let seed: UInt64

  /// How long each scene lasts.
  private static let seconds = 1.0
  private static let manyReaderCount = 64

  /// What one thread did.
  private struct Work {
    var count = 0
    var seconds = 0.0
    /// Of single operations, by the wall's clock and by the thread's own; without those that only count.
    var wall: [Int64] = []
    var own: [Int64] = []

    var perSecond: Double { Double(count) / seconds }
  }

  func run(_ harness: inout Harness) throws -> (measurements: [Measurement], rates: [Rate]) {
    var scenes: [[(reads: [Work], writes: Work?)]] = []
    for _ in 0..<harness.runs {
      scenes.append([
        scene(readers: 1, writes: false), scene(readers: 2, writes: false), scene(readers: 0, writes: true),
        scene(readers: 1, writes: true), scene(readers: Self.manyReaderCount, writes: true),
      ])
    }
    func reads(_ scene: Int) -> [Work] { scenes.flatMap { $0[scene].reads } }
    func writes(_ scene: Int) -> [Work] { scenes.compactMap { $0[scene].writes } }
    let pairs = scenes.map { $0[1].reads.reduce(0) { $0 + $1.perSecond } / $0[0].reads[0].perSecond }
    print("two readers beside one, run by run: \(pairs.map { decimal($0, places: 2) }.joined(separator: " "))")
    return (
      [
        measurement("isFollowing beside a writer", reads(3), reads(0), \.wall),
        measurement("isFollowing beside a writer, own time", reads(3), reads(0), \.own),
        measurement("isFollowing of 64 readers beside a writer, own time", reads(4), reads(0), \.own),
        measurement("follow or unfollow beside a reader", writes(3), writes(2), \.wall),
        measurement("follow or unfollow beside a reader, own time", writes(3), writes(2), \.own),
      ],
      [
        rate("reads of two threads, beside one", scenes.map { $0[1].reads }, scenes.map { $0[0].reads }),
        rate("reads beside a writer", scenes.map { $0[3].reads }, scenes.map { $0[0].reads }),
        rate("changes beside a reader", writes(3).map { [$0] }, writes(2).map { [$0] }),
        rate("changes beside 64 readers", writes(4).map { [$0] }, writes(2).map { [$0] }),
      ]
    )
  }

  private func measurement(
    _ name: String, _ works: [Work], _ alone: [Work], _ times: KeyPath<Work, [Int64]>
  ) -> Measurement {
    Measurement(
      name: name, engine: Percentiles(works.flatMap { $0[keyPath: times] }),
      baseline: Percentiles(alone.flatMap { $0[keyPath: times] }))
  }

  /// Operations a second: the sum over the threads of a run, the median over runs.
  private func rate(_ name: String, _ works: [[Work]], _ alone: [[Work]]) -> Rate {
    func seconds(_ runs: [[Work]]) -> [Double] { runs.map { 1 / $0.reduce(0) { $0 + $1.perSecond } } }
    return Rate(name: name, count: 1, engineSeconds: seconds(works), baselineSeconds: seconds(alone))
  }

  // MARK: - Threads

  /// Some readers, and perhaps a writer, for a while.
  private func scene(readers: Int, writes: Bool) -> (reads: [Work], writes: Work?) {
    let results = Mutex<(reads: [Work], writes: Work?)>(([], nil))
    JournalBaseline.onThreads(readers + (writes ? 1 : 0)) { number in
      let work = number == readers ? write() : read(stream: UInt64(80 + number))
      results.withLock { results in
        if number == readers { results.writes = work } else { results.reads.append(work) }
      }
    }
    return results.withLock { $0 }
  }

  /// A thousand operations at a time between two looks at the clock, then one by itself, until the time is over.
  private func work(_ step: () -> Void) -> Work {
    let clock = ContinuousClock()
    var work = Work()
    let (began, end) = (clock.now, clock.now + .seconds(Self.seconds))
    var single = Duration.zero
    var now = began
    while now < end {
      for _ in 0..<1_000 { step() }
      work.count += 1_000
      let before = clock.now
      for _ in 0..<20 {
        let start = clock.now
        step()
        work.wall.append((clock.now - start).components.attoseconds / 1_000_000_000)
      }
      for _ in 0..<20 {
        let start = ThreadClock.nanoseconds
        step()
        work.own.append(ThreadClock.nanoseconds - start)
      }
      now = clock.now
      single += now - before
    }
    work.seconds = (now - began - single) / .seconds(1)
    return work
  }

  private func read(stream: UInt64) -> Work {
    var random = RandomSource(seed: seed, stream: stream)
    let pairs = (0..<65_536).map { _ in (user(&random), user(&random)) }
    var (next, found) = (0, 0)
    let work = work {
      let (user, target) = pairs[next & 65_535]
      next += 1
      if (try? graph.read { view throws(KithError) in try view.isFollowing(target, as: user) }) == true { found += 1 }
    }
    precondition(found < next, "not everybody follows everybody")
    return work
  }

  private func write() -> Work {
    var random = RandomSource(seed: seed, stream: 79)
    var (user, target) = (UserID(1), UserID(2))
    var follows = false
    return work {
      if follows {
        _ = try? graph.unfollow(target, as: user)
        follows = false
        return
      }
      repeat { (user, target) = (self.user(&random), self.user(&random)) } while user == target
      follows = (try? graph.follow(target, as: user)) == true
    }
  }

  private func user(_ random: inout RandomSource) -> UserID { Network.userID(random.below(network.userCount)) }
}
