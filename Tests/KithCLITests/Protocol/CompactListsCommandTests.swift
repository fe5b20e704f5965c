import Testing

@testable import Kith
@testable import KithCLI

/// `--compact-lists`.
@Suite struct CompactListsCommandTests {
  @Test("With compact lists commands answer the same, and follows and likes take fewer bytes") func answers() throws {
    let playground = try Playground()
    let store = playground.path("store")
    let sizes = ["--users", "2000", "--follows", "60000", "--posts", "4000", "--likes", "8000"]
    #expect(try BuiltKith.run(["seed", store] + sizes + ["--compact-lists"]).status == 0)
    let requests = [
      #"{"op":"timeline","user":42}"#, #"{"op":"followers","user":1}"#, #"{"op":"suggestions","user":7}"#,
      #"{"op":"distance","user":5,"target":900}"#,
    ]
    let words = ["query", store, "--read-only"]
    let answers = try [words, words + ["--compact-lists"]].map { words in
      try BuiltKith.run(words, input: requests.map { $0 + "\n" }.joined())
    }
    #expect(answers[0].status == 0 && answers[0].lines.count == 4 && answers[0].output == answers[1].output)
    let (plain, compact) = (
      try SocialGraph.open(store, access: .readOnly).read { $0.memoryReport() },
      try SocialGraph.open(store, access: .readOnly, options: SocialGraph.Options { $0.compactLists = true })
        .read { $0.memoryReport() }
    )
    for (one, other) in zip(plain.units, compact.units) where ["follow", "like"].contains(one.name) {
      #expect(other.byteCount * 10 < one.byteCount * 7, "\(one) and \(other)")
    }
    let stats = ["stats", store, "--json"]
    #expect(try BuiltKith.run(stats).output != BuiltKith.run(stats + ["--compact-lists"]).output)
  }

  @Test("Requests change a store with compact lists, and the next process reads it without") func changes() throws {
    let playground = try Playground()
    let store = playground.path("store")
    let requests = [
      #"{"op":"addUser","username":"ann"}"#, #"{"op":"addUser","username":"bob"}"#,
      #"{"op":"follow","user":1,"target":2}"#, #"{"op":"follow","user":2,"target":1}"#,
      #"{"op":"unfollow","user":2,"target":1}"#,
    ]
    let changed = try BuiltKith.run(
      ["query", store, "--compact-lists"], input: requests.map { $0 + "\n" }.joined())
    #expect(changed.status == 0 && changed.lines.count == 5, "\(changed)")
    let graph = try SocialGraph.open(store, access: .readOnly)
    #expect(try graph.read { try $0.isFollowing(2, as: 1) } && graph.read { $0.counts.follows } == 1)
  }

  @Test("A live answer is the same with compact lists and compressed texts, which changes do not take")
  func watched() throws {
    let playground = try Playground()
    let store = playground.path("store")
    let sizes = ["--users", "500", "--follows", "5000", "--posts", "1000", "--likes", "500"]
    #expect(try BuiltKith.run(["seed", store] + sizes).status == 0)
    let words = ["watch", store, "timeline", "42", "--count", "1"]
    let forms = ["--compact-lists", "--compress-texts"]
    let (plain, compact) = (try BuiltKith.run(words), try BuiltKith.run(words + forms))
    #expect(plain.status == 0 && plain.lines.count == 1 && plain.output == compact.output, "\(compact)")
    for forms in [forms, [forms[0]], [forms[1]]] {
      let refused = try BuiltKith.run(["watch", store, "changes", "--count", "1"] + forms)
      #expect(refused.status == 2 && refused.errors.contains(forms[0]), "\(refused)")
    }
  }
}
