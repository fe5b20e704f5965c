import Kith
import Testing

// Made from Sources/Kith/Kith.docc/SearchAsPeopleType.md by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
extension ArticleSnippets {
  @Test("The snippets of SearchAsPeopleType compile and run")
  func searchAsPeopleType() async throws {
    let graph = SocialGraph()
    for name in ["Ann", "Anna", "Hannah", "Bob", "Zoë"] { try await graph.addUser(name) }
    let me = try await graph.addUser("me")

    let anywhere = try graph.read { try $0.searchUsers("ann").map(\.username) }
    precondition(anywhere == ["Ann", "Anna", "Hannah"])
    let starts = try graph.read { try $0.searchUsers("ann", UserQuery(match: .prefix)).map(\.username) }
    precondition(starts == ["Ann", "Anna"])
    let accents = try graph.read { try $0.searchUsers("zoe").map(\.username) }
    precondition(accents == ["Zoë"])

    for name in ["Bonnie O’Neil", "Marie–Luc", "שָׁלוֹם", "ガラス", "カラス"] { try await graph.addUser(name) }
    let written = try graph.read { view in
      try ["o'neil", "marie-luc", "שלום", "ガラス"].map { try view.searchUsers($0).map(\.username) }
    }
    precondition(written == [["Bonnie O’Neil"], ["Marie–Luc"], ["שָׁלוֹם"], ["ガラス"]])

    let typo = try graph.read { try $0.searchUsers("hanah", UserQuery(match: .fuzzy)).map(\.username) }
    precondition(typo == ["Hannah"])

    let query = UserQuery(
      order: .followedFirst, excludedUser: me, countsMatches: true, includesHighlights: true, limit: 10, viewer: me)
    let page = try graph.read { try $0.searchUsers("an", query) }
    precondition(page.total == 3)

    let session = SearchSession(graph, .users(UserQuery(viewer: me)), debounce: .milliseconds(1))
    session.type("han")
    for await results in session where results.query == "han" {
      precondition(results.map(\.username) == ["Hannah"])
      break
    }
    session.end()

    let bob = graph.read { $0.findUser(named: "Bob") }!
    try await graph.addPost("Two things are infinite", by: bob)
    let found = try graph.read { try $0.searchPosts("INFINITE bob").map(\.text) }
    precondition(found == ["Two things are infinite"])
  }
}
