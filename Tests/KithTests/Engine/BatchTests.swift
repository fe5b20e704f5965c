import Testing

@testable import Kith

/// Single changes and batches: what the engine fills in, how it counts, and that a failed batch leaves nothing.
@Suite struct BatchTests {
  @Test("Ids follow the highest ever used, and none follows the last possible one")
  func assignedIDs() throws {
    let graph = SocialGraph()
    #expect(try graph.addUser("a") == 1)
    #expect(try graph.addUser("b", id: 70) == 70)
    #expect(try graph.addUser("c", id: 5) == 5)
    try graph.removeUser(UserID(70))
    #expect(try graph.addUser("d") == 71)
    #expect(try graph.addPost("text", by: 1, id: PostID(.max)) == PostID(.max))
    #expect(throws: KithError.self) { try graph.addPost("text", by: 1) }
    #expect(try graph.addPost("text", by: 1, id: 3) == 3)
    #expect(throws: KithError.userIDTaken(70)) { try graph.addUser("e", id: 70) }
    for id in [0, -1, .min] as [Int64] {
      #expect(throws: KithError.invalidRequest(.id(id))) { try graph.addUser("e", id: UserID(id)) }
    }
    #expect(graph.read { $0.sequence } == 7 && graph.read { $0.verify() } == [])
  }

  @Test("A missing time is taken from the clock, in milliseconds for posts and seconds for edges")
  func clock() throws {
    let graph = SocialGraph()
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
    let before = Timestamp.now()
    let post = try graph.addPost("text", by: bob)
    try graph.follow(bob, as: ann)
    try graph.like(post, as: ann)
    let after = Timestamp.now()
    #expect(before.rawValue > 1_700_000_000_000)
    let createdAt = try graph.read { try $0.post(post).createdAt }
    #expect((before...after).contains(createdAt))
    let times = [
      try graph.read { try $0.followers(of: bob) }.first?.followedAt,
      try graph.read { try $0.likers(of: post) }.first?.likedAt,
    ]
    for time in times {
      let time = try #require(time)
      #expect(time.rawValue % 1_000 == 0)
      #expect((before.rawValue - 999...after.rawValue).contains(time.rawValue))
    }
  }

