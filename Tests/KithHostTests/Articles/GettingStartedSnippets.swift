import Kith
import Testing

// Made from Sources/Kith/Kith.docc/GettingStarted.md by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
extension ArticleSnippets {
  @Test("The snippets of GettingStarted compile and run")
  func gettingStarted() async throws {
    let graph = SocialGraph()

    let ann = try await graph.addUser("ann")
    let bob = try await graph.addUser("Bobby")
    try await graph.follow(bob, as: ann)
    let hello = try await graph.addPost("hello, world", by: bob)
    try await graph.like(hello, as: ann)

    try graph.read { view in
      for user in try view.searchUsers("OBB", UserQuery(viewer: ann)) {
        print(user.username, user.followerCount, user.isFollowedByViewer == true)  // Bobby 1 true
      }
      for post in try view.timeline(of: ann) {
        print("\(post.author.username): \(post.text) (\(post.likeCount))")  // Bobby: hello, world (1)
      }
    }

    let newest = try graph.read { try $0.timeline(of: ann, TimelineQuery(limit: 50)) }
    if let next = newest.next {
      _ = try graph.read { try $0.timeline(of: ann, TimelineQuery(limit: 50, cursor: next)) }
    }

    let carol = try await graph.batch { batch in
      let carol = try batch.addUser("carol")
      try batch.follow(ann, as: carol)
      try batch.follow(bob, as: carol)
      return carol
    }
    try await graph.renameUser(carol, to: "caroline")

    do {
      try await graph.addUser("ann")
    } catch KithError.usernameTaken(let name) {
      print("\(name) is taken")
    }
  }
}
