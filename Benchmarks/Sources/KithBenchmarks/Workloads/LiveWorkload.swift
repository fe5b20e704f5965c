import Dispatch
import Kith
import Synchronization

/// The cost of live queries: the delay until an observer continues after a change, a writer beside thousands of them,
/// and many likes over as many labels as posts.
struct LiveWorkload {
  private static let questionCount = 10_000
  private static let postCount = 20_000

  let settings: Settings
  /// A short run: a tenth of the labels, for a fifth of the time.
  private var isShort: Bool { settings.users < 100_000 }

  func run(_ harness: inout Harness) throws -> (measurements: [Measurement], rates: [Rate]) {
    var measurements = [try waking(&harness)]
    measurements += try writes(&harness)
    return (measurements, [try storm()])
  }

  // MARK: - Delay of an observer

  /// From before the change until the observer's task has the new value, with threads asleep in between. The baseline:
  /// from before a bare continuation is resumed until its task continues.
  private func waking(_ harness: inout Harness) throws -> Measurement {
    let graph = try Self.graph()
    let values = graph.values(of: .post(PostID(1)))
    let observer = Sleeper { told in
      do { for try await _ in values { told() } } catch { print("the live question failed: \(error)") }
    }
    let bare = Bell()
    let baseline = Sleeper { told in
      told()
      while await bare.wait() { told() }
    }
    observer.wait()
    baseline.wait()
    var user: Int64 = 0
    let measurement = try harness.measure(
      "change until its observer goes on", questions: 1, samples: min(settings.samples, 500)
    ) { _ in
      user += 1
      try graph.like(PostID(1), as: UserID(user), at: 0)
      observer.wait()
      return 1
    } baseline: { _ in
      bare.ring()
      baseline.wait()
      return 1
    }
    try graph.close()
    bare.end()
    return measurement
  }

  // MARK: - Writes beside live queries

  /// The same writes to two graphs, one of them with live queries that none of the writes concerns.
  private func writes(_ harness: inout Harness) throws -> [Measurement] {
    let (watched, plain) = (try Self.graph(), try Self.graph())
    let observers = Observers(watched, (0..<Self.questionCount).map(Self.question))
    // Users and posts of the upper half are in no query.
    let half = Int64(Self.postCount / 2)
    func other(_ step: Int, _ factor: Int) -> Int64 { half + Int64(step * factor % (Self.postCount / 2)) + 1 }
    func write(_ name: String, _ body: @escaping (SocialGraph, Int) throws -> Void) throws -> Measurement {
      var steps = (0, 0)
      return try harness.measure(
        "\(name), \(grouped(Self.questionCount)) live queries, unaffected", questions: 1, samples: settings.samples
      ) { _ in
        steps.0 += 1
        try body(watched, steps.0)
        return 1
      } baseline: { _ in
        steps.1 += 1
        try body(plain, steps.1)
        return 1
      }
    }
    let before = observers.answerCount
    let measurements = [
      try write("like") { try $0.like(PostID(other($1, 13)), as: UserID(other($1, 7)), at: 0) },
      try write("follow") { try $0.follow(UserID(other($1 + 3, 17)), as: UserID(other($1, 11)), at: 0) },
      try write("post") { try $0.addPost("a post", by: UserID(other($1, 19)), createdAt: 1) },
    ]
    if observers.answerCount != before { throw WrongAnswer(message: "a write woke a question that it does not touch") }
    observers.end()
    return measurements
  }

  /// Labels of posts, users and relations, and timelines, all of the lower half.
  private static func question(_ index: Int) -> LiveQuery<Int, KithError> {
    let number = Int64(index % (postCount / 2)) + 1
    switch index % 8 {
    case 0..<4: return LiveQuery.post(PostID(number)).map(\.likeCount)
    case 4, 5: return LiveQuery.user(UserID(number)).map(\.followerCount)
    case 6: return LiveQuery.relations(of: UserID(number), to: [UserID(1)]).map(\.count)
    default: return LiveQuery.timeline(of: UserID(number)).map(\.count)
    }
  }

  /// Users, a post of each, and follows within each half.
  private static func graph() throws -> SocialGraph {
    let graph = SocialGraph()
    try graph.bulk(users: postCount)
    for start in stride(from: 0, to: postCount, by: 5_000) {
      try graph.batch { batch throws(KithError) in
        for index in start..<min(postCount, start + 5_000) {
          let author = UserID(Int64(index) + 1)
          try batch.apply(.addPost(id: nil, by: author, text: "a post of some words", createdAt: 1))
        }
      }
    }
    return graph
  }

  // MARK: - Many likes

