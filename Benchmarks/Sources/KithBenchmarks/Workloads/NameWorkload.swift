import Kith

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Names alone, as many as users: the latency until an added name can be found, with background compaction; the memory
/// of the index; and searches by length after idle compaction.
///
/// No baseline: bare lists of ranks of ten million names do not fit into memory. `search` has one, of a million too.
struct NameWorkload {
  private static let questionCount = 2_000
  private static let limit = 20

  let settings: Settings

  func run(_ harness: inout Harness) throws -> [Measurement] {
    var options = SocialGraph.Options()
    options.postIndex = .off
    let graph = SocialGraph(options: options)
    try fill(graph)
    // Idle compaction waits a hundred times as long as it takes, unless there were as many names as before.
    sleep(UInt32(2 + settings.users / 500_000))
    notify(graph)
    return try searches(graph, &harness)
  }

  // MARK: - Added names

  private func fill(_ graph: SocialGraph) throws {
    var names = NameSource(seed: settings.seed)
    let clock = ContinuousClock()
    var durations: [UInt32] = []
    durations.reserveCapacity(settings.users)
    let (began, cpu) = (clock.now, Self.processSeconds())
    while durations.count < settings.users {
      let name = names.next()
      let began = clock.now
      do {
        try graph.addUser(name)
      } catch KithError.usernameTaken {
        continue
      }
      durations.append(UInt32(clamping: (clock.now - began).components.attoseconds / 1_000_000_000))
    }
    let seconds = (clock.now - began) / Duration.seconds(1)
    let microseconds = (Self.processSeconds() - cpu) * 1_000_000 / Double(settings.users)
    durations.sort()
    func rank(_ share: Double) -> String {
      decimal(Double(durations[min(durations.count - 1, Int(Double(durations.count) * share))]) / 1_000, places: 2)
    }
    print(
      """
      \(grouped(settings.users)) users added one by one in \(decimal(seconds, places: 1)) s; \
      each p50 \(rank(0.5)), p99 \(rank(0.99)), p99.9 \(rank(0.999)), max \(rank(1)) µs; \
      with names made up and merges, of all cores \(decimal(microseconds, places: 2)) µs each
      """)
  }

  /// POSIX counts microseconds.
  private static func processSeconds() -> Double { Double(clock()) / 1_000_000 }

  private func notify(_ graph: SocialGraph) {
    let report = graph.read { $0.memoryReport() }
    let lines = report.entries.filter { $0.name.hasPrefix("user") }.map { entry in
      "\(entry.name) \(decimal(Double(entry.byteCount) / Double(settings.users), places: 2))"
    }
    print("bytes a user: \(lines.joined(separator: ", "))")
  }

  // MARK: - Searches

  private func searches(_ graph: SocialGraph, _ harness: inout Harness) throws -> [Measurement] {
    let parts = questions { 1 + $0 % 10 }
    let rows: [(name: String, queries: [String], match: UserQuery.Match)] = [
      ("1 to 10 letters", parts, .substring), ("1 letter", questions { _ in 1 }, .substring),
      ("2 letters", questions { _ in 2 }, .substring), ("8 letters", questions { _ in 8 }, .substring),
      ("prefix, 1 to 10 letters", questions(fromStart: true) { 1 + $0 % 10 }, .prefix),
    ]
    return try rows.map { row in
      try harness.measure("names alone, \(row.name)", questions: row.queries.count) { number in
        try graph.read { view throws(KithError) in
          try view.searchUsers(row.queries[number], UserQuery(match: row.match, limit: Self.limit))
        }.count
      }
    }
  }

  /// Parts of names like the added ones.
  private func questions(fromStart: Bool = false, _ length: (Int) -> Int) -> [String] {
    var names = NameSource(seed: settings.seed)
    var random = RandomSource(seed: settings.seed, stream: 92)
    var queries: [String] = []
    while queries.count < Self.questionCount {
      let name = Array(names.next())
      let count = length(queries.count)
      if name.count < count { continue }
      let start = fromStart ? 0 : random.below(name.count - count + 1)
      queries.append(String(name[start..<start + count]))
    }
    return queries
  }
}

/// An endless sequence of names, two in five with a number; a name can occur again.
private struct NameSource {
  private var random: RandomSource

  init(seed: UInt64) { random = RandomSource(seed: seed, stream: 91) }

  mutating func next() -> String {
    let name = Network.madeUpName(&random)
    return random.below(5) < 2 ? name + String(random.below(10_000)) : name
  }
}
