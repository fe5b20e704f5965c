@testable import Kith

// MARK: - Queries over several hops

extension ReferenceModel {
  /// By id: common followees, or common followers; or followers of the user whom the other, the viewer, follows.
  func mutuals(
    _ user: UserID, _ other: UserID, among kind: Question.Mutuals, _ options: MutualQuery, _ place: Place?
  ) throws(Refusal) -> Reply<Place> {
    let list = "mutual \(kind) \(user) \(other)"
    var options = options
    if kind == .familiar { options.viewer = other }
    let viewer = options.viewer.flatMap { users[$0] == nil ? nil : $0 }
    try check(
      viewer: options.viewer, subject: user, limit: options.limit, place: place, list: list,
      more: isVisible(other, viewer) ? [] : ["unknownUser"])
    let mutual = users.keys.filter { candidate in
      let isMutual =
        switch kind {
        case .followees: follows[user]?[candidate] != nil && follows[other]?[candidate] != nil
        case .followers: follows[candidate]?[user] != nil && follows[candidate]?[other] != nil
        case .familiar: follows[candidate]?[user] != nil && follows[other]?[candidate] != nil
        }
      return isMutual && isVisible(candidate, options.viewer)
    }
    let entries: [Entry<User>] = mutual.map { (Key(numbers: [$0.rawValue]), self.user($0, options.viewer)) }
    let (items, next) = page(entries, list, after: place, limit: options.limit)
    return Reply(.users(items, total: options.countsMatches ? mutual.count : nil), next: next)
  }

  /// The followees whose own followees are read: all, or those who follow fewest.
  private func readFollowees(of user: UserID, _ followLimit: Int) -> (users: [UserID], isTruncated: Bool) {
    let degrees = (follows[user] ?? [:]).keys.map { (follows[$0]?.count ?? 0, $0) }.sorted { $0 < $1 }
    var left = followLimit
    let read = degrees.prefix { degree, _ in
      left -= degree
      return left >= 0
    }
    return (read.map(\.1), read.count < degrees.count)
  }

  func suggestions(_ user: UserID, _ options: SuggestionQuery) throws(Refusal) -> Reply<Place> {
    let hasKind = userKinds.contains(options.kind ?? "user")
    let isBad = !(0...100).contains(options.namedCount) || options.followLimit < 0 || !hasKind
    try check(viewer: user, limit: options.limit, more: isBad ? ["invalidRequest"] : [])
    let (friends, isTruncated) = readFollowees(of: user, options.followLimit)
    var suggestions: [PlainSuggestion] = []
    for candidate in users.keys where candidate != user && follows[user]?[candidate] == nil {
      if isAcross(user, candidate) || mutes[user]?.contains(candidate) == true { continue }
      if kind(of: candidate) != options.kind ?? "user" { continue }
      if !Self.passes(keptWithUsers[candidate]?.flags ?? 0, options.flags) { continue }
      let mutuals = friends.filter { follows[$0]?[candidate] != nil }.sorted()
      if mutuals.isEmpty { continue }
      suggestions.append(
        PlainSuggestion(
          user: self.user(candidate, user), mutualCount: mutuals.count,
          mutuals: mutuals.prefix(options.namedCount).map { self.user($0, user) }))
    }
    suggestions.sort { ($1.mutualCount, $0.user.id) < ($0.mutualCount, $1.user.id) }
    return Reply(.suggestions(Array(suggestions.prefix(options.limit)), isTruncated: isTruncated))
  }

  /// Hops by breadth-first search from one end. Which of the shortest paths is returned is not specified. The engine
  /// may give up only if reading every follow from both ends exceeds the limit.
  func distance(_ user: UserID, _ target: UserID, _ options: PathQuery) throws(Refusal) -> Reply<Place> {
    let isBad = options.maximumHops < 0 || options.followLimit < 0
    try check(viewer: user, others: [target], more: isBad ? ["invalidRequest"] : [])
    var (ring, met, hops): (Set<UserID>, Set<UserID>, Int) = ([user], [user], 0)
    while !ring.contains(target) && hops < options.maximumHops && !ring.isEmpty {
      ring = Set(ring.flatMap { (follows[$0] ?? [:]).keys }).subtracting(met)
      met.formUnion(ring)
      hops += 1
    }
    let mayGiveUp = options.followLimit < 2 * counts.follows
    return Reply(.distance(hops: ring.contains(target) ? hops : nil, gaveUp: mayGiveUp, isSound: true))
  }

  func twoHopTimeline(
    _ user: UserID, _ options: TimelineQuery, _ followLimit: Int, _ place: Place?
  ) throws(Refusal) -> Reply<Place> {
    let list = "two hops \(user)"
    try check(
      viewer: user, limit: options.limit, place: place, list: list, more: followLimit < 0 ? ["invalidRequest"] : [])
    let (friends, isTruncated) = readFollowees(of: user, followLimit)
    var authors = Set(([user] + friends).flatMap { (follows[$0] ?? [:]).keys })
    authors = authors.filter { mutes[user]?.contains($0) != true && !isAcross(user, $0) }
    authors.remove(user)
    if options.includesOwnPosts { authors.insert(user) }
    var reply = timeline(user, by: authors, options, list, place)
    if case .posts(let posts, _) = reply.answer { reply.answer = .boundedPosts(posts, isTruncated: isTruncated) }
    return reply
  }
}
