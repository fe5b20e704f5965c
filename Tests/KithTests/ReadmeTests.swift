import Foundation
import Kith
import Testing

/// The code of the README compiles, runs and prints what it says.
@Suite("README") struct ReadmeTests {
  @Test("Its fifteen lines of Swift run and print what they say")
  func code() throws {
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // README: begin
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    let bob = try graph.addUser("Bobby")
    try graph.follow(ann, bob)
    let hello = try graph.addPost(by: bob, "hello, world")
    try graph.like(ann, hello)
    try graph.read { view in
      for user in try view.searchUsers("OBB", UserSearch(viewer: ann, excluding: ann)) {
        print("\(user.username), followed: \(user.following == true)")  // Bobby, followed: true
      }
      for post in try view.timeline(of: ann, TimelineOptions(limit: 10)) {
        print("\(post.author.username): \(post.text) (\(post.likeCount))")  // Bobby: hello, world (1)
      }
    }
    // README: end
    #expect(printed == ["Bobby, followed: true", "Bobby: hello, world (1)"])
  }

  @Test("The README shows exactly the code that is tested here")
  func sameCode() throws {
    let tested = try #require(Repository.file(at: "Tests/KithTests/ReadmeTests.swift")).lines
    let begin = try #require(tested.firstIndex { $0.hasSuffix("// README: begin") })
    let end = try #require(tested.firstIndex { $0.hasSuffix("// README: end") })
    let code = tested[(begin + 1)..<end].map { String($0.dropFirst(4)) }

    let readme = try #require(Repository.file(at: "README.md")).lines
    let fence = try #require(readme.firstIndex(of: "```swift"), "README.md has no block of Swift")
    let shown = readme[(fence + 1)...].prefix { $0 != "```" }.map(String.init)
    #expect(shown == ["import Kith", ""] + code, "copy the code between the marks into README.md, or back")

    let friends = try #require(Repository.file(at: "Tests/KithTests/Live/FriendSearchTests.swift")).lines
    let screen = friends.drop { $0 != "// README: friends begin" }.dropFirst().prefix { $0 != "// README: friends end" }
    #expect(screen.count > 20)
    #expect(readme.joined(separator: "\n").contains(screen.joined(separator: "\n")), "copy the screen into README.md")
  }
}
