import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// `--unique-names loose`, and stores of older releases in which two users have one name.
@Suite struct UniqueNamesCommandTests {
  private let playground: Playground
  private let store: String

  init() throws {
    playground = try Playground()
    store = playground.path("store")
  }

  private func code(_ line: String) -> String? {
    line.split(separator: "\"code\":\"").dropFirst().first?.split(separator: "\"").first.map(String.init)
  }

  @Test("kith query keeps names unique by loose key, in a store and in memory") func query() throws {
    let requests =
      ["Ann", "ANN", "bob"].map { #"{"op":"addUser","username":"\#($0)"}"# } + [
        #"{"op":"renameUser","user":2,"username":"änn"}"#, #"{"op":"renameUser","user":1,"username":"ANN"}"#,
      ]
    for place in [store, "--memory"] {
      let outcome = try BuiltKith.run(
        ["query", place, "--unique-names", "loose"], input: requests.map { $0 + "\n" }.joined())
      #expect(outcome.lines.map(code) == [nil, "usernameTaken", nil, "usernameTaken", nil], "\(outcome)")
    }
    // The option is not stored. Without it, a second user is accepted; with it, the store is then refused with both
    // users.
    #expect(try BuiltKith.run("query", store, input: requests[0]).output.contains(#""ok":true"#))
    for words in [["query", store], ["query", store, "--read-only"]] {
      let refused = try BuiltKith.run(words + ["--unique-names=loose"])
      #expect(refused.status == 2 && refused.output.isEmpty, "\(refused)")
      #expect(refused.errors.contains("users 1 and 3 have names with the same loose key"), "\(refused)")
    }
    #expect(try BuiltKith.run("query", store, "--unique-names", "exact").status == 0)
    #expect(try BuiltKith.run("query", store, "--unique-names", "Loose").errors.contains("exact or loose is needed"))
  }

  @Test("Every face finds a user by loose key where names are unique by it") func lookup() throws {
    let ann = #"{"username":"ÁNN"}"#
    let requests = [
      #"{"op":"addUser","username":"Ann"}"#, #"{"op":"addUser","username":"O’Neil"}"#, #"{"op":"user","user":\#(ann)}"#,
      #"{"op":"follow","user":\#(ann),"target":{"username":"o'neil"}}"#,
      #"{"op":"lookup","users":[{"username":"ann"},{"username":"oneil"}]}"#,
      #"{"op":"batch","changes":[{"op":"renameUser","user":\#(ann),"username":"Bob"},"#
        + #"{"op":"mute","user":{"username":"BÖB"},"target":2}]}"#,
      #"{"op":"users","as":{"username":"bob"},"query":"neil"}"#,
    ].map { $0 + "\n" }.joined()
    let loosely = ["--unique-names", "loose"]
    for place in [store, "--memory"] {
      let outcome = try BuiltKith.run(["query", place] + loosely, input: requests)
      #expect(outcome.lines.count == 7 && outcome.lines.allSatisfy { $0.contains(#""ok":true"#) }, "\(outcome)")
      #expect(outcome.lines[4].hasSuffix(#",null],"posts":[]}"#) && outcome.lines[6].contains(#""following":true"#))
      #expect(try BuiltKith.run(["query", "--memory"], input: requests).lines[2].contains("unknownUser"))
    }
    let readOnly = try BuiltKith.run(
      ["query", store, "--read-only"] + loosely, input: #"{"op":"user","user":{"username":"BOB"}}"#)
    #expect(readOnly.output.contains(#""id":1"#), "\(readOnly)")
    for words in [["user", store, "BÖB"], ["followees", store, "BÖB"], ["suggest", store, "BÖB", "--json"]] {
      #expect(try BuiltKith.run(words + loosely).errors.isEmpty, "\(words)")
      #expect(try BuiltKith.run(words).errors.contains("no user named"), "\(words)")
    }
    let path = try BuiltKith.run(["path", store, "BÖB", "O'NEIL", "--json"] + loosely)
    #expect(path.status == 0, "\(path)")
    let search = try BuiltKith.run(["search", store, "neil", "--as", "BÖB", "--json"] + loosely)
    #expect(search.output.contains(#""following":true"#), "\(search)")
    let watch = try BuiltKith.run(["watch", store, "user", "BÖB", "--count", "1"] + loosely)
    #expect(watch.output.contains(#""username":"Bob""#), "\(watch)")
  }

  @Test("An import counts rows whose name is taken by loose key") func imported() throws {
    try playground.write(Array("1\tann\n2\tÄnn\n3\tbob\n".utf8), to: "users.tsv")
    let words = ["import", store, "--users", playground.path("users.tsv"), "--json", "--unique-names", "loose"]
    let outcome = try BuiltKith.run(words)
    #expect(outcome.status == 0 && outcome.errors.contains("1 row was rejected"), "\(outcome)")
    #expect(outcome.output.contains(#""skipped":{"usernameTaken":1}"#), "\(outcome)")
    #expect(try SocialGraph.open(store, access: .readOnly).read { $0.counts.users } == 2)
  }

  @Test("A seeded network can have names that are unique by loose key") func seeded() throws {
    let words = ["seed", store, "--users", "11000", "--follows", "0", "--posts", "0", "--likes", "0"]
    #expect(try BuiltKith.run(words + ["--unique-names", "loose"]).status == 0)
    let graph = try SocialGraph.open(store, access: .readOnly, options: SocialGraph.Options { $0.uniqueNames = .loose })
    #expect(graph.read { $0.counts.users } == 11_000)
    let plain = SocialGraph()
    let network = SeededNetwork(userCount: 11_000, followCount: 0, postCount: 0, likeCount: 0, seed: 1)
    try SeedCommand.fill(plain, with: network)
    var keys: Set<[UInt8]> = []
    for id in Int64(1)...11_000 { keys.insert(Folding.loose(try plain.read { try $0.user(UserID(id)).username })) }
    #expect(keys.count < 11_000, "without it they are not")
  }

  @Test("Opening a store and verify --deep report two users of one name") func shared() throws {
    var state = GraphState()
    for (id, name) in [(7, "\u{212A}"), (3, "K")] as [(UserID, String)] {
      _ = try state.apply(.addUser(id: id, username: name), replaying: true)
    }
    _ = try StoreTools.makeStore(at: store, of: state)
    let remark = "users whose names are the same after NFC, of whom a name finds the lower id: 3 and 7"
    let outcome = try BuiltKith.run("user", store, "K", "--json")
    #expect(outcome.status == 0 && outcome.output.contains(#""id":3"#) && outcome.errors.contains(remark), "\(outcome)")
    let deep = try BuiltKith.run("verify", store, "--deep")
    #expect(deep.status == 0 && deep.errors.contains(remark), "\(deep)")
    let snapshot = try #require(try playground.names("store").first { $0.hasPrefix("snap-") })
    let file = try BuiltKith.run("verify", "\(store)/\(snapshot)", "--deep", "--json")
    #expect(file.status == 0 && file.output.contains(remark), "\(file)")
    let restored = playground.path("restored")
    #expect(try BuiltKith.run("restore", store, restored).status == 0)
    #expect(
      try BuiltKith.run("query", restored, input: #"{"op":"renameUser","user":3,"username":"k3"}"#).errors.contains(
        remark))
    let alone = try BuiltKith.run("user", restored, "K", "--json")
    #expect(alone.output.contains(#""id":7"#) && alone.errors.isEmpty, "\(alone)")
  }
}
