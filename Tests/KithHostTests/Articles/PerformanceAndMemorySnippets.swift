import Kith
import Testing

// Made from Sources/Kith/Kith.docc/PerformanceAndMemory.md by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
extension ArticleSnippets {
  @Test("The snippets of PerformanceAndMemory compile and run")
  func performanceAndMemory() async throws {
    let graph = SocialGraph()
    let users = try await graph.batch { batch in
      try (0..<1_000).map { try batch.addUser("user \($0)") }
    }
    try await graph.batch { batch in
      for index in 1..<users.count { try batch.follow(users[index - 1], as: users[index]) }
    }

    let pin = graph.pin()
    let rank = try pin.pageRank()
    let top = rank.top(3, in: pin.view)
    precondition(top.count == 3)
    let degrees = try GraphPass(pin).map(0) { view, row in view.followeeCount(at: row) }
    precondition(degrees.reduce(0, +) == 999)
  }
}
