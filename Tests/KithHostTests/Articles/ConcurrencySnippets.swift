import Kith
import Testing

// Made from Sources/Kith/Kith.docc/Concurrency.md by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
extension ArticleSnippets {
  @Test("The snippets of Concurrency compile and run")
  func concurrency() async throws {
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")

    func command() throws {
      try graph.renameUser(ann, to: "Ann")  // synchronous: this function is not async
    }
    try command()

    let control = PassControl()
    let pin = graph.pin()
    let work = Task.detached { try pin.pageRank(control: control) }
    control.cancel()
    do { _ = try await work.value } catch KithError.cancelled { print("cancelled") }
  }
}
