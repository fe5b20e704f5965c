import Kith
import Testing

// Made from Sources/Kith/Kith.docc/LiveScreens.md by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
extension ArticleSnippets {
  @Test("The snippets of LiveScreens compile and run")
  func liveScreens() async throws {
    @MainActor final class PostScreen {
      let post: LiveModel<Post, KithError>
      let likers: LiveModel<Page<User>, KithError>

      init(_ graph: SocialGraph, _ id: PostID, me: UserID) {
        post = LiveModel(graph, .post(id, as: me))
        likers = LiveModel(graph, .likers(of: id, ListQuery(viewer: me)))
      }

      var label: String { post.value.map { "\($0.likeCount) likes" } ?? "" }
    }

    @MainActor final class FriendSearch {
      let search: SearchModel<Page<User>>
      private let graph: SocialGraph
      private let me: UserID

      init(_ graph: SocialGraph, me: UserID) {
        (self.graph, self.me) = (graph, me)
        search = SearchModel(graph, .users(UserQuery(excludedUser: me, viewer: me)))
      }

      func toggleFollow(of user: User) async throws {
        if user.isFollowedByViewer == true {
          try await graph.unfollow(user.id, as: me)
        } else {
          try await graph.follow(user.id, as: me)
        }
      }
    }

    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    let bob = try await graph.addUser("bob")
    let post = try await graph.addPost("hello", by: bob)

    var counts: [Int] = []
    for try await value in graph.values(of: .post(post, as: ann)) {
      counts.append(value.likeCount)
      if counts.count == 1 { try await graph.like(post, as: ann) } else { break }
    }
    precondition(counts == [0, 1])

    let token = graph.observe(.followers(of: bob)) { result in
      if case .success(let page) = result { print("\(page.count) followers") }
    }
    token.cancel()

    let ratio = LiveQuery(of: [.followers(of: bob), .followees(of: bob)]) { view in
      let user = try view.user(bob)
      return Double(user.followerCount) / Double(max(1, user.followeeCount))
    }
    for try await value in graph.values(of: ratio) {
      precondition(value == 0)
      break
    }

    let changes = graph.changes()
    try await graph.follow(bob, as: ann)
    for await event in changes {
      if case .change(.follow(let user, let target, _), let number) = event {
        print("\(number): \(user) follows \(target)")
        break
      }
    }
  }
}
