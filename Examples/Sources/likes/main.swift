// Like buttons with live labels: a label changes with every like of its post, by any user.
//
//     swift run likes [STORE NAME]
//
// "2" presses my button under post 2, "2 bob" bob's.
import Kith
import Shared

let (graph, me) = try await Sample.open()
let ids = try graph.read { try $0.timeline(of: me, TimelineQuery(limit: 3)).map(\.id) }

/// The next button that is pressed; nil at the end of the input.
func nextPress() -> (post: PostID, user: UserID)? {
  while let words = readLine()?.split(separator: " ") {
    let user: UserID? = words.count > 1 ? graph.read { $0.findUser(named: String(words[1])) } : me
    if let user, let number = words.first.flatMap({ Int($0) }), ids.indices.contains(number - 1) {
      return (ids[number - 1], user)
    }
    print("the number of a post, and perhaps a name: 2 bob")
  }
  return nil
}

// The query runs again when one of these posts changes, and after no other change.
for try await posts in graph.values(of: .posts(ids, as: me)) {
  for case (let number, let post?) in zip(1..., posts) {
    let heart = post.isLikedByViewer == true ? "♥" : "♡"
    print("\(number) \(heart) \(post.likeCount) \(post.author.username): \(post.text)")
  }
  guard let (post, user) = nextPress() else { break }
  if try !graph.like(post, as: user) { try graph.unlike(post, as: user) }
}
graph.printLatencies()
try graph.close()
