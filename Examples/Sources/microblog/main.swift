// A microblog: a home timeline with reposts, conversations, and a bell that rings.
//
//     swift run microblog
//
// "bob: TEXT" posts as bob, "bob 2: TEXT" replies to post 2, "bob repost 2" reposts it. "home" is the timeline of ann,
// "thread 2" a conversation, "bell" what led to ann since it was last looked at. "@ann" in a text mentions ann.
import Kith

extension Relation {
  static let repost = Relation("repost", from: .user, to: .post, entersTimelines: true)
  static let reply = Relation("reply", from: .post, to: .post, isThread: true)
  static let mention = Relation("mention", from: .post, to: .user, grantsAccess: true)
}

let graph = SocialGraph(schema: SocialGraph.Schema([.repost, .reply, .mention]))
let names = ["ann", "bob", "cy", "Zoë"]
let people = try names.map { try graph.addUser($0) }
let me = people[0]
for followee in people[1...2] { try graph.follow(followee, as: me, at: 0) }
// A line a minute, so that the program prints the same each time.
var now = Timestamp(0)
var seen = Timestamp(0)

/// A post in one line: who wrote it, how many answered and reposted it, and who brought it here.
func line(_ post: Post) -> String {
  let counts = [("replies", Relation.reply), ("reposts", .repost)].compactMap { name, relation in
    post.count(of: relation).flatMap { $0 == 0 ? nil : "\(name): \($0)" }
  }
  let details = counts.isEmpty ? "" : " (\(counts.joined(separator: ", ")))"
  return "  \(post.id) \(post.author.username): \(post.text)\(details)"
    + (post.repost.map { " ← reposted by \($0.username)" } ?? "")
}

/// A page with the numbers that are shown beside its posts.
func show(_ ask: (borrowing GraphView) throws(KithError) -> Page<Post>) throws {
  let details = ResultDetails(counts: [.reply, .repost], viewer: me)
  let page = try graph.read { (view) throws(KithError) in try view.adding(details, to: ask(view)) }
  for post in page { print(line(post)) }
}

/// What led to me since I last looked, the newest first.
func showBell() throws {
  for edge in try graph.read({ try $0.incoming(to: me, IncomingQuery(after: seen)) }) {
    let name = edge.user?.username ?? edge.post?.author.username ?? ""
    print("  \(edge.relation.name) by \(name)" + (edge.post.map { ": \($0.text)" } ?? ""))
  }
  // Later ones can have the same second.
  seen = Timestamp(now.rawValue - 1_000)
}

/// Posts, replies or reposts: "bob: TEXT", "bob 2: TEXT", "bob repost 2".
func press(_ input: String) async throws -> Bool {
  let parts = input.split(separator: ": ", maxSplits: 1).map(String.init)
  let words = (parts.first ?? "").split(separator: " ")
  guard let name = words.first, let user = names.firstIndex(of: String(name)).map({ people[$0] }) else { return false }
  let target = words.last.flatMap { Int64($0) }.map { PostID($0) }
  if parts.count == 2 {
    let mentioned = names.indices.filter { parts[1].contains("@\(names[$0])") }
    let edges = mentioned.map { PostEdge(.mention, to: people[$0]) } + (target.map { [PostEdge(.reply, to: $0)] } ?? [])
    try await graph.addPost(parts[1], by: user, createdAt: now, edges: edges)
  } else if let target, words.count == 3 {
    try await graph.addEdge(.repost, from: user, to: target, at: now)
  }
  return true
}

func run() async throws {
  // Answers to strangers are left out; a post that several reposted is shown once.
  let home = TimelineQuery(replies: .toFollowed)
  var bell = graph.values(of: .incomingCount(to: me)).makeAsyncIterator()
  var count = try await bell.next()?.count ?? 0
  while let input = readLine() {
    now = Timestamp(now.rawValue + 60_000)
    switch (input, input.split(separator: " ").last.flatMap { Int64($0) }) {
    case ("home", _): try show { (view) throws(KithError) in try view.timeline(of: me, home) }
    case ("bell", _): try showBell()
    case (let text, let id?) where text.hasPrefix("thread "):
      try show { (view) throws(KithError) in try view.thread(of: PostID(id), ThreadQuery(viewer: me)) }
    default:
      do {
        if try await !press(input) { print("home, thread 2, bell, or what one of \(names) does") }
      } catch let error as KithError {
        print("  \(error)")
      }
      // The count is live; it is awaited where it changes.
      if try graph.read({ try $0.incomingCount(to: me).count }) != count {
        count = try await bell.next()?.count ?? count
        print("  🔔 \(count)")
      }
    }
  }
}

try await run()
try graph.close()
