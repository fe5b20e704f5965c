import Synchronization

/// The subscription index: from dependencies to the signals of the live queries whose results depend on them.
///
/// A write looks up only what it touches. Most of that has no subscriber, which a Bloom filter says without a lock
/// (10,000 live queries set one bit in thirty).
final class SubscriptionIndex: Sendable {
  /// The signals of one dependency; usually one.
  private struct List: Sendable {
    var first: AsyncSignal?
    var others: [ObjectIdentifier: AsyncSignal] = [:]

    var isEmpty: Bool { first == nil && others.isEmpty }

    mutating func add(_ signal: AsyncSignal) {
      if first == nil { first = signal } else { others[ObjectIdentifier(signal)] = signal }
    }

    mutating func remove(_ signal: AsyncSignal) {
      if first === signal { first = nil } else { others[ObjectIdentifier(signal)] = nil }
    }

    func notify(_ wakeups: inout PendingWakeups) {
      first?.notify(&wakeups)
      for signal in others.values { signal.notify(&wakeups) }
    }
  }

  /// A part of the index, so that no single dictionary grows for long under a lock.
  private final class Shard: Sendable {
    let lists = Mutex<[QueryDependency: List]>([:])
  }

  private static let shardCount = 64

  private let filter = CountingBloomFilter()
  private let shards = (0..<SubscriptionIndex.shardCount).map { _ in Shard() }
  /// The number of subscribers to the timeline of each user.
  private let timelines = Mutex<[UserID: Int]>([:])
  private let timelineCount = Atomic(0)

  // MARK: - Subscribing

  /// Subscribes a signal to dependencies. It must not be subscribed to any of them yet.
  func add(_ signal: AsyncSignal, to dependencies: some Sequence<QueryDependency>) {
    for dependency in dependencies {
      let place = dependency.place
      shard(place).lists.withLock { lists in
        if lists[dependency] == nil { filter.insert(place) }
        lists[dependency, default: List()].add(signal)
      }
      if dependency.kind == .timeline { noteTimeline(of: UserID(dependency.id), 1) }
    }
  }

  /// Unsubscribes a signal from dependencies that it is subscribed to.
  func remove(_ signal: AsyncSignal, from dependencies: some Sequence<QueryDependency>) {
    for dependency in dependencies {
      let place = dependency.place
      shard(place).lists.withLock { lists in
        lists[dependency]?.remove(signal)
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

  private func shard(_ place: CountingBloomFilter.Place) -> Shard { shards[place.shard(of: Self.shardCount)] }

  // MARK: - Notifying

  /// Notifies all subscribers of a dependency.
  @inline(__always)
  func notify(_ dependency: QueryDependency, _ wakeups: inout PendingWakeups) {
    let place = dependency.place
    if filter.contains(place) { notify(dependency, place, &wakeups) }
  }

  @inline(never)
  private func notify(
    _ dependency: QueryDependency, _ place: CountingBloomFilter.Place, _ wakeups: inout PendingWakeups
  ) {
    let list = shard(place).lists.withLock { $0[dependency] }
    list?.notify(&wakeups)
  }

  /// Notifies all subscribers.
  func notifyAll() {
    var wakeups = PendingWakeups()
    for shard in shards {
      for list in shard.lists.withLock({ Array($0.values) }) { list.notify(&wakeups) }
    }
    wakeups.resume()
  }

  /// The users with subscribed timelines, in no order; their number is read without a lock.
  var timelineUserCount: Int { timelineCount.load(ordering: .relaxed) }
  var timelineUsers: [UserID] { timelines.withLock { Array($0.keys) } }

  // MARK: - Invariants

  /// The number of dependencies with subscribers.
  var watchedCount: Int { shards.reduce(0) { count, shard in count + shard.lists.withLock { $0.count } } }

  /// Checks that lists are in their shard and not empty, and that the filter and the timelines agree with them.
  func checkInvariants() -> [String] {
    var problems: [String] = []
    var timelineCounts: [UserID: Int] = [:]
    for (index, shard) in shards.enumerated() {
      for (dependency, list) in shard.lists.withLock({ $0 }) {
        if list.isEmpty { problems.append("subscriptions: \(dependency) has an empty list") }
        let place = dependency.place
        if place.shard(of: Self.shardCount) != index {
          problems.append("subscriptions: \(dependency) is in the wrong shard")
        }
        if !filter.contains(place) { problems.append("subscriptions: the filter lacks \(dependency)") }
        if dependency.kind == .timeline {
          timelineCounts[UserID(dependency.id)] = (list.first == nil ? 0 : 1) + list.others.count
        }
      }
    }
    if timelines.withLock({ $0 }) != timelineCounts { problems.append("subscriptions: timelines are miscounted") }
    return problems
  }
}
