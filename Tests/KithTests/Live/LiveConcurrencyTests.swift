import Foundation
import Synchronization
import Testing

@testable import Kith

/// A number that tasks count together.
final class Counted: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .relaxed) }
  @discardableResult
  func add() -> Int { count.add(1, ordering: .relaxed).newValue }
}

/// Writers and observers at the same time.
@Suite struct LiveConcurrencyTests {
  /// What an observer saw: the answer, and its instant.
  private struct Seen: Equatable, Sendable {
    let sequence: UInt64
    let likes: [PostID: Int]
  }

  @Test("Every value seen was true at its instant, and the last is the final state")
  func truth() async throws {
    let graph = SocialGraph()
    let users = try (0..<8).map { try graph.addUser("user \($0)") }
    let posts = try users.map { try graph.addPost(by: $0, "a post") }
    for user in users.dropFirst() { try graph.follow(users[0], user) }
    let base = graph.read { $0.sequence }
    let last = base + 3_000
    let changes = graph.changes(from: base + 1)
    let observers = (0..<3).map { _ in
      Task {
        var seen: [Seen] = []
        let question = LiveQuestion<Seen>(asking: { (view) throws(KithError) in
          let (page, dependencies) = try LiveQuestion.timeline(of: users[0]).ask(view)
          let likes = Dictionary(uniqueKeysWithValues: page.map { ($0.id, $0.likeCount) })
          return (Seen(sequence: view.sequence, likes: likes), dependencies)
        })
        for try await value in graph.values(of: question) {
          seen.append(value)
          if value.sequence == last { break }
        }
        return seen
      }
    }
    let history = Task {
      var likes = Dictionary(uniqueKeysWithValues: posts.map { ($0, 0) })
      var history = [base: likes]
      for await event in changes {
        guard case .change(let change, let sequence) = event else { return [UInt64: [PostID: Int]]() }
        switch change {
        case .like(_, let post, _): likes[post, default: 0] += 1
        case .unlike(_, let post): likes[post, default: 0] -= 1
        default: break
        }
        history[sequence] = likes
        if sequence == last { break }
      }
      return history
    }
    let made = Counted()
    await withTaskGroup { group in
      for writer in 0..<2 {
        group.addTask {
          var random = SeededRandom(seed: UInt64(writer))
          // Each has users of its own; together they make so many changes.
          while made.value < 3_000 {
            let (user, post) = (users[writer * 4 + random.below(4)], posts[random.below(8)])
            if made.add() > 3_000 { return }
            if (try? graph.like(user, post)) == false { _ = try? graph.unlike(user, post) }
            if random.below(50) == 0 { await Task.yield() }
          }
        }
      }
    }
    let answers = await history.value
    for observer in observers {
      let seen = try await observer.value
      #expect(seen.allSatisfy { answers[$0.sequence] == $0.likes })
      #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
      #expect(seen.last?.likes == answers[last])
    }
    #expect(graph.anyObservers.watchers.watchedCount == 0 && graph.anyObservers.watchers.checkInvariants() == [])
  }

  /// `KITH_LABELS=100000` for the full number.
  @Test("Labels of many posts under a storm of likes all end true")
  func labels() async throws {
    let count = CrashEnvironment.number("KITH_LABELS") ?? 500
    let graph = SocialGraph()
    let author = try graph.addUser("author")
    let likers = try (0..<20).map { try graph.addUser("liker \($0)") }
    try graph.bulk { batch throws(KithError) in
      for _ in 0..<count {
        _ = try batch.importChange(.addPost(id: nil, author: author, text: "", createdAt: 1))
      }
    }
    let shown = (0..<count).map { _ in Shown() }
    let tasks = (0..<count).map { index in
      Task {
        let question = LiveQuestion.post(PostID(Int64(index + 1))).map(\.likeCount)
        for try await likes in graph.values(of: question) { shown[index].likes.store(likes, ordering: .relaxed) }
      }
    }
    var random = SeededRandom(seed: 1)
    for liker in likers {
      for start in stride(from: 0, to: count, by: 500) {
        let posts = (start..<min(count, start + 500)).filter { _ in random.below(3) > 0 }
        try graph.batch { batch throws(KithError) in
          for post in posts { try batch.apply(.like(liker, PostID(Int64(post + 1)), at: 0)) }
        }
      }
    }
    func wrong() -> Int {
      graph.read { view in
        shown.indices.count { index in
          (try? view.post(PostID(Int64(index + 1))))?.likeCount != shown[index].likes.load(ordering: .relaxed)
        }
      }
    }
    for _ in 0..<3_000 where wrong() > 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(wrong() == 0)
    for task in tasks { task.cancel() }
    for task in tasks { try await task.value }
    #expect(graph.anyObservers.watchers.watchedCount == 0 && !graph.anyObservers.areThere)
  }

