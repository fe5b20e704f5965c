import Testing

@testable import Kith

/// Replay defers in-edges of follows and likes; the result is the same.
@Suite struct DeferralTests {
  @Test("Followers and likers are in the same order after loading", arguments: 1...6)
  func sameOrder(seed: UInt64) throws {
    let fixture = try JournalFixture(growthLimit: 64 << 10)
    var random = SeededRandom(seed: seed)
    let users = 150
    try fixture.commit((1...users).map { .addUser(id: UserID(Int64($0)), username: "u\($0)") })
    for _ in 0..<60 {
      let count = random.below(4) == 0 ? 1 : 1 + random.below(60)
      try fixture.commit(changes(count, on: &fixture.state, users: users, removing: seed > 3, &random))
    }
    let recovered = try fixture.recover()
    #expect(recovered.state.checkInvariants().isEmpty)
    #expect(JournalFixture.digest(of: recovered.state) == JournalFixture.digest(of: fixture.state))
    #expect(backward(recovered.state.follows) == backward(fixture.state.follows))
    #expect(backward(recovered.state.likes) == backward(fixture.state.likes))
    #expect(backward(recovered.state.follows).contains { $0.count > 5 })
  }

  @Test("Edges are removed while their in-edges are deferred")
  func removal() throws {
    var state = GraphState()
    for id: Int64 in 1...3 { _ = try state.apply(.addUser(id: UserID(id), username: "u\(id)")) }
    _ = try state.apply(.follow(as: 1, target: 2, at: 0))
    state.deferBackward()
    _ = try state.apply(.follow(as: 3, target: 2, at: 1_000))
    _ = try state.apply(.unfollow(as: 1, target: 2))
    _ = try state.apply(.follow(as: 3, target: 1, at: 1_000))
    _ = try state.apply(.follow(as: 2, target: 1, at: 0))
    #expect(try !state.apply(.unfollow(as: 1, target: 2)))
    state.buildBackward()
    #expect(state.checkInvariants().isEmpty)
    #expect(backward(state.follows) == [[1, 2], [2], []])
    state.deferBackward()
    _ = try state.apply(.removeUser(3))
    state.buildBackward()
    #expect(state.checkInvariants().isEmpty)
    #expect(backward(state.follows) == [[1], [], []])
  }

  @Test("Posts of a bulk load are listed and removed as without one", arguments: [2, 40])
  func posts(count: Int64) throws {
    var state = GraphState()
    var single = GraphState()
    func apply(_ change: Change) throws {
      _ = try state.apply(change)
      _ = try single.apply(change)
    }
    for id: Int64 in 1...3 { try apply(.addUser(id: UserID(id), username: "u\(id)")) }
    for id: Int64 in 1...20 {
      try apply(.addPost(id: PostID(id), by: UserID(id % 2 + 1), text: "", createdAt: Timestamp(id * 1_000)))
    }
    for removal in 0..<3 {
      state.beginBulk()
      // Times that do not ascend, before and after the posts that are there.
      for id in 100..<100 + count {
        let time = Timestamp((id * 7 + 3) % 40 * 1_000)
        let post = single.posts.identifiers.highest + 1
        try apply(.addPost(id: PostID(post), by: UserID(id % 3 == 0 ? 3 : 1), text: "", createdAt: time))
      }
      if removal == 1 { try apply(.removePost(PostID(single.posts.identifiers.highest))) }
      if removal == 2 { try apply(.removeUser(3)) }
      try apply(.addPost(id: PostID(single.posts.identifiers.highest + 1), by: 1, text: "", createdAt: 7_000))
      state.endBulk(workers: 2)
      #expect(state.checkInvariants().isEmpty)
      #expect(rows(state.posts.all) == rows(single.posts.all))
      #expect(rows(state.posts.byAuthor) == rows(single.posts.byAuthor))
    }
  }

  @Test("A pin that is taken while lists wait knows it, on both sides")
  func pinned() throws {
    var state = GraphState()
    var single = GraphState()
    func apply(_ changes: [Change], to state: inout GraphState) throws {
      for change in changes { _ = try state.apply(change) }
    }
    var before: [Change] = []
    for id: Int64 in 1...40 { before.append(.addUser(id: UserID(id), username: "u\(id)")) }
    before.append(.addPost(id: 1, by: 1, text: "one", createdAt: 9_000))
    before.append(.follow(as: 1, target: 2, at: 5_000))
    var meanwhile: [Change] = [
      .addUser(id: 41, username: "late"), .addPost(id: 2, by: 2, text: "two", createdAt: 3_000),
      .like(as: 3, post: 2, at: 7_000), .follow(as: 3, target: 2, at: 1_000),
    ]
    for id: Int64 in 4...40 { meanwhile.append(.follow(as: UserID(id), target: 2, at: Timestamp(80_000 - id * 1_000))) }
    let after: [Change] = [
      .addPost(id: 3, by: 1, text: "three", createdAt: 1_000), .follow(as: 41, target: 2, at: 2_000),
      .unfollow(as: 1, target: 2), .like(as: 5, post: 2, at: 1_000),
    ]
    try apply(before, to: &state)
    state.beginBulk()
    try apply(meanwhile, to: &state)
    var pin = state.pin()
    try apply(after, to: &state)
    try apply(after, to: &pin)
    #expect(!pin.checkInvariants().isEmpty, "what waits is no sound list yet")
    #expect(pin.checkDerived() == [], "and no wrong one")
    pin.endBulk(workers: 1)
    state.endBulk(workers: 1)
    try apply(before + meanwhile + after, to: &single)
    #expect(state.checkInvariants().isEmpty && pin.checkInvariants().isEmpty)
    #expect(backward(pin.follows) == backward(single.follows) && backward(state.follows) == backward(single.follows))
    #expect(backward(pin.likes) == backward(single.likes))
    #expect(rows(pin.posts.byAuthor) == rows(single.posts.byAuthor) && rows(pin.posts.all) == rows(single.posts.all))
    #expect(GraphDigest.of(pin) == GraphDigest.of(single))
  }

