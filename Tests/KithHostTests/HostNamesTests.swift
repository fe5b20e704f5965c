import HostModels
import Kith
import Testing

/// What the app calls a post, nested: the nearest name is its own.
private enum Screen {
  struct Cursor: Equatable { var row: Int }
  struct Options { var isCompact = false }

  static func start() -> (Cursor, Options) { (Cursor(row: 0), Options()) }
}

/// A host that has its own `User`, in a module and in a file.
@Suite struct HostNamesTests {
  @Test("A host's own User and Post are used beside those of Kith, qualified by module")
  func modules() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    let hello = try graph.addPost("hello", by: ann)
    let (user, post) = try graph.read { (view) throws(KithError) in (try view.user(ann), try view.post(hello)) }
    let shown: [(stored: Kith.User, own: HostModels.User)] = [(user, HostModels.User(displayName: user.username))]
    let headline: (Kith.Post) -> HostModels.Post = { HostModels.Post(headline: $0.text) }
    #expect(shown.map(\.own.displayName) == ["ann"])
    #expect(headline(post) == HostModels.Post(headline: "hello"))
  }

  @Test("Names that a host declares itself win over those of Kith")
  func ownNames() {
    let (cursor, options) = Screen.start()
    #expect(cursor == Screen.Cursor(row: 0))
    #expect(!options.isCompact)
    #expect(Kith.Cursor("a").text == "a")
  }
}
