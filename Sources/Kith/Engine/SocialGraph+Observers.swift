import Synchronization

/// Everything between writers and observers of one graph; made with the first of them.
final class Observers: Sendable {
  let feed = ChangeFeed()
  let watchers = Watchers()
  private let count = Atomic(0)

  /// Whether there are any. Before an observer reads the graph for the first time, it is counted.
  @inline(__always)
  var areThere: Bool { count.load(ordering: .relaxed) > 0 }

  func add() { count.wrappingAdd(1, ordering: .relaxed) }
  func remove() { count.wrappingSubtract(1, ordering: .relaxed) }
}

/// A change that was made, and who is to be told of it when it is safe.
struct News {
  let made: MadeChange
  let observers: Observers
}

/// Telling observers of changes, outside the writer lock, when the changes are as safe as the store's mode promises.
extension SocialGraph {
  /// The observers, if there are any: all that a write without them pays is this look. Inside the lock alone.
  @inline(__always)
  var presentObservers: Observers? {
    guard let observers = lockedObservers.value, observers.areThere else { return nil }
    return observers
  }

  /// The observers that there ever were; nil without any.
  var formerObservers: Observers? { read { _ in lockedObservers.value } }

  /// The observers, made when there were never any.
  var anyObservers: Observers {
    if let observers = formerObservers { return observers }
    return withWriterLock { _ in
      let observers = lockedObservers.value ?? Observers()
      lockedObservers.value = observers
      return observers
    }
  }

  /// Who wrote the post that a change is about to remove, if somebody wants to know.
  @inline(__always)
  func removedAuthor(_ change: Change) -> UserID? {
    if case .removePost(let post) = change { author(ofRemoved: post) } else { nil }
  }

  private func author(ofRemoved post: PostID) -> UserID? {
    guard presentObservers != nil, let row = live.state.posts.row(of: post)
    else { return nil }
    return live.state.userID(live.state.posts.authors[row])
  }

  /// A change was committed that these were there to be told of when it was made.
  func tell(_ news: News, sequence: UInt64) {
    let observers = news.observers
    observers.feed.commit(through: sequence)
    if news.made.touchesAll { return observers.watchers.tellAll() }
    var wakeups = Wakeups()
    tell(news.made, observers.watchers, &wakeups)
    wakeups.resume()
  }

  /// The same of changes that were made together.
  func tell(_ observers: Observers, _ made: [MadeChange], sequence: UInt64) {
    observers.feed.commit(through: sequence)
    if made.contains(where: \.touchesAll) { return observers.watchers.tellAll() }
    var wakeups = Wakeups()
    for made in made { tell(made, observers.watchers, &wakeups) }
    wakeups.resume()
  }

  /// Changes up to `sequence` are safe, of which nobody was told one by one: those of a bulk load, and those that a
  /// snapshot saved after a failure of the journal.
  func tellAll(through sequence: UInt64) {
    guard let observers = formerObservers, observers.areThere else { return }
    observers.feed.commit(through: sequence)
    observers.watchers.tellAll()
  }

  /// Nothing will change any more.
  /// - Parameter isSaved: whether every change is as safe as was promised.
  func tellEnd(isSaved: Bool) {
    guard let observers = formerObservers else { return }
    if isSaved { observers.feed.commit(through: read { $0.sequence }) }
    observers.feed.finish()
    observers.watchers.tellAll()
  }

  private func tell(_ made: MadeChange, _ watchers: Watchers, _ wakeups: inout Wakeups) {
    made.forEachTouched { watchers.tell($0, &wakeups) }
    if let author = made.postAuthor, watchers.timelineUserCount > 0 { tellTimelines(of: author, watchers, &wakeups) }
  }

  // MARK: - Timelines

  /// Users looked at in one hold of the lock.
  private static let sliceLength = 1_024

  /// A post of this author came or went: tells those whose live timeline it may stand in.
  ///
  /// No list of authors is kept for a timeline: with a thousand followees each, ten thousand of them would be ten
  /// million entries, which every follow would have to keep up. Who follows whom is known already: either the author's
  /// followers are looked up among the live timelines, or the live timelines' users are asked whether they follow the
  /// author, whichever are fewer. Follows that changed meanwhile wake their user by themselves.
  /// - Complexity: O(min(followers of the author, live timelines)).
  private func tellTimelines(of author: UserID, _ watchers: Watchers, _ wakeups: inout Wakeups) {
    watchers.tell(.timeline(of: author), &wakeups)
    let limit = min(watchers.timelineUserCount, Self.sliceLength)
    if let followers = read({ view in view.followers(of: author, atMost: limit) }) {
      for follower in followers { watchers.tell(.timeline(of: follower), &wakeups) }
      return
    }
    let users = watchers.timelineUsers
    for start in stride(from: 0, to: users.count, by: Self.sliceLength) {
      let slice = users[start..<min(users.count, start + Self.sliceLength)]
      let following = read { view in slice.filter { (try? view.isFollowing($0, author)) == true } }
      for user in following { watchers.tell(.timeline(of: user), &wakeups) }
    }
  }
}

extension GraphView {
  /// Who follows a user; nil when they are more than so many.
  fileprivate func followers(of user: UserID, atMost limit: Int) -> [UserID]? {
    guard let row = state.users.row(of: user) else { return [] }
    if state.follows.sourceCount(row) > limit { return nil }
    var followers: [UserID] = []
    state.follows.backward.forEachRun(of: Int(row)) { rows in
      for index in rows.indices { followers.append(state.userID(rows[index])) }
    }
    return followers
  }
}