  @Test("A removal while lists wait keeps the bounds of times of each group of posts, in a graph with a schema")
  func bounds() throws {
    var state = GraphState()
    _ = try state.apply(.declare(SocialGraph.Schema()))
    _ = try state.apply(.addUser(id: 1, username: "ann"))
    for id: Int64 in 1...64 { _ = try state.apply(.addPost(id: PostID(id), by: 1, text: "", createdAt: 0)) }
    state.beginBulk()
    for id: Int64 in 1...64 { _ = try state.apply(.like(as: 1, post: PostID(id), at: Timestamp(id * 1_000))) }
    _ = try state.apply(.removePost(64))
    state.endBulk(workers: 1)
    #expect([0, 8, 56].map { state.likes.latestTimestamp(to: $0) } == [8, 16, 64])
    #expect(state.checkInvariants().isEmpty)
  }

  @Test("Lists and counts that do not follow from the columns are found, which no digest covers")
  func derived() throws {
    func state() throws -> GraphState {
      var state = GraphState()
      for id: Int64 in 1...3 { _ = try state.apply(.addUser(id: UserID(id), username: "u\(id)")) }
      _ = try state.apply(.follow(as: 1, target: 2, at: 1_000))
      return state
    }
    var wrong = try state()
    let digest = GraphDigest.of(wrong)
    #expect(wrong.checkDerived() == [] && wrong.checkInvariants() == [])
    // The edge leads to the second user, and stands in the list of the third.
    var latest = Column<UInt32>()
    latest.append(1)
    wrong.follows = Adjacency(
      forward: PackedLists<UInt64>(listsPerBlock: 8, degrees: [1, 0, 0], elements: [1 << 32 | 1]),
      backward: PackedLists<UInt32>(listsPerBlock: 16, degrees: [0, 0, 1], elements: [0]),
      latestTimestamps: latest, count: 1, defersBackward: false)
    #expect(wrong.checkDerived().contains { $0.hasPrefix("follows:") } && !wrong.checkInvariants().isEmpty)
    #expect(GraphDigest.of(wrong) == digest)
    var miscounted = try state()
    miscounted.users.setCard(0, UserCard(id: 1, followerCount: 1, followeeCount: 1, postCount: 0))
    #expect(miscounted.checkDerived().contains { $0.hasPrefix("the card") })
    var open = try state()
    open.deferBackward()
    #expect(open.checkInvariants().contains { $0.message.contains("wait to be built") })
  }

  private func rows(_ lists: borrowing PackedLists<UInt32>) -> [[UInt32]] {
    (0..<lists.count).map { list in
      (0..<lists.runCount(of: list)).flatMap { run in
        let span = lists.run(run, of: list)
        return span.indices.map { span[$0] }
      }
    }
  }

  private func backward(_ relation: borrowing Adjacency) -> [[UInt32]] {
    var lists: [[UInt32]] = []
    for target in 0..<relation.backward.count {
      var list: [UInt32] = []
      for run in 0..<relation.backward.runCount(of: target) {
        let sources = relation.backward.run(run, of: target)
        for index in sources.indices { list.append(sources[index]) }
      }
      lists.append(list)
    }
    return lists
  }

  /// Random changes, each valid after those before it; changes without effect are left out.
  private func changes(
    _ count: Int, on state: inout GraphState, users: Int, removing: Bool, _ random: inout SeededRandom
  ) -> [Change] {
    var trial = state.pin()
    var made: [Change] = []
    while made.count < count {
      let user = UserID(Int64(1 + random.below(users)))
      let other = UserID(Int64(1 + random.below(users)))
      let post = PostID(Int64(1 + random.below(max(trial.posts.rowCount, 1))))
      let time = Timestamp(Int64(random.below(8)) * 1_000)
      let change: Change =
        switch random.below(removing ? 40 : 37) {
        case 0..<14: .follow(as: user, target: other, at: time)
        case 14..<18: .unfollow(as: user, target: other)
        case 18..<24: .addPost(id: PostID(trial.posts.identifiers.highest + 1), by: user, text: "", createdAt: time)
        case 24..<33: .like(as: user, post: post, at: time)
        case 33..<35: .unlike(as: user, post: post)
        case 35: .block(as: user, target: other)
        case 36: .unblock(as: user, target: other)
        case 37, 38: .removePost(post)
        default: .removeUser(user)
        }
      if (try? trial.apply(change)) == true { made.append(change) }
      precondition(trial.counts.users > 5, "some users must be left")
    }
    return made
  }
}
