import Kith
import Testing

// README: friends begin
/// The friend search screen: a search box, a list, a follow button on every row.
@MainActor final class FriendSearch {
  private(set) var rows: [User] = []
  private let graph: SocialGraph
  private let me: UserID
  private let session: SearchSession

  init(_ graph: SocialGraph, me: UserID) {
    (self.graph, self.me) = (graph, me)
    session = SearchSession(graph, UserSearch(viewer: me, excluding: me))
  }

  func type(_ text: String) { session.type(text) }  // with every keystroke

  func toggleFollow(of user: User) throws {
    if user.following == true { try graph.unfollow(me, user.id) } else { try graph.follow(me, user.id) }
  }

  func run() async {  // for as long as the screen is shown
    for await results in session { rows = results.users }
  }
}
// README: friends end

@Suite struct FriendSearchTests {
  @Test("The friend search screen of the README shows everybody, finds, follows, and stays live")
  @MainActor func screen() async throws {
    let graph = SocialGraph()
    let me = try graph.addUser("me")
    let ann = try graph.addUser("Ann")
    try graph.addUser("Bob")
    let screen = FriendSearch(graph, me: me)
    let running = Task { await screen.run() }
    func shows(_ names: [String]) async { while screen.rows.map(\.username) != names { await Task.yield() } }
    await shows(["Ann", "Bob"])
    screen.type("a")
    await shows(["Ann"])
    try screen.toggleFollow(of: screen.rows[0])
    while screen.rows[0].following != true { await Task.yield() }
    #expect(try graph.read { (view) throws(KithError) in try view.isFollowing(me, ann) })
    try graph.addUser("Hanna")
    await shows(["Ann", "Hanna"])
    screen.type("")
    await shows(["Ann", "Bob", "Hanna"])
    running.cancel()
    await running.value
  }
}
