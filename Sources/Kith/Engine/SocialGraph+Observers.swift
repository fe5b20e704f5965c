/// Notifies observers of changes, outside the writer lock, once the changes are as durable as the store's mode
/// promises.
extension SocialGraph {
  /// The observers; nil if there are none. Without observers, a write costs only this check. Call it only inside the
  /// lock.
  @inline(__always)
  var activeObservers: Observers? {
    guard let observers = lockedObservers.value, observers.areThere, observers.mark.isOwn else { return nil }
    return observers
  }

  /// The observers that there ever were; nil without any.
  var formerObservers: Observers? { read { _ in ownObservers } }

  /// Call it only inside the lock.
  private var ownObservers: Observers? { lockedObservers.value.flatMap { $0.mark.isOwn ? $0 : nil } }

  /// The observers, created if there never were any.
  var anyObservers: Observers {
    if let observers = formerObservers { return observers }
    return withWriterLock { _ in
      if let parents = lockedObservers.value, !parents.mark.isOwn { _ = unsafe Unmanaged.passRetained(parents) }
      let observers = ownObservers ?? Observers()
      lockedObservers.value = observers
      return observers
    }
  }

  /// The author of the post that a change will remove or edit; nil without observers.
  @inline(__always)
  func knownAuthor(_ change: Change) -> UserID? {
    switch change {
    case .removePost(let post), .editPost(let post, _, _): author(of: post)
    default: nil
    }
  }

  /// The same of a change that was placed.
  @inline(__always)
  func knownAuthor(_ edit: GraphState.Edit, _ change: Change) -> UserID? {
    switch edit {
    case .removePost, .editPost: knownAuthor(change)
    default: nil
    }
  }

  private func author(of post: PostID) -> UserID? {
    guard activeObservers != nil, let row = live.state.posts.row(of: post)
    else { return nil }
    return live.state.userID(live.state.posts.authors[row])
  }

  /// A change that was made, for observers.
  func made(_ change: Change, _ knownAuthor: UserID?) -> AppliedChange {
    if activeObservers == nil { return AppliedChange(change: change, knownAuthor: knownAuthor) }
    return AppliedChange(
      change: change, knownAuthor: knownAuthor, root: live.state.root(ofNew: change),
      targetAuthors: live.state.authors(ofTargetsOf: change), entering: live.state.users(entering: change))
  }

  /// Notifies observers of a committed change.
  func notify(_ notification: PendingNotification, sequence: UInt64) {
    let observers = notification.observers
    observers.feed.commit(through: sequence)
    if notification.made.touchesAll { return observers.subscriptions.notifyAll() }
    var wakeups = PendingWakeups()
    notify(notification.made, observers.subscriptions, &wakeups)
    wakeups.resume()
  }

  /// Notifies observers of changes that were committed together.
  func notify(_ observers: Observers, _ made: [AppliedChange], sequence: UInt64) {
    observers.feed.commit(through: sequence)
    if made.contains(where: \.touchesAll) { return observers.subscriptions.notifyAll() }
    var wakeups = PendingWakeups()
    for made in made { notify(made, observers.subscriptions, &wakeups) }
    wakeups.resume()
  }

  /// Notifies observers that all changes up to `sequence` are durable, without reporting them one by one: those of a
  /// bulk load, and those that a snapshot saved after a journal failure.
  func notifyAll(through sequence: UInt64) {
    guard let observers = formerObservers, observers.areThere else { return }
    observers.feed.commit(through: sequence)
    observers.subscriptions.notifyAll()
  }

  /// Notifies observers that no more changes follow.
  /// - Parameter isSaved: whether every change is as durable as promised.
  func notifyEnd(isSaved: Bool) {
    guard let observers = formerObservers else { return }
    if isSaved { observers.feed.commit(through: read { $0.sequence }) }
    observers.feed.finish()
    observers.subscriptions.notifyAll()
  }

  private func notify(_ made: AppliedChange, _ subscriptions: SubscriptionIndex, _ wakeups: inout PendingWakeups) {
    made.forEachTouched { subscriptions.notify($0, &wakeups) }
    guard subscriptions.timelineUserCount > 0 else { return }
    if let author = made.postAuthor { notifyTimelines(of: author, subscriptions, &wakeups) }
    for user in made.entering { notifyTimelines(of: user, subscriptions, &wakeups) }
  }

  // MARK: - Timelines

  /// The most users checked in one hold of the lock.
  private static let sliceLength = 1_024

  /// Notifies the live timelines that may show a post by this author, or reposted by this user, which was added or
  /// removed.
  ///
  /// There is no index from authors to timelines: ten thousand timelines of a thousand followees each would need ten
  /// million entries, which every follow would have to maintain. The follow relation suffices. Either the author's
  /// followers are looked up among the live timelines, or each timeline's user is tested for following the author,
  /// whichever are fewer. A follow that changes meanwhile notifies its own user.
  /// - Complexity: O(min(followers of the author, live timelines)).
  private func notifyTimelines(of author: UserID, _ subscriptions: SubscriptionIndex, _ wakeups: inout PendingWakeups) {
    subscriptions.notify(.timeline(of: author), &wakeups)
    let limit = min(subscriptions.timelineUserCount, Self.sliceLength)
    if let followers = read({ view in view.followers(of: author, atMost: limit) }) {
      for follower in followers { subscriptions.notify(.timeline(of: follower), &wakeups) }
      return
    }
    let users = subscriptions.timelineUsers
    for start in stride(from: 0, to: users.count, by: Self.sliceLength) {
      let slice = users[start..<min(users.count, start + Self.sliceLength)]
      // Not by `isFollowing`, which statistics count as a query of the host.
      let following = read { view in
        slice.filter { (try? FollowExists(user: $0, target: author).run(view.state)) == true }
      }
      for user in following { subscriptions.notify(.timeline(of: user), &wakeups) }
    }
  }
}

extension GraphView {
  /// The followers of a user; nil if there are more than `limit`.
  fileprivate func followers(of user: UserID, atMost limit: Int) -> [UserID]? {
    guard let row = state.users.row(of: user) else { return [] }
    if state.follows.sourceCount(row) > limit { return nil }
    var followers: [UserID] = []
    state.follows.forEachSource(of: row) { followers.append(state.userID($0)) }
    return followers
  }
}
