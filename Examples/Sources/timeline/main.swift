// A home timeline that does not jump: older posts page by page, and a badge that counts new posts until you want them.
//
//     swift run timeline [STORE NAME]
//
// "more" lists older posts, "new" lists the new ones, and "bob: TEXT" posts as bob.
import Kith
import Shared

let (graph, me) = try await Sample.open()

func page(_ direction: TimelineQuery.Direction, from cursor: Cursor? = nil) throws -> Page<Post> {
  let page = try graph.read { try $0.timeline(of: me, TimelineQuery(direction: direction, limit: 4, cursor: cursor)) }
  for post in page { print("  \(post.author.username): \(post.text)") }
  return page
}

/// The author and the text of "bob: TEXT", if the post will be in my timeline.
func post(_ line: String) throws -> (author: UserID, text: String)? {
  let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
  guard parts.count == 2, let author = graph.read({ $0.findUser(named: parts[0]) }) else { return nil }
  return try author == me || graph.read { try $0.isFollowing(author, as: me) } ? (author, parts[1]) : nil
}

func run() async throws {
  let first = try page(.older)
  var oldest = first.next
  guard var newest = first.previous else { return print("  no posts yet") }
  var badge = graph.values(of: .newPosts(for: me, after: newest)).makeAsyncIterator()
  _ = try await badge.next()  // 0
  while let line = readLine() {
    if line == "more", let cursor = oldest {
      oldest = try page(.older, from: cursor).next
    } else if line == "new" {
      newest = try page(.newer, from: newest).previous ?? newest
      badge = graph.values(of: .newPosts(for: me, after: newest)).makeAsyncIterator()
      _ = try await badge.next()
    } else if let (author, text) = try post(line) {
      try await graph.addPost(text, by: author)
      print("(\(try await badge.next() ?? 0) new)")
    }
  }
}

try await run()
graph.printLatencies()
try graph.close()
