import Foundation
import Kith
import Testing

@testable import KithCLI

/// `kith add` and `kith edit`.
@Suite struct ChangeCommandTests {
  private let playground: Playground
  private let store: String

  init() throws {
    playground = try Playground()
    store = playground.path("store")
    try playground.write(
      Array(#"{"relations":[{"name":"reply","from":"post","to":"post","isThread":true}]}"#.utf8), to: "schema.json")
    #expect(try BuiltKith.run("schema", store, playground.path("schema.json")).status == 0)
  }

  private func run(_ words: String..., input: String = "") throws -> BuiltKith.Outcome {
    var words = words
    words.insert(store, at: 1)
    return try BuiltKith.run(words, input: input)
  }

  @Test("Users and posts are added and edited, with what the host keeps") func adding() throws {
    #expect(try run("add", "user", "ann", "--id", "7").output == "added user 7, ann\n")
    #expect(try run("add", "user", "bob", "--display-name", "Bob Berg", "--flags", "3").output == "added user 8, bob\n")
    #expect(try run("add", "post", "snow", "--by", "@ann", "--at", "2026-02-01T00:00:00Z").output == "added post 1\n")
    let reply = try run("add", "post", "more", "--by", "8", "--reply", "1", "--audience", "followers", "--json")
    #expect(reply.output.contains(#""parent":1,"audience":"followers","text":"more""#), "\(reply.output)")
    let words = ["edit", store, "user", "ann", "--username", "anna", "--payload", "-", "--private", "yes"]
    #expect(try BuiltKith.run(words, input: "biography").output == "changed\n")
    #expect(try run("edit", "user", "anna", "--private", "yes").status == 1)
    #expect(try run("edit", "post", "1", "--text", "deep snow", "--json").output.hasPrefix(#"{"changed":true,"#))
    try SocialGraph.open(store, access: .readOnly).read { view in
      let page = try view.searchUsers("")
      let users = try view.adding(ResultDetails(includesPayloads: true), to: page)
      #expect(users.map(\.username) == ["anna", "bob"] && users.map(\.displayName) == [nil, "Bob Berg"])
      #expect(users.map(\.payload) == [Array("biography".utf8), []] && users.map(\.flags) == [0, 3])
      #expect(users.map(\.isPrivate) == [true, false])
      let post = try view.post(1)
      #expect(post.text == "deep snow" && post.createdAt == Timestamp(1_769_904_000_000) && post.editedAt != nil)
    }
    let found = try run("search", "berg")
    #expect(found.lines.last?.split(separator: " ").map(String.init) == ["8", "bob", "Bob", "Berg", "0", "1"])
    #expect(try run("search", "berg", "--usernames").status == 1)
    #expect(try run("search", "", "--flags-none", "1").lines.count == 2)
  }

  @Test(
    "What cannot be done is said, and does nothing",
    arguments: [
      (["user", "ann", "--by", "1"], 2, "--by is not of a user"), (["post", "snow"], 2, "a post needs its author"),
      (["person", "ann"], 2, "user or post is needed"), (["user", "a\nb"], 1, "a username holds no NUL"),
      (["user", "cy", "--display-name", "a\nb"], 1, "a display name holds no NUL"),
      (["post", "snow", "--by", "9"], 1, "no user 9"), (["user", "cy", "--flags", "65536"], 2, "--flags 65536"),
      (["user", "cy", "--payload", "/none"], 2, "/none: cannot be read"),
      (["user", "cy", "--private", "so"], 2, "--private so: yes or no is needed"),
    ])
  func refusals(words: [String], status: Int32, message: String) throws {
    let outcome = try BuiltKith.run(["add", store] + words)
    #expect(outcome.status == status && outcome.errors.contains(message), "\(outcome)")
    #expect(try SocialGraph.open(store, access: .readOnly).read { $0.counts }.users == 0)
  }

  @Test("After an erase no file holds what was edited away") func erasing() throws {
    let secrets = ["q8vZ first name", "w4kX first text", "j7rP first bytes", "y2mB first words"]
    try playground.write(Array(secrets[2].utf8), to: "payload")
    let payload = playground.path("payload")
    _ = try run("add", "user", "ann", "--display-name", secrets[0], "--payload", payload)
    _ = try run("add", "post", secrets[1], "--by", "ann", "--payload", payload)
    #expect(try run("snapshot").status == 0)
    _ = try run("add", "post", secrets[3], "--by", "ann")
    try playground.write([], to: "payload")
    _ = try run("edit", "user", "ann", "--display-name", "other", "--payload", payload)
    _ = try run("edit", "post", "1", "--text", "other", "--payload", payload)
    _ = try run("edit", "post", "2", "--text", "")
    func held() throws -> [String] {
      let files = try playground.contents("store").values
      return secrets.filter { secret in files.contains { Data($0).range(of: Data(secret.utf8)) != nil } }
    }
    #expect(try held() == secrets)
    #expect(try run("snapshot", "--erase").status == 0)
    #expect(try held() == [])
    #expect(try run("verify", "--deep").status == 0)
  }
}
