import Dispatch
import Kith

/// Post search, twenty at a time: frequent and rare words, two and three together, an author's name and a word, and
/// letters that no post contains. The baseline has lists of trigrams on bare arrays in C.
///
/// Also posts as they are added: each searchable at once, and the rate of adding with all indexing, beside a graph
/// without the index.
struct PostWorkload {
  private struct Row {
    let name: String
    let questions: [[String]]
  }

  private static let limit = 20
  private static let questionCount = 300
  private static let checked = 60

  let network: Network
  let graph: SocialGraph
  let seed: UInt64

  func run(_ harness: inout Harness) throws -> (measurements: [Measurement], rates: [Rate]) {
    let baseline = PostBaseline(network)
    settle(graph)
    let textByteCount = network.texts.reduce(0) { $0 + $1.utf8.count }
    let indexByteCount = byteCount(graph)
    print(
      "index of posts: \(grouped(indexByteCount)) bytes for \(grouped(textByteCount)) bytes of text, "
        + "\(decimal(Double(indexByteCount) / Double(textByteCount), places: 2)) times; "
        + "the baseline's lists: \(grouped(baseline.byteCount))")
    var measurements: [Measurement] = []
    for row in rows(baseline) { measurements.append(try measure(row, &harness, baseline)) }
    let inserts = try inserts(&harness)
    return (measurements + [inserts.measurement], [inserts.rate])
  }

  private func measure(_ row: Row, _ harness: inout Harness, _ baseline: PostBaseline) throws -> Measurement {
    let queries = row.questions.map { $0.joined(separator: " ") }
    let terms = row.questions.map { $0.map { Array($0.lowercased().utf8) } }
    for index in queries.indices.prefix(Self.checked) {
      let page = try graph.read { (view) throws(KithError) in try view.searchPosts(queries[index]) }
      if page.map(\.id.rawValue) != baseline.ids(terms[index], limit: Self.limit) {
        throw WrongAnswer(message: "\(row.name): the answer to \"\(queries[index])\" is not the baseline's")
      }
    }
    return try harness.measure(
      row.name, questions: queries.count,
      engine: { number in
        try graph.read { (view) throws(KithError) in try view.searchPosts(queries[number]) }.count
      },
      baseline: { baseline.page(terms[$0], limit: Self.limit) })
  }

  // MARK: - Queries

  private func rows(_ baseline: PostBaseline) -> [Row] {
    var counts: [Substring: Int] = [:]
    for text in network.texts {
      for word in Set(text.split(separator: " ")) { counts[word, default: 0] += 1 }
    }
    let postCount = network.texts.count
    // By the number of posts that contain it, then by itself, so that every run has the same queries.
    let words = counts.filter { $0.key.utf8.count >= 4 }.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
    func held(by range: ClosedRange<Int>) -> [String] {
      words.filter { range.contains($0.value) }.map { String($0.key) }
    }
    let common = held(by: max(1, postCount / 50)...postCount)
    let middling = held(by: max(1, postCount / 1_000)...max(1, postCount / 300))
    let rare = words.suffix(Self.questionCount).map { String($0.key) }
    var random = RandomSource(seed: seed, stream: 21)
    func one(_ words: [String]) -> [[String]] { (0..<Self.questionCount).map { _ in [random.pick(words)] } }
    func several(_ count: Int) -> [[String]] {
      (0..<Self.questionCount).map { _ in
        let words = random.pick(network.texts).split(separator: " ").filter { $0.utf8.count >= 4 }
        return (0..<count).map { _ in words.isEmpty ? common[0] : String(random.pick(words)) }
      }
    }
    return [
      Row(name: "posts, a common word", questions: one(common)),
      Row(name: "posts, a middling word", questions: one(middling)),
      Row(name: "posts, a rare word", questions: one(rare)),
      Row(name: "posts, two words", questions: several(2)),
      Row(name: "posts, three words", questions: several(3)),
      Row(name: "posts, an author and a word", questions: authorsAndWords(&random)),
      Row(name: "posts, no hit", questions: absent(Array(counts.keys), baseline, &random)),
    ]
  }

  private func authorsAndWords(_ random: inout RandomSource) -> [[String]] {
    (0..<Self.questionCount).map { _ in
      let post = random.below(network.texts.count)
      let words = network.texts[post].split(separator: " ").filter { $0.utf8.count >= 4 }
      let word = words.isEmpty ? network.names[0] : String(random.pick(words))
      return [network.names[Int(network.authors[post])], word]
    }
  }

  /// Words composed of the halves of two others, which no post contains.
  private func absent(_ words: [Substring], _ baseline: PostBaseline, _ random: inout RandomSource) -> [[String]] {
    let words = words.sorted().filter { $0.utf8.count >= 6 }
    var found: [[String]] = []
    while found.count < Self.questionCount && !words.isEmpty {
      let word = String(random.pick(words).prefix(4) + random.pick(words).suffix(3))
      if baseline.page([Array(word.utf8)], limit: 1) == 0 { found.append([word]) }
    }
    return found
  }

  // MARK: - Added posts

  private func inserts(_ harness: inout Harness) throws -> (measurement: Measurement, rate: Rate) {
    let count = min(200_000, network.texts.count)
    let (indexed, plain) = (try people(), try people(indexing: .off))
    var next = [0, 0]
    func add(_ which: Int) throws -> Int {
      let post = next[which] % network.texts.count
      next[which] += 1
      let target = which == 0 ? indexed : plain
      let author = Network.userID(Int(network.authors[post]) % Self.authorCount)
      return Int(
        try target.apply(
          .addPost(id: nil, by: author, text: network.texts[post], createdAt: Timestamp(network.times[post]))
        ).sequence)
    }
    let measurement = try harness.measure(
      "a post added", questions: 1, engine: { _ in try add(0) }, baseline: { _ in try add(1) })
    settle(indexed)
    func seconds(_ which: Int) throws -> Double {
      let clock = ContinuousClock()
      let began = clock.now
      for _ in 0..<count { _ = try add(which) }
      let ended = which == 0 ? settle(indexed) : clock.now
      return (ended - began) / Duration.seconds(1)
    }
    let runs = try (0..<3).map { _ in (try seconds(0), try seconds(1)) }
    return (
      measurement,
      Rate(
        name: "posts added and indexed", count: count, engineSeconds: runs.map(\.0), baselineSeconds: runs.map(\.1))
    )
  }

  private static let authorCount = 1_000

  /// A graph of a thousand users.
  private func people(indexing: SocialGraph.PostIndexing = .textsAndAuthors) throws -> SocialGraph {
    var options = SocialGraph.Options()
    options.postIndex = indexing
    let graph = SocialGraph(options: options)
    for user in 0..<Self.authorCount { try graph.addUser("\(user)") }
    return graph
  }

  private func byteCount(_ graph: SocialGraph) -> Int {
    graph.read { $0.memoryReport() }.entries.first { $0.name == "postSearch" }?.byteCount ?? 0
  }

  /// Waits until the index has its final shape; returns since when it had it.
  @discardableResult
  private func settle(_ graph: SocialGraph) -> ContinuousClock.Instant {
    let clock = ContinuousClock()
    var (last, known) = (clock.now, -1)
    while clock.now - last < .milliseconds(300) {
      let now = byteCount(graph)
      if now != known { (last, known) = (clock.now, now) }
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(2))
    }
    return last
  }
}
