import Kith
import Testing

// README: friends begin
/// The friend search screen: a search box, a list, a follow button on every row.
@MainActor final class FriendSearch {
  let search: SearchModel<Page<User>>  // `search.text` is the box, `search.results` the rows
  private let graph: SocialGraph, me: UserID

  init(_ graph: SocialGraph, me: UserID) {
    (self.graph, self.me) = (graph, me)
    search = SearchModel(graph, .users(UserQuery(excludedUser: me, viewer: me)))
  }

  func toggleFollow(of user: User) async throws {
    let isFollowed = user.isFollowedByViewer == true
    if isFollowed { try await graph.unfollow(user.id, as: me) } else { try await graph.follow(user.id, as: me) }
  }
}
// README: friends end

@Suite struct FriendSearchTests {
  @Test("The README's friend search lists all users, searches, follows, and stays live")
  @MainActor func screen() async throws {
    let graph = SocialGraph()
    let me = try await graph.addUser("me")
    let ann = try await graph.addUser("Ann")
    try await graph.addUser("Bob")
    let screen = FriendSearch(graph, me: me)
    func shows(_ names: [String]) async { while screen.search.results.map(\.username) != names { await Task.yield() } }
    await shows(["Ann", "Bob"])
    screen.search.text = "a"
    await shows(["Ann"])
    try await screen.toggleFollow(of: screen.search.results[0])
    while screen.search.results[0].isFollowedByViewer != true { await Task.yield() }
    #expect(try graph.read { (view) throws(KithError) in try view.isFollowing(ann, as: me) })
    try await graph.addUser("Hanna")
    await shows(["Ann", "Hanna"])
    screen.search.text = ""
    await shows(["Ann", "Bob", "Hanna"])
  }

  /// A host that finds postcodes: a postcode is a user, named without spaces, and its spelling is in the host's table.
  private struct Postcodes {
    let graph = SocialGraph()
    private var spellings: [UserID: String] = [:]

    static func key(_ postcode: String) -> String { postcode.filter { !$0.isWhitespace } }

    mutating func add(_ postcode: String) throws { spellings[try graph.addUser(Self.key(postcode))] = postcode }

    func find(_ text: String) throws -> [String] {
      try graph.read { view in
        try view.searchUsers(Self.key(text), UserQuery(match: .prefix)).compactMap { spellings[$0.id] }
      }
    }
  }

  @Test("Names without spaces let sw1a1 and SW1 A1 find SW1A 1AA")
  func postcodes() throws {
    var postcodes = Postcodes()
    for postcode in ["SW1A 1AA", "SW1A 2AA", "SW1W 0NY", "EC1A 1BB"] { try postcodes.add(postcode) }
    #expect(try postcodes.find("sw1a1") == ["SW1A 1AA"])
    #expect(try postcodes.find("SW1 A1") == ["SW1A 1AA"])
    #expect(try postcodes.find("sw1a") == ["SW1A 1AA", "SW1A 2AA"])
    #expect(try postcodes.find("1aa").isEmpty)
  }
}
