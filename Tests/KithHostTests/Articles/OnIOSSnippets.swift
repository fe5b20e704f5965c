import Kith
import Testing

// Made from Sources/Kith/Kith.docc/OnIOS.md by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
extension ArticleSnippets {
  @Test("The snippets of OnIOS compile and run")
  func onIOS() async throws {
    /// The graph of an app, and what the app's life asks of it.
    final class Library {
      private let path: String
      private(set) var graph: SocialGraph

      init(_ path: String) throws {
        self.path = path
        graph = try SocialGraph.open(path)
      }

      func enterBackground() { try? graph.suspend() }

      func enterForeground() throws {
        do {
          try graph.resume()
        } catch KithError.invalidRequest(.changedWhileSuspended) {
          // An extension wrote meanwhile: what it wrote is in the files alone.
          try graph.close()
          graph = try SocialGraph.open(path)
        }
      }
    }

    let library = try Library(path)
    try await library.graph.addUser("ann")
    library.enterBackground()
    try library.enterForeground()
    try await library.graph.addUser("bob")
    try await library.graph.close()
  }
}
