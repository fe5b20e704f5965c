import Kith
import Testing

// Made from Sources/Kith/Kith.docc/OwnRelations.md by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
extension ArticleSnippets {
  @Test("The snippets of OwnRelations compile and run")
  func ownRelations() async throws {
    let bookmark = Relation("bookmark", from: .user, to: .post, visibility: .source)
    let request = Relation("request", from: .user, to: .user, visibility: .ends, isEndedBy: ["follow", "block"])
    let member = Relation("member", from: .post, to: .user, isTimed: true)
    let graph = SocialGraph(schema: SocialGraph.Schema([bookmark, request, member]))

    let ann = try await graph.addUser("ann")
    let bob = try await graph.addUser("bob")
    let post = try await graph.addPost("hello", by: bob)
    try await graph.addEdge(bookmark, from: ann, to: post)
    try await graph.addEdge(request, from: ann, to: bob)
    let mine = try graph.read { try $0.targetPosts(of: ann, bookmark) }
    let waiting = try graph.read { try $0.sources(of: bob, request, EdgeQuery(countsEdges: true, viewer: bob)) }
    try await graph.follow(bob, as: ann)  // ends the request
    print(mine.count, waiting.total ?? 0, try graph.read { try $0.hasEdge(request, from: ann, to: bob) })

    let page = try graph.read { view in
      try view.adding(ResultDetails(counts: [bookmark], marks: [bookmark], viewer: ann), to: view.timeline(of: ann))
    }
    print(page.first?.count(of: bookmark) ?? 0, page.first?.isMarked(bookmark) ?? false)

    let reply = Relation("reply", from: .post, to: .post, isThread: true)
    let mention = Relation("mention", from: .post, to: .user)
    let talk = SocialGraph(schema: SocialGraph.Schema([reply, mention]))
    let cy = try await talk.addUser("cy")
    let first = try await talk.addPost("who is there?", by: cy)
    let second = try await talk.addPost(
      "I am", by: cy, edges: [PostEdge(reply, to: first), PostEdge(mention, to: cy)])
    print(try talk.read { try $0.thread(of: second) }.map(\.text))
    print(try talk.read { try $0.ancestors(of: second) }.map(\.id) == [first])

    let repost = Relation("repost", from: .user, to: .post, entersTimelines: true)
    let listed = Relation("listed", from: .post, to: .user)
    let feed = SocialGraph(schema: SocialGraph.Schema([repost, listed]))
    let dan = try await feed.addUser("dan")
    let eve = try await feed.addUser("eve")
    let news = try await feed.addPost("news", by: eve)
    try await feed.addEdge(repost, from: dan, to: news)
    let people = try await feed.addPost("my list", by: dan, edges: [PostEdge(listed, to: eve)])
    print(try feed.read { try $0.timeline(of: dan) }.map { $0.repost?.username ?? $0.author.username })
    let theirs = TimelineQuery(includesOwnPosts: false, sources: .members(listed, of: people), reposts: .none)
    print(try feed.read { try $0.timeline(of: dan, theirs) }.map(\.text))

    let named = Relation("named", from: .post, to: .user, grantsAccess: true)
    let closed = SocialGraph(schema: SocialGraph.Schema([named]))
    let flo = try await closed.addUser("flo", fields: UserFields(isPrivate: true))
    let gus = try await closed.addUser("gus")
    try await closed.addPost("for followers", by: flo)
    let forGus = PostFields(audience: .mentioned)
    try await closed.addPost("for Gus", by: flo, edges: [PostEdge(named, to: gus)], fields: forGus)
    print(try closed.read { try $0.searchPosts("", PostQuery(viewer: gus)) }.map(\.text))
    print(try closed.read { try $0.searchPosts("", PostQuery(viewer: .visitor)) }.isEmpty)
  }
}