  private final class Shown: Sendable { let likes = Atomic(-1) }

  @Test("A cancelled observer sees nothing more; an error ends it; a closed graph ends all")
  func ending() async throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    let count = Counted()
    let task = Task {
      for try await _ in graph.values(of: .user(ann)) { count.add() }
    }
    while count.value == 0 { await Task.yield() }
    task.cancel()
    try await task.value
    try graph.rename(ann, to: "anna")
    #expect(count.value == 1 && !graph.anyObservers.areThere)

    var values = graph.values(of: .user(ann)).makeAsyncIterator()
    #expect(try await values.next()?.username == "anna")
    try graph.remove(ann)
    await #expect(throws: KithError.unknownUser("1")) { try await values.next() }
    #expect(try await values.next() == nil)

    var counts = graph.values(of: .counts).makeAsyncIterator()
    #expect(try await counts.next()?.users == 0)
    try graph.close()
    #expect(try await counts.next() == nil && !graph.anyObservers.areThere)
  }

  @Test("A token ends its calls, from without and from within")
  func tokens() async throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    let names = Mutex<[String]>([])
    let token = Mutex<Observation?>(nil)
    let observation = graph.observe(.user(ann)) { result in
      names.withLock { $0.append((try? result.get())?.username ?? "gone") }
      if case .success(let user) = result, user.username == "last" { token.withLock { $0 }?.cancel() }
    }
    token.withLock { $0 = observation }
    while names.withLock({ $0.count }) < 1 { await Task.yield() }
    try graph.rename(ann, to: "anna")
    while names.withLock({ $0.count }) < 2 { await Task.yield() }
    try graph.rename(ann, to: "last")
    while graph.anyObservers.areThere { await Task.yield() }
    try graph.rename(ann, to: "unseen")
    #expect(names.withLock { $0 } == ["ann", "anna", "last"])

    let other = graph.observe(.user(ann)) { _ in names.withLock { $0.append("other") } }
    other.cancel()
    let seen = names.withLock { $0 }
    try graph.rename(ann, to: "unseen too")
    while graph.anyObservers.areThere { await Task.yield() }
    #expect(names.withLock { $0 } == seen)
  }

  @Test("Lists come with their differences")
  func updates() async throws {
    let graph = SocialGraph()
    let users = try (0..<4).map { try graph.addUser("user \($0)") }
    var updates = graph.values(of: .followers(of: users[0])).updates.makeAsyncIterator()
    #expect(try await updates.next()?.difference.isEmpty == true)
    try graph.follow(users[1], users[0], at: 1_000)
    #expect(try await updates.next()?.difference.insertions.map(\.id) == [users[1]])
    try graph.follow(users[2], users[0], at: 2_000)
    let update = try await updates.next()
    #expect(update?.value.map(\.id) == [users[2], users[1]])
    #expect(update?.difference.insertions == [.init(id: users[2], index: 0)])
    try graph.follow(users[1], users[3])
    #expect(try await updates.next()?.difference.updates == [users[1]])
  }

  /// A writer makes a change and tells of it later; an observer reads, watches later, and looks again if something
  /// happened in between. In any order of these steps, the last value read is the final one.
  @Test("No order of a write's and an observer's steps loses a change")
  func steps() {
    var random = SeededRandom(seed: 5)
    let watchers = Watchers()
    for round in 0..<(CrashEnvironment.number("KITH_INTERLEAVINGS") ?? 2_000) {
      let (waker, dependency) = (Waker(isTold: true), Dependency.anyName)
      var (value, untold, isWatching) = (0, 0, false)
      func tell() {
        var wakeups = Wakeups()
        watchers.tell(dependency, &wakeups)
        wakeups.resume()
      }
      var read: Int?
      var isAsking: Int?
      func observe() {
        guard let answer = isAsking else {
          if waker.takeTold() { isAsking = value }
          return
        }
        if !isWatching {
          watchers.add(waker, to: [dependency])
          isWatching = true
          if value != answer { waker.tell() }
        }
        (read, isAsking) = (answer, nil)
      }
      for _ in 0..<12 {
        switch random.below(3) {
        case 0:
          value += 1
          untold += 1
        case 1 where untold > 0:
          untold -= 1
          tell()
        default: observe()
        }
      }
      for _ in 0..<untold { tell() }
      for _ in 0..<6 { observe() }
      #expect(read == value, "round \(round)")
      if isWatching { watchers.remove(waker, from: [dependency]) }
    }
  }
}
