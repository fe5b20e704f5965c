import Synchronization

/// Who waits for what: from dependencies to the wakers of those whose answers were made of them.
///
/// A write looks up what it touches and nothing else. Most of what it touches nobody watches, which a filter says
/// without a lock (10,000 live questions fill one bit in thirty).
final class Watchers: Sendable {
  /// The wakers of one dependency: mostly one.
  private struct List: Sendable {
    var first: Waker?
    var others: [ObjectIdentifier: Waker] = [:]

    var isEmpty: Bool { first == nil && others.isEmpty }

    mutating func add(_ waker: Waker) {
      if first == nil { first = waker } else { others[ObjectIdentifier(waker)] = waker }
    }

    mutating func remove(_ waker: Waker) {
      if first === waker { first = nil } else { others[ObjectIdentifier(waker)] = nil }
    }

    func tell(_ wakeups: inout Wakeups) {
      first?.tell(&wakeups)
      for waker in others.values { waker.tell(&wakeups) }
    }
  }

  /// A part of the index, so that none of its dictionaries is long in growing.
  private final class Shard: Sendable {
    let lists = Mutex<[Dependency: List]>([:])
  }

  private static let shardCount = 64

  private let filter = WatchFilter()
  private let shards = (0..<Watchers.shardCount).map { _ in Shard() }
  /// How many watch the timeline of each of these users.
  private let timelines = Mutex<[UserID: Int]>([:])
  private let timelineCount = Atomic(0)

  // MARK: - Watching

  /// From now on the waker is told when one of these is touched; it must not watch any of them yet.
  func add(_ waker: Waker, to dependencies: some Sequence<Dependency>) {
    for dependency in dependencies {
      let place = dependency.place
      shard(place).lists.withLock { lists in
        if lists[dependency] == nil { filter.insert(place) }
        lists[dependency, default: List()].add(waker)
      }
      if dependency.kind == .timeline { noteTimeline(of: UserID(dependency.id), 1) }
    }
  }

  /// From now on it is not told of these, which it watches.
  func remove(_ waker: Waker, from dependencies: some Sequence<Dependency>) {
    for dependency in dependencies {
      let place = dependency.place
      shard(place).lists.withLock { lists in
        lists[dependency]?.remove(waker)
        if lists[dependency]?.isEmpty == true {
          lists[dependency] = nil
          filter.remove(place)
        }
      }
      if dependency.kind == .timeline { noteTimeline(of: UserID(dependency.id), -1) }
    }
  }

  private func noteTimeline(of user: UserID, _ difference: Int) {
    timelines.withLock { timelines in
      let count = timelines[user, default: 0] + difference
      timelines[user] = count == 0 ? nil : count
      timelineCount.store(timelines.count, ordering: .relaxed)
    }
  }

  private func shard(_ place: WatchFilter.Place) -> Shard { shards[place.shard(of: Self.shardCount)] }

  // MARK: - Telling

  /// Tells all who watch this.
  @inline(__always)
  func tell(_ dependency: Dependency, _ wakeups: inout Wakeups) {
    let place = dependency.place
    if filter.contains(place) { tell(dependency, place, &wakeups) }
  }

  @inline(never)
  private func tell(_ dependency: Dependency, _ place: WatchFilter.Place, _ wakeups: inout Wakeups) {
    let list = shard(place).lists.withLock { $0[dependency] }
    list?.tell(&wakeups)
  }

  /// Tells everybody.
  func tellAll() {
    var wakeups = Wakeups()
    for shard in shards {
      for list in shard.lists.withLock({ Array($0.values) }) { list.tell(&wakeups) }
    }
    wakeups.resume()
  }

  /// Whose timelines are watched, in no order; how many, without a lock.
  var timelineUserCount: Int { timelineCount.load(ordering: .relaxed) }
  var timelineUsers: [UserID] { timelines.withLock { Array($0.keys) } }

  // MARK: - Checking

  /// How many dependencies are watched.
  var watchedCount: Int { shards.reduce(0) { count, shard in count + shard.lists.withLock { $0.count } } }

  /// Lists stand in their shard and hold somebody, and the filter and the timelines agree with them.
  func checkInvariants() -> [String] {
    var problems: [String] = []
    var timelineCounts: [UserID: Int] = [:]
    for (index, shard) in shards.enumerated() {
      for (dependency, list) in shard.lists.withLock({ $0 }) {
        if list.isEmpty { problems.append("watchers: nobody watches \(dependency)") }
        let place = dependency.place
        if place.shard(of: Self.shardCount) != index { problems.append("watchers: \(dependency) strayed") }
        if !filter.contains(place) { problems.append("watchers: the filter denies \(dependency)") }
        if dependency.kind == .timeline {
          timelineCounts[UserID(dependency.id)] = (list.first == nil ? 0 : 1) + list.others.count
        }
      }
    }
    if timelines.withLock({ $0 }) != timelineCounts { problems.append("watchers: timelines are miscounted") }
    return problems
  }
}
