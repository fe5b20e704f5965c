// Friend search: a search box, a list, and a follow button on every row.
//
//     swift run friends [STORE NAME]
//
// A line is the new text of the box; +2 presses the button of row 2.
import Kith
import Shared

let (graph, me) = try await Sample.open()
let box = SearchSession(graph, .users(UserQuery(order: .followedFirst, excludedUser: me, limit: 5, viewer: me)))

func show(_ rows: SearchResults<Page<User>>) {
  print("[\(rows.query)]")
  for (number, user) in zip(1..., rows) {
    let button = user.isFollowedByViewer == true ? "following" : "follow"
    print("  \(number) \(user.username), followers: \(user.followerCount) (\(button))")
  }
  if let error = rows.error { print("  \(error)") }
}

func pressButton(of user: User) async throws {
  if user.isFollowedByViewer == true {
    try await graph.unfollow(user.id, as: me)
  } else {
    try await graph.follow(user.id, as: me)
  }
}

// A change of the text or of a row gives new results, and nothing else does.
for await rows in box {
  show(rows)
  guard let line = nextText(after: rows.query) else { break }
  if line.hasPrefix("+"), let row = Int(line), rows.indices.contains(row - 1) {
    try await pressButton(of: rows[row - 1])
  } else {
    box.type(line)
  }
}
graph.printLatencies()
try graph.close()
