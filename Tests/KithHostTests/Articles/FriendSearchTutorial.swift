import Kith
import Testing

// Made from Sources/Kith/Kith.docc/Resources by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
extension ArticleSnippets {
  @Test("Code file 1 of the tutorial compiles and runs")
  func friendSearch1() async throws {
    struct Friends {
      static func main() async throws {
        let graph = SocialGraph()
        for name in ["ann", "Anna", "bob", "Hannah", "Joanna"] {
          try await graph.addUser(name)
        }
      }
    }
    try await Friends.main()
  }

  @Test("Code file 2 of the tutorial compiles and runs")
  func friendSearch2() async throws {
    struct Friends {
      static func main() async throws {
        let graph = SocialGraph()
        for name in ["ann", "Anna", "bob", "Hannah", "Joanna"] {
          try await graph.addUser(name)
        }

        let found = try graph.read { view in try view.searchUsers("ann") }
        for user in found {
          print(user.username)  // ann, Anna, Hannah, Joanna
        }
      }
    }
    try await Friends.main()
  }

  @Test("Code file 3 of the tutorial compiles and runs")
  func friendSearch3() async throws {
    struct Friends {
      static func main() async throws {
        let graph = SocialGraph()
        let me = try await graph.addUser("ann")
        for name in ["Anna", "bob", "Hannah", "Joanna"] {
          try await graph.addUser(name)
        }

        let query = UserQuery(order: .followedFirst, excludedUser: me, limit: 10, viewer: me)
        let found = try graph.read { view in try view.searchUsers("ann", query) }
        for user in found {
          print(user.username, user.isFollowedByViewer == true)  // Anna, Hannah, Joanna: false
        }
      }
    }
    try await Friends.main()
  }

  @Test("Code file 4 of the tutorial compiles and runs")
  func friendSearch4() async throws {
    struct Friends {
      static func main() async throws {
        let graph = SocialGraph()
        let me = try await graph.addUser("ann")
        for name in ["Anna", "bob", "Hannah", "Joanna"] {
          try await graph.addUser(name)
        }

        let query = UserQuery(order: .followedFirst, excludedUser: me, limit: 10, viewer: me)
        let box = SearchSession(graph, .users(query))

        box.type("jo")
        box.type("joa")

        for await rows in box {
          for user in rows {
            print(user.username, user.isFollowedByViewer == true)  // Joanna false
          }
          break
        }
      }
    }
    try await Friends.main()
  }

  @Test("Code file 5 of the tutorial compiles and runs")
  func friendSearch5() async throws {
    struct Friends {
      static func main() async throws {
        let graph = SocialGraph()
        let me = try await graph.addUser("ann")
        for name in ["Anna", "bob", "Hannah", "Joanna"] {
          try await graph.addUser(name)
        }

        let query = UserQuery(order: .followedFirst, excludedUser: me, limit: 10, viewer: me)
        let box = SearchSession(graph, .users(query))

        func pressButton(of user: User) async throws {
          if user.isFollowedByViewer == true {
            try await graph.unfollow(user.id, as: me)
          } else {
            try await graph.follow(user.id, as: me)
          }
        }

        box.type("joa")

        for await rows in box {
          for user in rows {
            print(user.username, user.isFollowedByViewer == true)  // Joanna false, then Joanna true
          }
          if rows.contains(where: { $0.isFollowedByViewer == true }) { break }
          try await pressButton(of: rows[0])
        }
      }
    }
    try await Friends.main()
  }

  @Test("Code file 6 of the tutorial compiles and runs")
  func friendSearch6() async throws {
    @MainActor final class FriendSearch {
      let search: SearchModel<Page<User>>
      private let graph: SocialGraph
      private let me: UserID

      init(_ graph: SocialGraph, me: UserID) {
        (self.graph, self.me) = (graph, me)
        search = SearchModel(graph, .users(UserQuery(order: .followedFirst, excludedUser: me, viewer: me)))
      }

      func pressButton(of user: User) async throws {
        if user.isFollowedByViewer == true {
          try await graph.unfollow(user.id, as: me)
        } else {
          try await graph.follow(user.id, as: me)
        }
      }
    }
  }
}
