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

/// Concurrent writers and observers.
@Suite struct LiveConcurrencyTests {
  /// A value that an observer got, and its version.
  private struct Seen: Equatable, Sendable {
    let sequence: UInt64
    let likes: [PostID: Int]
  }

  @Test("Every value was true of one version, and the last is the final state")
  func truth() async throws {
    let graph = SocialGraph()
    let users = try (0..<8).map { try graph.addUser("user \($0)") }
    let posts = try users.map { try graph.addPost("a post", by: $0) }
    for user in users.dropFirst() { try await graph.follow(user, as: users[0]) }
    let base = graph.read { $0.sequence }
    let last = base + 3_000
    let changes = graph.changes(from: base + 1)
    let observers = (0..<3).map { _ in
      Task {
        var seen: [Seen] = []
        let question = LiveQuery<Seen, KithError>(asking: { (view) throws(KithError) in
          let (page, dependencies) = try LiveQuery.timeline(of: users[0]).ask(view)
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
          // Each has users of its own; together they make this many changes.
          while made.value < 3_000 {
            let (user, post) = (users[writer * 4 + random.below(4)], posts[random.below(8)])
            if made.add() > 3_000 { return }
            if (try? await graph.like(post, as: user)) == false { _ = try? await graph.unlike(post, as: user) }
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
    #expect(
      graph.anyObservers.subscriptions.watchedCount == 0 && graph.anyObservers.subscriptions.checkInvariants() == [])
  }

  /// `KITH_LABELS=100000` for the full number.
  @Test("Live labels of many posts end true under many likes")
  func labels() async throws {
    let count = CrashEnvironment.number("KITH_LABELS") ?? 500
    let graph = SocialGraph()
    let author = try await graph.addUser("author")
    let likers = try (0..<20).map { try graph.addUser("liker \($0)") }
    try graph.bulk { batch throws(KithError) in
      for _ in 0..<count {
        _ = try batch.importChange(.addPost(id: nil, by: author, text: "", createdAt: 1))
      }
    }
    let shown = (0..<count).map { _ in Shown() }
    let tasks = (0..<count).map { index in
      Task {
        let question = LiveQuery.post(PostID(Int64(index + 1))).map(\.likeCount)
        for try await likes in graph.values(of: question) { shown[index].likes.store(likes, ordering: .relaxed) }
      }
    }
    var random = SeededRandom(seed: 1)
    for liker in likers {
      for start in stride(from: 0, to: count, by: 500) {
        let posts = (start..<min(count, start + 500)).filter { _ in random.below(3) > 0 }
        try await graph.batch { batch throws(KithError) in
          for post in posts { try batch.apply(.like(as: liker, post: PostID(Int64(post + 1)), at: 0)) }
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
    #expect(graph.anyObservers.subscriptions.watchedCount == 0 && !graph.anyObservers.areThere)
  }

  private final class Shown: Sendable { let likes = Atomic(-1) }

  @Test("A cancelled observer sees nothing more; an error and a close end observation")
  func ending() async throws {
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    let count = Counted()
    let task = Task {
      for try await _ in graph.values(of: .user(ann)) { count.add() }
    }
    while count.value == 0 { await Task.yield() }
    task.cancel()
    try await task.value
    try await graph.renameUser(ann, to: "anna")
    #expect(count.value == 1 && !graph.anyObservers.areThere)

    var values = graph.values(of: .user(ann)).makeAsyncIterator()
    #expect(try await values.next()?.username == "anna")
    try await graph.removeUser(ann)
    await #expect(throws: KithError.unknownUser(1)) { try await values.next() }
    #expect(try await values.next() == nil)

    var counts = graph.values(of: .counts).makeAsyncIterator()
    #expect(try await counts.next()?.users == 0)
    try await graph.close()
    #expect(try await counts.next() == nil && !graph.anyObservers.areThere)
  }

  @Test("A token ends its calls, from outside and from inside")
  func tokens() async throws {
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    let names = Mutex<[String]>([])
    let token = Mutex<ObservationToken?>(nil)
    let observation = graph.observe(.user(ann)) { result in
      names.withLock { $0.append((try? result.get())?.username ?? "gone") }
      if case .success(let user) = result, user.username == "last" { token.withLock { $0 }?.cancel() }
    }
    token.withLock { $0 = observation }
    while names.withLock({ $0.count }) < 1 { await Task.yield() }
    try await graph.renameUser(ann, to: "anna")
    while names.withLock({ $0.count }) < 2 { await Task.yield() }
    try await graph.renameUser(ann, to: "last")
    while graph.anyObservers.areThere { await Task.yield() }
    try await graph.renameUser(ann, to: "unseen")
    #expect(names.withLock { $0 } == ["ann", "anna", "last"])

    let other = graph.observe(.user(ann)) { _ in names.withLock { $0.append("other") } }
    other.cancel()
    let seen = names.withLock { $0 }
    try await graph.renameUser(ann, to: "unseen too")
    while graph.anyObservers.areThere { await Task.yield() }
    #expect(names.withLock { $0 } == seen)
  }

  @Test("Lists come with their differences")
  func updates() async throws {
    let graph = SocialGraph()
    let users = try (0..<4).map { try graph.addUser("user \($0)") }
    var updates = graph.values(of: .followers(of: users[0])).updates.makeAsyncIterator()
    #expect(try await updates.next()?.difference.isEmpty == true)
    try await graph.follow(users[0], as: users[1], at: 1_000)
    #expect(try await updates.next()?.difference.insertions.map(\.id) == [users[1]])
    try await graph.follow(users[0], as: users[2], at: 2_000)
    let update = try await updates.next()
    #expect(update?.value.map(\.id) == [users[2], users[1]])
    #expect(update?.difference.insertions == [.init(id: users[2], index: 0)])
    try await graph.follow(users[3], as: users[1])
    #expect(try await updates.next()?.difference.updates == [users[1]])
  }

  /// A writer makes a change and publishes it later; an observer reads, subscribes later, and reads again if something
  /// changed in between. In any order of these steps, the last value read is the final one.
  @Test("No interleaving of a write and an observer loses a change")
  func steps() {
    var random = SeededRandom(seed: 5)
    let subscriptions = SubscriptionIndex()
    for round in 0..<(CrashEnvironment.number("KITH_INTERLEAVINGS") ?? 2_000) {
      let (signal, dependency) = (AsyncSignal(isNotified: true), QueryDependency.anyName)
      var (value, untold, isWatching) = (0, 0, false)
      func notify() {
        var wakeups = PendingWakeups()
        subscriptions.notify(dependency, &wakeups)
        wakeups.resume()
      }
      var read: Int?
      var isAsking: Int?
      func observe() {
        guard let answer = isAsking else {
          if signal.takeNotification() { isAsking = value }
          return
        }
        if !isWatching {
          subscriptions.add(signal, to: [dependency])
          isWatching = true
          if value != answer { signal.notify() }
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
          notify()
        default: observe()
        }
      }
      for _ in 0..<untold { notify() }
      for _ in 0..<6 { observe() }
      #expect(read == value, "round \(round)")
      if isWatching { subscriptions.remove(signal, from: [dependency]) }
    }
  }

  /// In a process of its own: without the tested rule it traps.
  @Test("The last observer can leave, and the next one come, during a change")
  func comingAndGoing() async {
    await #expect(processExitsWith: .success) {
      let feed = ChangeFeed()
      // What the graph's writer lock serialises; an observer ends without it.
      let sequence = Mutex<UInt64>(0)
      let hasEnded = Atomic(false)
      // A long queue, walked in the feed's lock repeatedly: so that the others meet before that lock, after their check
      // for observers.
      let (queued, stranger) = (AsyncSignal(), AsyncSignal())
      for _ in 0..<5_000 { _ = feed.read(at: .max, telling: queued) }
      let crowd = Thread { while !hasEnded.load(ordering: .relaxed) { feed.forget(stranger) } }
      crowd.start()
      let observer = Thread {
        while !hasEnded.load(ordering: .relaxed) {
          sequence.withLock { feed.addObserver(after: $0) }
          feed.removeObserver()
        }
        precondition(feed.observerCounts.all == 0)
      }
      observer.start()
      let end = ContinuousClock.now + .milliseconds(700)
      while ContinuousClock.now < end {
        sequence.withLock { sequence in
          sequence += 1
          feed.record(.mute(as: 1, target: 2), sequence: sequence)
        }
      }
      hasEnded.store(true, ordering: .relaxed)
    }
  }

  @Test("Observers beside a writer see every change from their first on")
  func guests() async throws {
    let graph = SocialGraph()
    let (ann, bob) = (try await graph.addUser("ann"), try await graph.addUser("bob"))
    let hasEnded = Counted()
    let writer = Thread {
      while hasEnded.value == 0 {
        _ = try? graph.follow(bob, as: ann)
        _ = try? graph.unfollow(bob, as: ann)
      }
    }
    writer.start()
    let guests = (0..<2).map { _ in
      Task {
        for _ in 0..<400 {
          var last: UInt64?
          for await event in graph.changes() {
            let sequence = event.last
            if case .change = event, let last { #expect(sequence == last + 1) }
            last = sequence
            if sequence % 4 == 0 { break }
          }
        }
      }
    }
    for guest in guests { await guest.value }
    hasEnded.add()
  }
}
