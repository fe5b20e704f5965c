import Kith

/// What a member of a synthetic history does.
enum HistoryAction: Int, CaseIterable {
  case follow, post, reply, like, bookmark, befriend, unfollow, unlike, rename, leave, removePost, block, mute

  /// How often a thousand members do it on a day.
  var rate: Int {
    switch self {
    case .follow: 620
    case .post: 330
    case .reply: 160
    case .like: 1_300
    case .bookmark: 120
    case .befriend: 90
    case .unfollow: 28
    case .unlike: 16
    case .rename: 2
    case .leave: 2
    case .removePost: 4
    case .block: 3
    case .mute: 5
    }
  }
}

extension HistoryRun {
  mutating func act(_ action: HistoryAction, _ member: Int32) {
    switch action {
    case .follow: follow(member)
    case .post: post(member, .post)
    case .reply: reply(member)
    case .like: like(member)
    case .bookmark: bookmark(member)
    case .befriend: befriend(member)
    case .unfollow: unfollow(member)
    case .unlike: unlike(member)
    case .rename: rename(member)
    case .leave: leave(member)
    case .removePost: removePost(of: member)
    case .block: block(member)
    case .mute:
      if let target = target(of: member) { changes.append(.mute(as: Self.user(member), target: Self.user(target))) }
    }
  }

  private var time: Timestamp { Timestamp(now) }

  // MARK: - Edges between users

  mutating func follow(_ member: Int32) {
    guard let target = target(of: member) else { return }
    add(member, target)
    let isNear = members[Int(member)].topic == members[Int(target)].topic
    if random.below(100) < (isNear ? 38 : 12), isFree(target, member) { add(target, member) }
  }

  private mutating func add(_ member: Int32, _ target: Int32) {
    members[Int(member)].followees.append(target)
    members[Int(member)].followed.insert(target)
    followedByTopic[members[Int(target)].topic].append(target)
    changes.append(.follow(as: Self.user(member), target: Self.user(target), at: time))
  }

  /// A user to follow: mostly of the same community, whom many follow already, or a followee of a followee.
  private mutating func target(of member: Int32) -> Int32? {
    let topic = random.below(100) < 86 ? members[Int(member)].topic : random.below(Topic.all.count)
    for _ in 0..<8 {
      let way = random.below(100)
      var found: Int32?
      if way < 45 {
        found = drawn(followedByTopic[topic])
      } else if way < 75, let near = drawn(members[Int(member)].followees) {
        found = drawn(members[Int(near)].followees)
      } else {
        found = drawn(byTopic[topic])
      }
      if let found, isFree(member, found) { return found }
    }
    return nil
  }

  private mutating func drawn(_ list: [Int32]) -> Int32? { list.isEmpty ? nil : random.pick(list) }

  private func isFree(_ member: Int32, _ target: Int32) -> Bool {
    member != target && members[Int(target)].isHere && !members[Int(member)].followed.contains(target)
      && !isBlocked(member, target)
  }

  private func isBlocked(_ one: Int32, _ other: Int32) -> Bool {
    blocks.contains(Self.pair(min(one, other), max(one, other)))
  }

  private static func pair(_ one: Int32, _ other: Int32) -> UInt64 { UInt64(one) << 32 | UInt64(other) }

  private mutating func befriend(_ member: Int32) {
    guard let friend = drawn(members[Int(member)].followees), isFollowing(member, friend) else { return }
    for (one, other) in [(member, friend), (friend, member)] where isFollowing(one, other) {
      changes.append(
        .addEdge(SeededHistory.schema.relations[2], from: .user(Self.user(one)), to: .user(Self.user(other)), at: time))
    }
  }

  private func isFollowing(_ member: Int32, _ target: Int32) -> Bool {
    members[Int(target)].isHere && members[Int(member)].followed.contains(target)
  }

  private mutating func unfollow(_ member: Int32) {
    guard let target = drawn(members[Int(member)].followees), isFollowing(member, target) else { return }
    end(member, target)
    changes.append(.unfollow(as: Self.user(member), target: Self.user(target)))
  }

  private mutating func end(_ member: Int32, _ target: Int32) {
    guard members[Int(member)].followed.remove(target) != nil else { return }
    members[Int(member)].followees.removeAll { $0 == target }
  }