  @Test("A batch that fails after any of its changes leaves all lists as they were")
  func rolledBack() throws {
    let graph = SocialGraph()
    let people = try (0..<40).map { try graph.addUser("user \($0)") }
    for user in people.dropFirst() { try graph.follow(people[0], as: user, at: Timestamp(user.rawValue * 1_000)) }
    let post = try graph.addPost("hello", by: people[0])
    for user in people.dropFirst(2) { try graph.like(post, as: user) }
    let changes: [Change] = [
      .unfollow(as: 2, target: 1), .follow(as: 1, target: 3, at: 0), .addUser(username: "late"),
      .follow(as: 41, target: 1, at: 0), .block(as: 5, target: 1), .mute(as: 5, target: 1), .unlike(as: 3, post: post),
      .addPost(by: 2, text: "more"), .renameUser(7, to: "renamed"), .removeUser(9), .removePost(post),
      .removeUser(1),
    ]
    let before = graph.read { $0.rows }
    for end in 0...changes.count {
      let failing = Array(changes[..<end]) + [Change.removeUser(99)]
      #expect(throws: KithError.inBatch(index: end, .unknownUser(99))) {
        try graph.batch { (batch) throws(KithError) in
          for change in failing { try batch.apply(change) }
        }
      }
      #expect(graph.read { $0.verify() } == [] && graph.pin().checkDerived() == [], "after \(end) changes")
      #expect(graph.read { $0.rows } == before)
    }
  }

  @Test("Changes of a batch are numbered one by one; a change without effect takes no number")
  func numbers() throws {
    let graph = SocialGraph()
    let numbers = try graph.batch { batch throws(KithError) in
      let ann = try batch.apply(.addUser(id: nil, username: "ann"))
      let bob = try batch.apply(.addUser(id: nil, username: "bob"))
      let changes: [Change] = [
        .follow(as: 1, target: 2, at: 0), .follow(as: 1, target: 2, at: 9_000), .unfollow(as: 2, target: 1),
        .renameUser(1, to: "ann"), .mute(as: 2, target: 1),
      ]
      var applied = [ann, bob]
      for change in changes { try applied.append(batch.apply(change)) }
      #expect(batch.findUser(named: "bob") == 2 && batch.count == 7)
      let followed = try batch.read { view throws(KithError) in try view.isFollowing(2, as: 1) }
      #expect(followed)
      return applied.map { "\($0.sequence) \($0.didChange)" }
    }
    #expect(numbers == ["1 true", "2 true", "3 true", "3 false", "3 false", "3 false", "4 true"])
    #expect(graph.read { $0.sequence } == 4)
  }

  @Test("A failed batch leaves ids, numbers, names, answers and pins unchanged")
  func rollback() throws {
    let sample = try SampleGraph(userCount: 30, seed: 31)
    let graph = sample.graph
    let pin = graph.pin()
    let sections = GraphSections.sections(of: pin.view.state).contents
    let user = try #require(sample.model.users.keys.min())
    for round in 0..<5 {
      let error = #expect(throws: KithError.self) {
        try graph.batch { batch throws(KithError) in
          for index in 0..<200 {
            try batch.apply(.addUser(id: nil, username: "new \(round) \(index)"))
            try batch.apply(.addPost(id: nil, by: user, text: "new", createdAt: 5))
          }
          for other in sample.model.users.keys.sorted().dropFirst(2) { try batch.apply(.removeUser(other)) }
          try batch.apply(.renameUser(user, to: "new"))
          try batch.apply(.addUser(id: nil, username: "new"))
        }
      }
      #expect(error == .inBatch(index: 400 + sample.model.users.count - 2 + 1, .usernameTaken("new")))
    }
    let after = graph.pin()
    #expect(GraphSections.sections(of: after.view.state).contents == sections)
    #expect(sample.differences(from: after.view, questions: 100) == [])
    #expect(sample.differences(from: pin.view, questions: 100) == [])
    let highest = try #require(sample.model.everUsers.max())
    #expect(try graph.addUser("new").rawValue == highest.rawValue + 1)
    #expect(sample.differences(from: pin.view, questions: 20) == [])
  }

  @Test("A batch takes 10,000 changes; one more rolls all back")
  func limit() throws {
    let graph = SocialGraph()
    func add(_ count: Int) throws(KithError) {
      try graph.batch { batch throws(KithError) in
        for index in 0..<count { try batch.apply(.addUser(id: nil, username: "user \(index)")) }
      }
    }
    #expect(throws: KithError.invalidRequest(.tooManyChanges(limit: 10_000))) { try add(10_001) }
    #expect(graph.read { $0.counts.users } == 0 && graph.read { $0.sequence } == 0)
    try add(10_000)
    #expect(graph.read { $0.counts.users } == 10_000 && graph.read { $0.sequence } == 10_000)
    #expect(graph.read { $0.verify() } == [])
  }

  @Test("An error that the body catches changes nothing; one that it throws rolls all back")
  func bodies() throws {
    let graph = SocialGraph()
    try graph.batch { batch throws(KithError) in
      try batch.apply(.addUser(id: nil, username: "ann"))
      do throws(KithError) {
        try batch.apply(.addUser(id: nil, username: "ann"))
      } catch {
        #expect(error == .inBatch(index: 1, .usernameTaken("ann")))
      }
      try batch.apply(.addUser(id: nil, username: "bob"))
    }
    #expect(graph.read { $0.counts.users } == 2)
    #expect(throws: KithError.cancelled) {
      try graph.batch { batch throws(KithError) in
        try batch.apply(.removeUser(1))
        throw KithError.cancelled
      }
    }
    #expect(graph.read { $0.counts.users } == 2 && graph.read { $0.sequence } == 2)
  }
}
