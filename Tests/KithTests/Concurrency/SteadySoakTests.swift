import Foundation
import Testing

@testable import Kith

/// A store under a load that does not change its size, with periodic snapshots: memory and latency must not grow, no
/// descriptor must leak, and every snapshot must verify.
///
/// `KITH_SOAK_SECONDS=3600` and `KITH_SOAK_USERS=100000` for a long run. Only a run of a minute or more, without other
/// tests beside it, checks the measurements.
@Suite struct SteadySoakTests {
  private static let seconds = CrashEnvironment.number("KITH_SOAK_SECONDS") ?? 2
  private static let userCount =
    CrashEnvironment.number("KITH_SOAK_USERS") ?? (CrashEnvironment.isOptimized ? 2_000 : 200)
  /// The allowed difference between the last quarter and the one before. The first half warms up, until lists have
  /// their reserved space and segments of names their tombstones.
  private static let memoryTolerance = 0.02
  private static let latencyTolerance = 0.5
  private static let leastMeasuredSeconds = 60

  @Test("A steady load does not grow memory, latency or descriptors")
  func steadyLoad() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("store")
    let graph = try SocialGraph.open(
      path,
      options: SocialGraph.Options {
        $0.durability = .flushed
        $0.snapshotAfter = nil
      })
    var load = try SteadyLoad(graph, userCount: Self.userCount)
    try graph.snapshot()
    let began = ContinuousClock.now
    let end = began + .seconds(Self.seconds)
    var (samples, snapshotCount, nextSnapshot) = ([Sample](), 0, began)
    while .now < end {
      let latency = try load.run(graph)
      if .now >= nextSnapshot {
        let info = try graph.snapshot()
        let problems = try StoreTools.verify(info.path)
        #expect(problems == [], "of snapshot \(snapshotCount)")
        snapshotCount += 1
        nextSnapshot = .now + .seconds(max(1, Self.seconds / 40))
        samples.append(Sample(latency: latency))
      }
    }
    let digest = GraphDigest.of(graph.pin().view.state)
    try graph.close()
    let again = try SocialGraph.open(path, access: .readOnly)
    #expect(GraphDigest.of(again.pin().view.state) == digest)
    #expect(snapshotCount > 0 && samples.count > 1)
    check(samples)
    print("Steady soak: \(load.changeCount) changes, \(snapshotCount) snapshots, \(samples.map(\.description))")
  }

  private func check(_ samples: [Sample]) {
    // A short run is beside other tests, which use memory and descriptors of their own.
    guard Self.seconds >= Self.leastMeasuredSeconds else { return }
    let quarter = samples.count / 4
    #expect(samples[samples.count - 1].descriptorCount <= samples[quarter].descriptorCount, "\(samples)")
    let (early, late) = (samples[2 * quarter..<3 * quarter], samples[(samples.count - quarter)...])
    func median(_ part: ArraySlice<Sample>, _ value: (Sample) -> Double) -> Double {
      let sorted = part.map(value).sorted()
      return sorted[sorted.count / 2]
    }
    let memory = median(late) { Double($0.residentByteCount) } / median(early) { Double($0.residentByteCount) }
    #expect(memory < 1 + Self.memoryTolerance, "memory grew to \(memory) of what it was: \(samples)")
    let latency = median(late, \.latency) / median(early, \.latency)
    #expect(latency < 1 + Self.latencyTolerance, "a change took \(latency) times as long: \(samples)")
  }

  /// What the process uses at one moment.
  private struct Sample: CustomStringConvertible {
    /// The time of a change and a query in seconds, the median of many.
    let latency: Double
    let residentByteCount = Self.residentByteCount()
    let descriptorCount = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0

    var description: String {
      "\(residentByteCount >> 20) MB, \(Int(latency * 1e9)) ns, \(descriptorCount) descriptors"
    }

    /// Zero on systems without /proc.
    private static func residentByteCount() -> Int {
      guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii) else { return 0 }
      let fields = text.split(separator: " ")
      return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4_096 : 0
    }
  }
}

/// Follows, likes, mutes and names that are added and removed, with queries between them: no row is ever added.
private struct SteadyLoad {
  private var random = SeededRandom(seed: 1)
  private let userCount: Int
  private(set) var changeCount = 0
  private static let roundChangeCount = 1_001
  /// How many other users a user interacts with; half of the edges between them exist at any time.
  private static let neighbourCount = 40

  init(_ graph: SocialGraph, userCount: Int) throws(KithError) {
    self.userCount = userCount
    try graph.bulk { (batch) throws(KithError) in
      for id in 1...Int64(userCount) {
        _ = try batch.importChange(.addUser(id: UserID(id), username: "user \(id)"))
        _ = try batch.importChange(.addPost(id: PostID(id), by: UserID(id), text: "post \(id)", createdAt: 1))
      }
      for id in 1...Int64(userCount) {
        for place in stride(from: 1, through: Self.neighbourCount, by: 2) {
          let other = neighbour(of: UserID(id), place)
          _ = try batch.importChange(.follow(as: UserID(id), target: other, at: 1_000))
          _ = try batch.importChange(.like(as: UserID(id), post: PostID(other.rawValue), at: 1_000))
        }
      }
    }
  }

  private func neighbour(of user: UserID, _ place: Int) -> UserID {
    UserID((user.rawValue - 1 + Int64(place)) % Int64(userCount) + 1)
  }

  /// A thousand changes, each with a query after it. Returns the median of their times, in seconds.
  mutating func run(_ graph: SocialGraph) throws(KithError) -> Double {
    var times: [Duration] = []
    for _ in 0..<Self.roundChangeCount {
      let began = ContinuousClock.now
      try toggle(graph)
      let user = self.user()
      _ = try graph.read { (view) throws(KithError) in try view.timeline(of: user) }
      times.append(.now - began)
    }
    times.sort()
    return times[times.count / 2] / .seconds(1)
  }

  private mutating func user() -> UserID { UserID(Int64(1 + random.below(userCount))) }

  /// Adds an edge, or removes it if it exists; a name is the user's own, in one of two spellings.
  private mutating func toggle(_ graph: SocialGraph) throws(KithError) {
    let user = user()
    let other = neighbour(of: user, 1 + random.below(Self.neighbourCount))
    changeCount += 1
    let changes: (Change, Change) =
      switch random.below(10) {
      case 0..<5: (.follow(as: user, target: other, at: 1_000), .unfollow(as: user, target: other))
      case 5..<8:
        (.like(as: user, post: PostID(other.rawValue), at: 1_000), .unlike(as: user, post: PostID(other.rawValue)))
      case 8: (.mute(as: user, target: other), .unmute(as: user, target: other))
      default:
        (.renameUser(user, to: "user \(user.rawValue)"), .renameUser(user, to: "USER \(user.rawValue)"))
      }
    if try !graph.apply(changes.0).didChange { try graph.apply(changes.1) }
  }
}