  /// Likes in batches of a thousand, at most a million a second, over labels that are all observed; then every label
  /// must be right. The baseline: the same without labels, at full speed.
  private func storm() throws -> Rate {
    let labelCount = isShort ? 10_000 : 100_000
    let likeCount = (isShort ? 2 : 10) * 1_000_000
    let seconds = try [labelCount, 0].map { labels -> Double in
      let graph = SocialGraph()
      try graph.bulk(users: 1_000)
      for start in stride(from: 0, to: labelCount, by: 10_000) {
        try graph.batch { batch throws(KithError) in
          for _ in start..<min(labelCount, start + 10_000) {
            try batch.apply(.addPost(id: nil, by: UserID(1), text: "", createdAt: 1))
          }
        }
      }
      let observers = Observers(graph, (0..<labels).map { LiveQuery.post(PostID(Int64($0) + 1)).map(\.likeCount) })
      let elapsed = try Self.like(graph, likeCount, over: labelCount, paced: labels > 0)
      try observers.check { view, index in try view.post(PostID(Int64(index) + 1)).likeCount }
      if labels > 0 {
        print("\(grouped(labels)) labels saw \(grouped(observers.answerCount)) answers to \(grouped(likeCount)) likes")
      }
      observers.end()
      return elapsed
    }
    return Rate(
      name: "likes over \(grouped(labelCount)) live labels", count: likeCount, engineSeconds: [seconds[0]],
      baselineSeconds: [seconds[1]])
  }

  /// Returns the time in seconds.
  private static func like(_ graph: SocialGraph, _ count: Int, over posts: Int, paced: Bool) throws -> Double {
    let clock = ContinuousClock()
    let began = clock.now
    let pause = DispatchSemaphore(value: 0)
    for start in stride(from: 0, to: count, by: 1_000) {
      try graph.batch { batch throws(KithError) in
        for index in start..<start + 1_000 {
          // Round by round, and in large steps within a round: neighbours are not liked in turn.
          let post = PostID(Int64(index % posts * 7_919 % posts) + 1)
          try batch.apply(.like(as: UserID(Int64(index / posts % 1_000) + 1), post: post, at: 0))
        }
      }
      let ahead = Duration.microseconds(start + 1_000) - (clock.now - began)
      if paced && ahead > .milliseconds(1) {
        _ = pause.wait(timeout: .now() + .microseconds(Int(ahead / .microseconds(1))))
      }
    }
    return (clock.now - began) / .seconds(1)
  }
}

extension SocialGraph {
  fileprivate func bulk(users count: Int) throws {
    for start in stride(from: 0, to: count, by: 10_000) {
      try batch { batch throws(KithError) in
        for index in start..<min(count, start + 10_000) {
          try batch.apply(.addUser(id: nil, username: "user \(index)"))
        }
      }
    }
  }
}

/// A task that signals when it continues, for a thread that waits.
private struct Sleeper {
  private let semaphore = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable (_ told: () -> Void) async -> Void) {
    Task { [semaphore] in await body { semaphore.signal() } }
  }

  func wait() { semaphore.wait() }
}

/// A bare continuation.
private final class Bell: Sendable {
  private let state = Mutex<(waiting: CheckedContinuation<Bool, Never>?, rings: Int)>((nil, 0))

  func wait() async -> Bool {
    await withCheckedContinuation { continuation in
      let isRung = state.withLock { state in
        if state.rings == 0 { state.waiting = continuation } else { state.rings -= 1 }
        return state.waiting == nil
      }
      if isRung { continuation.resume(returning: true) }
    }
  }

  func ring() { take(orCount: 1)?.resume(returning: true) }
  func end() { take(orCount: 0)?.resume(returning: false) }

  private func take(orCount count: Int) -> CheckedContinuation<Bool, Never>? {
    state.withLock { state in
      if state.waiting == nil { state.rings += count }
      defer { state.waiting = nil }
      return state.waiting
    }
  }
}

/// Live queries of a graph, each in a task of its own that keeps the last value.
private final class Observers: Sendable {
  private final class Shown: Sendable {
    let value = Atomic(Int.min)
    let count = Atomic(0)
  }

  private let graph: SocialGraph
  private let shown: [Shown]
  private let tasks: [Task<Void, any Error>]

  /// Returns when all have their first value.
  init(_ graph: SocialGraph, _ questions: [LiveQuery<Int, KithError>]) {
    self.graph = graph
    let shown = questions.map { _ in Shown() }
    let pause = DispatchSemaphore(value: 0)
    tasks = zip(questions, shown).map { question, shown in
      Task {
        for try await value in graph.values(of: question) {
          shown.value.store(value, ordering: .relaxed)
          shown.count.add(1, ordering: .relaxed)
        }
      }
    }
    self.shown = shown
    while shown.contains(where: { $0.count.load(ordering: .relaxed) == 0 }) {
      _ = pause.wait(timeout: .now() + .milliseconds(1))
    }
  }

  var answerCount: Int { shown.reduce(0) { $0 + $1.count.load(ordering: .relaxed) } }

  /// Waits until every value is right; ten seconds are more than enough.
  func check(_ right: (borrowing GraphView, Int) throws -> Int) throws {
    let pause = DispatchSemaphore(value: 0)
    for _ in 0..<1_000 {
      let isRight = try graph.read { view in
        try shown.indices.allSatisfy { try right(view, $0) == shown[$0].value.load(ordering: .relaxed) }
      }
      if isRight { return }
      _ = pause.wait(timeout: .now() + .milliseconds(10))
    }
    throw WrongAnswer(message: "a live label does not tell the truth in the end")
  }

  func end() { for task in tasks { task.cancel() } }
}
