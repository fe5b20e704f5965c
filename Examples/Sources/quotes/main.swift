// Live text search over quotes: every word of the box must be in the quote or in its author's name.
//
//     swift run quotes [FILE]
//
// FILE is in the format of Debian's fortunes, such as /usr/share/games/fortunes/literature. A line is the new text of
// the box.
import Foundation
import Kith
import Shared

/// A quote ends at a line `%`. Its last line names the author: `-- Mark Twain, "Notebook"`.
func quote(_ entry: some StringProtocol) -> (text: String, author: String) {
  guard let dash = entry.range(of: "-- ", options: .backwards) else { return (String(entry), "unknown") }
  let author = entry[dash.upperBound...].prefix { $0 != "," && $0 != "\n" }
  return (entry[..<dash.lowerBound].trimmingCharacters(in: .whitespacesAndNewlines), String(author))
}

func load(_ path: String, into graph: SocialGraph) async throws {
  let entries = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n%\n")
  let quotes = entries.filter { !$0.isEmpty }.map(quote)
  let batchCount = SocialGraph.Limits.batchCount / 2  // a quote is one change or two
  for start in stride(from: 0, to: quotes.count, by: batchCount) {
    try await graph.batch { batch in
      for (text, name) in quotes.dropFirst(start).prefix(batchCount) {
        let author = try batch.findUser(named: name) ?? batch.addUser(name)
        try batch.addPost(text, by: author)
      }
    }
  }
}

/// The text with the words found in brackets. Highlights are offsets in UTF-8.
func highlighted(_ text: String, _ ranges: [Range<Int>]) -> String {
  var bytes = Array(text.utf8)
  for range in ranges.reversed() {
    bytes.insert(UInt8(ascii: "]"), at: range.upperBound)
    bytes.insert(UInt8(ascii: "["), at: range.lowerBound)
  }
  return String(decoding: bytes, as: UTF8.self)
}

let graph = SocialGraph(options: .example)
try await load(CommandLine.arguments.dropFirst().first ?? Sample.path("quotes"), into: graph)
let box = SearchSession(graph, .posts(PostQuery(includesHighlights: true, limit: 3)))
for await results in box {
  print("[\(results.query)]")
  for (post, ranges) in zip(results, results.value?.highlights ?? []) {
    print("\(highlighted(post.text, ranges))\n    -- \(post.author.username)")
  }
  guard let text = nextText(after: results.query) else { break }
  box.type(text)
}
graph.printLatencies()
