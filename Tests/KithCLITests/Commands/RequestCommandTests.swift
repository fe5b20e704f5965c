import Foundation
import Testing

@testable import KithCLI

/// The commands that answer one request: `posts`, `timeline`, `followers`, `followees`, `likes`, `likers`, `stats`.
@Suite struct RequestCommandTests {
  private let playground: Playground
  private let store: String

  /// Four users: 2, 3 and 4 follow 1. Posts 1 to 5 by user 1, a day apart from 2026-02-01 on. All like post 1.
  init() throws {
    playground = try Playground()
    store = playground.path("store")
    var requests = ["ann", "bob", "cy", "dee"].enumerated().map {
      #"{"op":"addUser","id":\#($0 + 1),"username":"\#($1)"}"#
    }
    for user in 2...4 { requests.append(#"{"op":"follow","user":\#(user),"target":1,"at":\#(user * 1_000)}"#) }
    for post in 1...5 {
      let time = 1_769_904_000_000 + Int64(post - 1) * 86_400_000
      requests.append(#"{"op":"addPost","user":1,"id":\#(post),"text":"snow \#(post)","createdAt":\#(time)}"#)
    }
    for user in 2...4 { requests.append(#"{"op":"like","user":\#(user),"post":1,"at":\#(user * 1_000)}"#) }
    requests.append(#"{"op":"like","user":2,"post":3,"at":9000}"#)
    let outcome = try BuiltKith.run("query", store, input: requests.joined(separator: "\n"))
    #expect(outcome.lines.count == requests.count && outcome.lines.allSatisfy { $0.hasPrefix(#"{"ok":true"#) })
  }

  private func json(_ words: [String]) throws -> [String: Any] {
    let outcome = try BuiltKith.run(words + ["--json"])
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
  }

  private func ids(_ page: [String: Any]) -> [Int] {
    ((page["users"] ?? page["posts"]) as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
  }

  @Test(
    "Following the cursor shows every element once, in the order of a long page",
    arguments: [
      (["followers", "ann"], [4, 3, 2]), (["followees", "bob"], [1]), (["likers", "1"], [2, 3, 4]),
      (["likes", "bob"], [3, 1]), (["posts", "snow"], [5, 4, 3, 2, 1]), (["timeline", "cy"], [5, 4, 3, 2, 1]),
      (["search", ""], [1, 2, 3, 4]), (["followers", "ann", "--order", "name"], [2, 3, 4]),
    ])
  func pages(words: [String], expected: [Int]) throws {
    let words = [words[0], store] + words.dropFirst()
    #expect(ids(try json(words)) == expected)
    var (found, cursor): ([Int], [String]) = ([], [])
    for _ in 0...expected.count {
      let page = try json(words + ["--limit", "2"] + cursor)
      found += ids(page)
      guard let next = page["next"] as? String else { break }
      let text = try BuiltKith.run(words + ["--limit", "2"] + cursor).output
      #expect(text.hasSuffix(": --cursor \(next)\n"), "\(text)")
      cursor = ["--cursor", next]
    }
    #expect(found == expected)
  }

  @Test("Times bound posts exclusively; one without a fraction means its whole second")
  func times() throws {
    for command in [["posts", store, ""], ["timeline", store, "bob"]] {
      func found(_ options: String...) throws -> [Int] { ids(try json(command + options)) }
      #expect(try found("--before", "2026-02-03T00:00:00Z") == [2, 1])
      #expect(try found("--after", "2026-02-03 00:00:00") == [5, 4])
      #expect(try found("--after", "1769990400000", "--before", "2026-02-03T00:00:01Z") == [3])
      #expect(try BuiltKith.run(command + ["--after", "soon"]).status == 2)
    }
    #expect(ids(try json(["timeline", store, "bob", "--newer", "--limit", "2"])) == [2, 1])
  }

  @Test("A search for posts can be narrowed to an author, to followees, and to exact letters")
  func narrowed() throws {
    func found(_ options: String...) throws -> [Int] { ids(try json(["posts", store, "SNOW"] + options)) }
    #expect(try found("--by", "ann").count == 5)
    #expect(try found("--by", "bob") == [])
    #expect(try found("--followed", "--as", "bob").count == 5)
    #expect(try found("--followed", "--as", "ann") == [])
    #expect(try BuiltKith.run("posts", store, "rain").status == 1)
    #expect(try BuiltKith.run("followers", store, "bob").status == 0)
    let refused = try BuiltKith.run("posts", store, "snow", "--followed")
    #expect(refused.status == 2 && refused.errors.contains("--followed needs --as USER"), "\(refused.errors)")
  }

  @Test("Lists show times and the viewer's follows; stats shows counts and bytes")
  func texts() throws {
    let likers = try BuiltKith.run("likers", store, "1", "--as", "bob").output
    #expect(likers.contains("since (UTC)") && likers.contains("1970-01-01 00:00:04"), "\(likers)")
    #expect(try BuiltKith.run("likers", store, "99").status == 1)
    #expect(try BuiltKith.run("likers", store, "x").status == 2)
    #expect(try BuiltKith.run("followers", store, "eve").status == 1)
    #expect(try BuiltKith.run("followers", store, "ann", "--order", "age").status == 2)
    #expect(try BuiltKith.run("followers", store, "ann", "--limit", "0").status == 2)
    #expect(try BuiltKith.run("followers", store, "ann", "--cursor", "rubbish").errors.contains("cursor"))
    let stats = try BuiltKith.run("stats", store).output
    #expect(stats.hasPrefix("4 users, 3 follows, 5 posts, 4 likes\n  sequence 16\n  memory "), "\(stats)")
    #expect(try json(["stats", store])["posts"] as? Int == 5)
  }

  @Test("A snapshot on standard input can be read by every command that queries a store")
  func stream() throws {
    let file = playground.path("backup")
    #expect(try BuiltKith.run("snapshot", store, "--to", file).status == 0)
    for words in [
      ["followers", "-", "ann"], ["stats", "-"], ["search", "-", "ann"], ["rank", "-"], ["user", "-", "1"],
    ] {
      let (process, _, output) = try BuiltKith.process(words + ["--json"])
      process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      try process.run()
      let bytes = try output.readToEnd() ?? Data()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      let stored = try BuiltKith.run([words[0], store] + words.dropFirst(2) + ["--json"]).output
      if words[0] != "stats" { #expect(String(decoding: bytes, as: UTF8.self) == stored) }
    }
    #expect(try BuiltKith.run("stats", "-", input: "no snapshot").status == 2)
  }
}