  private mutating func block(_ member: Int32) {
    guard let other = drawn(byTopic[members[Int(member)].topic]), other != member, members[Int(other)].isHere,
      blocks.insert(Self.pair(min(member, other), max(member, other))).inserted
    else { return }
    end(member, other)
    end(other, member)
    changes.append(.block(as: Self.user(member), target: Self.user(other)))
  }

  // MARK: - Users

  private mutating func rename(_ member: Int32) {
    let name = names.next(Topic.all[members[Int(member)].topic], &random)
    members[Int(member)].name = name
    changes.append(.renameUser(Self.user(member), to: name))
  }

  private mutating func leave(_ member: Int32) {
    members[Int(member)].isHere = false
    for post in members[Int(member)].posts { posts[Int(post)].isThere = false }
    changes.append(.removeUser(Self.user(member)))
  }

  // MARK: - Posts

  mutating func post(_ member: Int32, _ kind: HistoryTexts.Kind) {
    let topic = members[Int(member)].topic
    add(member, topic, HistoryTexts.text(kind, about: Topic.all[topic], &random))
  }

  private mutating func add(_ member: Int32, _ topic: Int, _ text: String, edges: [PostEdge] = []) {
    let number = Int32(posts.count)
    posts.append(Posting(author: member, topic: topic))
    members[Int(member)].posts.append(number)
    changes.append(
      .addPost(id: Self.post(number), by: Self.user(member), text: text, createdAt: time, edges: edges))
  }

  /// A post of late that a member would read.
  private mutating func read(_ member: Int32, _ count: Int) -> Int32? {
    guard !posts.isEmpty else { return nil }
    for _ in 0..<12 {
      let number = posts.count - 1 - random.below(min(count, posts.count))
      let post = posts[number]
      let isNear = post.topic == members[Int(member)].topic || members[Int(member)].followed.contains(post.author)
      if post.isThere, isNear || random.below(12) == 0, !isBlocked(member, post.author) { return Int32(number) }
    }
    return nil
  }

  private mutating func reply(_ member: Int32) {
    guard let parent = random.below(3) == 0 ? drawn(Array(liked.suffix(60))) : read(member, 160),
      posts[Int(parent)].isThere
    else { return }
    let (author, topic) = (posts[Int(parent)].author, posts[Int(parent)].topic)
    if isBlocked(member, author) { return }
    var text = HistoryTexts.text(.reply, about: Topic.all[topic], &random)
    var edges = [PostEdge(SeededHistory.schema.relations[0], to: Self.post(parent))]
    if author != member, random.below(5) < 2 {
      text = "@\(members[Int(author)].name) \(text)"
      edges.append(PostEdge(SeededHistory.schema.relations[1], to: Self.user(author)))
    }
    add(member, topic, text, edges: edges)
  }

  mutating func like(_ member: Int32) {
    // What is liked is seen, and liked again.
    let popular = random.below(2) == 0 ? drawn(Array(liked.suffix(200))) : nil
    guard let post = popular ?? read(member, 300), posts[Int(post)].isThere,
      !isBlocked(member, posts[Int(post)].author), posts[Int(post)].author != member,
      posts[Int(post)].likers.insert(member).inserted
    else { return }
    liked.append(post)
    if liked.count > 2_000 { liked.removeFirst(1_000) }
    changes.append(.like(as: Self.user(member), post: Self.post(post), at: time))
  }

  private mutating func unlike(_ member: Int32) {
    guard let post = drawn(liked), posts[Int(post)].isThere, !isBlocked(member, posts[Int(post)].author),
      posts[Int(post)].likers.remove(member) != nil
    else { return }
    changes.append(.unlike(as: Self.user(member), post: Self.post(post)))
  }

  private mutating func bookmark(_ member: Int32) {
    guard let post = read(member, 400) else { return }
    changes.append(
      .addEdge(
        SeededHistory.schema.relations[3], from: .user(Self.user(member)), to: .post(Self.post(post)), at: time))
  }

  private mutating func removePost(of member: Int32) {
    guard let post = drawn(members[Int(member)].posts), posts[Int(post)].isThere else { return }
    posts[Int(post)].isThere = false
    changes.append(.removePost(Self.post(post)))
  }
}
