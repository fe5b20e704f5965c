// Autocomplete of postcodes. Spaces do not count: "sw1a1" finds SW1A 1AA.
//
//     swift run postcodes [FILE]
//
// FILE has a postcode a line. A line of input is typed letter by letter; only its whole text is searched, once it has
// not changed for 50 milliseconds.
import Kith
import Shared

/// What is searched. The host keeps the spelling.
func key(of postcode: String) -> String { postcode.filter { !$0.isWhitespace } }

let postcodes = try Sample.lines(of: CommandLine.arguments.dropFirst().first ?? Sample.path("postcodes"))
let graph = SocialGraph(options: .example)
var spellings: [UserID: String] = [:]
for start in stride(from: 0, to: postcodes.count, by: SocialGraph.Limits.batchCount) {
  let part = postcodes.dropFirst(start).prefix(SocialGraph.Limits.batchCount)
  let keys = part.map(key)
  let ids = try graph.batch { batch in try keys.map { try batch.addUser($0) } }
  for (id, postcode) in zip(ids, part) { spellings[id] = postcode }
}

let box = SearchSession(graph, .users(UserQuery(match: .prefix, limit: 5)), debounce: .milliseconds(50))
for await results in box {
  print("[\(results.query)] \(results.compactMap { spellings[$0.id] }.joined(separator: ", "))")
  guard let text = nextText(after: results.query, key) else { break }
  box.type("")
  for end in text.indices { box.type(String(text[...end])) }
}
graph.printLatencies()
