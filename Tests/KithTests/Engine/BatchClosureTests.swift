import Kith
import Testing

/// Closures of `batch` as a host first writes them: without annotations, and with errors of the host.
@Suite struct BatchClosureTests {
  private struct HostError: Error, Equatable { let number: Int }

  @Test("A closure of one expression and one of several compile without annotation")
  func plainClosures() throws {
    let graph = SocialGraph()
    let ann = try graph.batch { try $0.addUser("ann") }
    let bob = try graph.batch { batch in
      let bob = try batch.addUser("bob")
      try batch.follow(bob, as: ann)
      let post = try batch.addPost("hello", by: bob)
      try batch.like(post, as: ann)
      try batch.renameUser(bob, to: "Bobby")
      return bob
    }
    #expect(graph.read { $0.sequence } == 6)
    #expect(try graph.read { try $0.user(bob).username } == "Bobby")
    try graph.batch { batch in try batch.unfollow(bob, as: ann) }
    #expect(try graph.read { try $0.isFollowing(bob, as: ann) } == false)
  }

  @Test("An error of the host comes out unchanged, and the batch had no effect")
  func hostError() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    #expect(throws: HostError(number: 7)) {
      try graph.batch { batch in
        try batch.addUser("bob")
        try batch.removeUser(ann)
        throw HostError(number: 7)
      }
    }
    #expect(throws: KithError.inBatch(index: 1, .usernameTaken("ann"))) {
      try graph.batch { batch in
        try batch.addUser("bob")
        try batch.addUser("ann")
      }
    }
    #expect(graph.read { $0.sequence } == 1 && graph.read { $0.findUser(named: "bob") } == nil)
    #expect(try graph.addUser("bob").rawValue == 2)
  }

  @Test("A body that throws only KithError keeps its type")
  func typedBody() throws {
    func add(_ graph: SocialGraph) throws(KithError) -> UserID {
      try graph.batch { _ in }
      return try graph.batch { batch throws(KithError) in try batch.addUser("ann") }
    }
    #expect(try add(SocialGraph()) == UserID(1))
  }

  @Test("Changes have defaults for what the engine assigns")
  func defaults() {
    #expect(
      Change.follow(as: 1, target: 2) == .follow(as: 1, target: 2, at: nil)
        && Change.like(as: 1, post: 2) == .like(as: 1, post: 2, at: nil))
    #expect(Change.addUser(username: "ann") == .addUser(id: nil, username: "ann"))
    #expect(Change.addPost(by: 1, text: "a") == .addPost(id: nil, by: 1, text: "a", createdAt: nil))
  }
}
