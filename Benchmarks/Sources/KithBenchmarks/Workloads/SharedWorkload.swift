import Kith
import Synchronization

/// Several threads on one graph: two readers, a reader beside a writer, and a writer beside pins.
struct SharedWorkload {
  let network: Network
  let graph: SocialGraph
  let seed: UInt64

  func run(_ harness: inout Harness) throws -> [Measurement] {
    let samples = max(20_000, harness.samples * 10)
    let one = readers(1, beside: nil, samples)
    let two = readers(2, beside: nil, samples)
    let beside = readers(1, beside: writer, samples)
    print("one reader \(rate(one)), two \(rate(two)), one beside a writer \(rate(beside)) M questions/s")
    return [
      Measurement(name: "isFollowing, one reader", engine: one.percentiles, baseline: nil),
      Measurement(name: "isFollowing, two readers", engine: two.percentiles, baseline: one.percentiles),
      Measurement(name: "isFollowing beside a writer", engine: beside.percentiles, baseline: one.percentiles),
      harness.measure("pin, let go at once", questions: 1) { _ in graph.pin().view.sequence > 0 ? 1 : 0 },
    ] + (try pinned(&harness))
  }

  // MARK: - Readers

  private struct Reading {
    var percentiles: Percentiles
    var perSecond: Double
  }

  private func rate(_ reading: Reading) -> String { decimal(reading.perSecond / 1_000_000, places: 2) }

  /// Each reader runs a thousand queries between two reads of the clock for the rate, and single ones for percentiles.
  private func readers(_ count: Int, beside writer: (@Sendable (borrowing Atomic<Bool>) -> Void)?, _ samples: Int)
    -> Reading
  {
    let isDone = Atomic(false)
    let left = Atomic(count)
    let results = Mutex<[(percentiles: Percentiles, perSecond: Double)]>([])
    JournalBaseline.onThreads(count + (writer == nil ? 0 : 1)) { number in
      if number == count {
        writer?(isDone)
        return
      }
      let result = read(samples, stream: UInt64(60 + number))
      results.withLock { $0.append(result) }
      if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
        isDone.store(true, ordering: .releasing)
      }
    }
    let all = results.withLock { $0 }
    return Reading(
      percentiles: Percentiles(medianOf: all.map(\.percentiles)), perSecond: all.reduce(0) { $0 + $1.perSecond })
  }

  private func read(_ samples: Int, stream: UInt64) -> (percentiles: Percentiles, perSecond: Double) {
    let clock = ContinuousClock()
    var random = RandomSource(seed: seed, stream: stream)
    let pairs = (0..<4_096).map { _ in
      (Network.userID(random.below(network.userCount)), Network.userID(random.below(network.userCount)))
    }
    var found = 0
    func ask(_ index: Int) {
      let (user, target) = pairs[index & 4_095]
      let answer = try? graph.read { view throws(KithError) in try view.isFollowing(target, as: user) }
      if answer == true { found += 1 }
    }
    let began = clock.now
    for index in 0..<samples * 20 { ask(index) }
    let seconds = (clock.now - began) / Duration.seconds(1)
    var durations: [Int64] = []
    for index in 0..<samples {
      let began = clock.now
      ask(index)
      durations.append((clock.now - began).components.attoseconds / 1_000_000_000)
    }
    precondition(found < samples * 21, "not everybody follows everybody")
    return (Percentiles(durations), Double(samples * 20) / seconds)
  }

  private var writer: @Sendable (borrowing Atomic<Bool>) -> Void {
    { isDone in
      var random = RandomSource(seed: seed, stream: 70)
      while !isDone.load(ordering: .acquiring) {
        let user = Network.userID(random.below(network.userCount))
        let target = Network.userID(random.below(network.userCount))
        if (try? graph.follow(target, as: user)) == true { _ = try? graph.unfollow(target, as: user) }
      }
    }
  }

  // MARK: - A writer beside pins

  /// Changes while a new pin is held; the baseline is the same without one.
  private func pinned(_ harness: inout Harness) throws -> [Measurement] {
    var random = RandomSource(seed: seed, stream: 71)
    var pin: SocialGraph.Pin?
    var number = 0
    func change() throws -> Int {
      let user = Network.userID(random.below(network.userCount))
      let target = Network.userID(random.below(network.userCount))
      number += 1
      if user == target { return 0 }
      switch number % 4 {
      case 0: return try graph.follow(target, as: user) ? 1 : 0
      case 1: return try graph.unfollow(target, as: user) ? 1 : 0
      case 2: return try graph.like(Network.postID(random.below(network.authors.count)), as: user) ? 1 : 0
      default: return try graph.addPost("a post while a pin is held", by: user).rawValue > 0 ? 1 : 0
      }
    }
    let measurement = try harness.measure("changes while a pin is held", questions: 1, samples: harness.samples * 10) {
      if number % 10_000 == 0 { pin = graph.pin() }
    } engine: { _ in
      try change()
    } baseline: { _ in
      pin = nil
      return try change()
    }
    precondition(pin == nil, "the last run was the baseline's")
    return [measurement]
  }
}
