import Foundation
import Kith
import Testing

/// The code of the README compiles, runs and prints what it says.
@Suite struct ReadmeTests {
  @Test("The example runs and prints what the README says")
  func code() throws {
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // README: begin
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    let bob = try graph.addUser("Bobby")
    try graph.follow(bob, as: ann)
    let hello = try graph.addPost("hello, world", by: bob)
    try graph.like(hello, as: ann)
    try graph.read { view in
      for user in try view.searchUsers("OBB", UserQuery(excludedUser: ann, viewer: ann)) {
        print("\(user.username), followed: \(user.isFollowedByViewer == true)")  // Bobby, followed: true
      }
      for post in try view.timeline(of: ann, TimelineQuery(limit: 10)) {
        print("\(post.author.username): \(post.text) (\(post.likeCount))")  // Bobby: hello, world (1)
      }
    }
    // README: end
    #expect(printed == ["Bobby, followed: true", "Bobby: hello, world (1)"])
  }

  @Test("The README shows exactly the tested code")
  func sameCode() throws {
    let tested = try #require(Repository.file(at: "Tests/KithTests/Engine/ReadmeTests.swift")).lines
    let begin = try #require(tested.firstIndex { $0.hasSuffix("// README: begin") })
    let end = try #require(tested.firstIndex { $0.hasSuffix("// README: end") })
    let code = tested[(begin + 1)..<end].map { String($0.dropFirst(4)) }

    let readme = try #require(Repository.file(at: "README.md")).lines
    let fence = try #require(readme.firstIndex(of: "```swift"), "README.md has no block of Swift")
    let shown = readme[(fence + 1)...].prefix { $0 != "```" }.map(String.init)
    #expect(shown == ["import Kith", ""] + code, "copy the code between the marks into README.md, or back")

    let friends = try #require(Repository.file(at: "Tests/KithTests/Live/FriendSearchTests.swift")).lines
    let screen = friends.drop { $0 != "// README: friends begin" }.dropFirst().prefix { $0 != "// README: friends end" }
    #expect((10...15).contains(screen.count))
    #expect(readme.joined(separator: "\n").contains(screen.joined(separator: "\n")), "copy the screen into README.md")
  }

  @Test("The README is short, and its figures are those of the page on performance")
  func figures() throws {
    let readme = try #require(Repository.file(at: "README.md")).lines
    #expect(readme.count <= 151, "at most 150 lines and the end of the last")
    let begin = try #require(readme.firstIndex { $0.hasPrefix("<!-- figures:") })
    let end = try #require(readme.firstIndex(of: "<!-- end of figures -->"))
    let rows = readme[(begin + 3)..<end].map { $0.dropLast(2) }
    #expect((1...6).contains(rows.count))
    let page = try #require(Repository.file(at: "Benchmarks/PERFORMANCE.md")).lines
    for row in rows {
      #expect(page.contains { $0.hasPrefix(row) }, "run Scripts/measure performance, which writes both: \(row)")
    }
  }
}
