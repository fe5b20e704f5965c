import Foundation
import Testing

@testable import Kith

// READS: relations begin
extension Relation {
  // What a user keeps: seen by that user alone.
  static let bookmark = Relation("bookmark", from: .user, to: .post, visibility: .source)
  static let hide = Relation("hide", from: .user, to: .post, visibility: .source)
  static let seen = Relation("seen", from: .user, to: .post, visibility: .source)
  static let folder = Relation("folder", from: .user, to: .post, visibility: .source)
  static let listMute = Relation("listMute", from: .user, to: .post, visibility: .source)
  static let listBlock = Relation("listBlock", from: .user, to: .post, visibility: .source)
  static let avoid = Relation("avoid", from: .user, to: .user, visibility: .source)
  static let subscribe = Relation("subscribe", from: .user, to: .user, visibility: .source)
  static let blocking = Relation("blocking", from: .user, to: .user, visibility: .source, endsWith: "block")
  static let muting = Relation("muting", from: .user, to: .user, visibility: .source, endsWith: "mute")
  // Requests to follow, seen by both.
  static let request = Relation(
    "request", from: .user, to: .user, visibility: .ends, isEndedBy: ["follow", "rejected", "block"])
  static let rejected = Relation(
    "rejected", from: .user, to: .user, visibility: .ends, isEndedBy: ["follow", "request", "block"])
  // What users do with posts, seen by everyone.
  static let repost = Relation("repost", from: .user, to: .post)
  static let pin = Relation("pin", from: .user, to: .post)
  static let list = Relation("list", from: .user, to: .post)
  static let pack = Relation("pack", from: .user, to: .post)
  static let vote = Relation("vote", from: .user, to: .post)
  static let upvote = Relation("upvote", from: .user, to: .post, isEndedBy: ["downvote"], endsWith: "vote")
  static let downvote = Relation("downvote", from: .user, to: .post, isEndedBy: ["upvote"], endsWith: "vote")
  static let reaction = Relation("reaction", from: .user, to: .post)
  static let love = Relation("love", from: .user, to: .post, endsWith: "reaction")
  // What posts lead to, and what lists hold.
  static let reply = Relation("reply", from: .post, to: .post, isThread: true)
  static let quote = Relation("quote", from: .post, to: .post)
  static let tag = Relation("tag", from: .post, to: .user)
  static let member = Relation("member", from: .post, to: .user, isTimed: true)
  static let item = Relation("item", from: .post, to: .post, isTimed: true)
}
// READS: relations end

/// The page on the lists of eight applications: its numbers are those of its rows, and each call that it names gives
/// the list that it is named for.
@Suite struct ReadsTests {
  private typealias Check = (borrowing GraphView) throws -> Bool

  private static let schema = SocialGraph.Schema([
    .bookmark, .hide, .seen, .folder, .listMute, .listBlock, .avoid, .subscribe, .blocking, .muting, .request,
    .rejected, .repost, .pin, .list, .pack, .vote, .upvote, .downvote, .reaction, .love, .reply, .quote, .tag, .member,
    .item,
  ])

  private let graph = SocialGraph(schema: Self.schema)
  private let me: UserID
  /// Ann, whom the viewer follows.
  private let user: UserID
  private let bob: UserID
  private let anton: UserID
  /// Whom the viewer blocks after they did what all others do.
  private let eve: UserID
  private let mo: UserID
  private let tag: UserID
  /// By Ann.
  private let post: PostID
  private let quote: PostID
  /// The viewer's, to Bob's, to Ann's.
  private let reply: PostID
  private let list: PostID
  private let spam: PostID
  private let text = "an"
  private let query: EdgeQuery

  private var postIDs: [PostID] { [quote, spam, post] }
  private var userIDs: [UserID] { [user, eve] }
  private var others: [Node] { [.user(user), .user(anton), .user(eve)] }
  private var lists: [Node] { [.post(list)] }

  init() throws {
    page = try #require(Repository.file(at: "docs/READS.md")).text
    source = try #require(Repository.file(at: "Tests/KithTests/Graph/ReadsTests.swift")).text
    rows = Self.rows(of: page)
    let graph = graph
    func write(_ text: String, _ author: UserID, at second: Int64, _ edges: PostEdge...) throws -> PostID {
      try graph.addPost(text, by: author, createdAt: Timestamp(second * 1_000), edges: edges)
    }
    me = try graph.addUser("me")
    user = try graph.addUser("ann")
    bob = try graph.addUser("bob")
    eve = try graph.addUser("eve")
    let ed = try graph.addUser("ed")
    anton = try graph.addUser("anton")
    mo = try graph.addUser("mo")
    tag = try graph.addUser("#swift")
    query = EdgeQuery(includesAuthors: true, viewer: me)
    list = try write("", try graph.addUser("·"), at: 5)
    _ = try write("old", user, at: 6)
    post = try write("an image", user, at: 10, PostEdge(.tag, to: tag))
    quote = try write("quote", bob, at: 20, PostEdge(.quote, to: post), PostEdge(.tag, to: tag))
    spam = try write(
      "spam", eve, at: 25, PostEdge(.reply, to: post), PostEdge(.quote, to: post), PostEdge(.tag, to: tag))
    let first = try write("first reply", bob, at: 30, PostEdge(.reply, to: post))
    reply = try write("last reply", me, at: 40, PostEdge(.reply, to: first))
    try addPeople()
    try addPosts()
    for user in [eve, ed] { try graph.block(user, as: me) }
    try add(.blocking, [me], [eve, ed])
    for user in [mo, ed] { try graph.mute(user, as: me) }
    try add(.muting, [me], [mo, ed])
  }

  /// Adds an edge from each source to each target, at seconds that ascend.
  private func add(_ relation: Relation, _ sources: [some NodeIdentifier], _ targets: [some NodeIdentifier]) throws {
    var time = Timestamp(0)
    for source in sources {
      for target in targets {
        time = Timestamp(time.rawValue + 1_000)
        try graph.addEdge(relation, from: source, to: target, at: time)
      }
    }
  }

  private func addPeople() throws {
    try add(.follow, [me], [user, bob])
    try add(.follow, [user], [bob, eve, anton])
    try add(.follow, [bob], [mo, anton])
    try add(.follow, [bob, anton, eve], [user])
    try add(.request, [anton, eve, mo], [me])
    try add(.rejected, [bob, eve, user], [me])
    try add(.subscribe, [me], [tag, user])
    try add(.avoid, [me], [tag, mo])
    try add(.member, [list], [user, eve, bob])
  }

  private func addPosts() throws {
    let (theirs, kept) = ([anton, eve, bob], [post, spam, quote])
    for relation in [.like, .repost, .reaction, .love] as [Relation] { try add(relation, theirs, [post]) }
    try add(.vote, [anton, bob, mo, user], [post])
    try add(.upvote, [anton, bob], [post])
    try add(.downvote, [mo, user], [post])
    for relation in [.like, .bookmark, .hide, .seen, .vote] as [Relation] { try add(relation, [me], kept) }
    try add(.pin, [user], kept)
    try add(.item, [list], kept)
    for relation in [.folder, .listMute, .listBlock] as [Relation] { try add(relation, [me], [list]) }
    for relation in [.list, .pack] as [Relation] { try add(relation, [user], [list]) }
  }

  // MARK: - Checks, by the call

  private func names(_ users: Page<User>) -> [String] { users.map(\.username) }
  private func texts(_ posts: Page<Post>) -> [String] { posts.map(\.text) }

  /// Single users and posts, what is between users, and what is added to a result.
  private var lookups: [String: Check] {
    [
      "user(user, as: me, includesBlocked: true)": {
        let ann = try $0.user(user, as: me, includesBlocked: true)
        return (ann.followerCount, ann.followeeCount, ann.postCount) == (4, 3, 2) && ann.isFollowedByViewer == true
      },
      "users(userIDs, as: me, includesBlocked: true)": {
        try $0.users(userIDs, as: me, includesBlocked: true).map { $0?.username } == ["ann", "eve"]
      },
      "post(post, as: me, includesAuthors: true)": {
        let post = try $0.post(post, as: me, includesAuthors: true)
        return post.text == "an image" && post.isLikedByViewer == true && post.author.user?.followerCount == 4
      },
      "posts(postIDs, as: me, includesAuthors: true)": {
        let posts = try $0.posts(postIDs, as: me, includesAuthors: true)
        return posts.map { $0?.text } == ["quote", nil, "an image"] && posts[0]?.author.user?.username == "bob"
      },
      "edges(between: me, and: others)": {
        try $0.edges(between: me, and: others) == [
          Node.Edges(to: ["follow", "subscribe"], from: ["rejected"]), Node.Edges(from: ["request"]),
          Node.Edges(to: ["block", "blocking"]),
        ]
      },
      "edges(between: user, and: lists)": {
        try $0.edges(between: user, and: lists) == [Node.Edges(to: ["list", "pack"], from: ["member"])]
      },
      "adding(details, to: result)": {
        let result = try $0.posts(postIDs, as: me, includesAuthors: true)
        let details = ResultDetails(
          counts: [.reply, .repost, .quote], marks: [.bookmark, .repost, .subscribe], viewer: me)
        let shown = try #require(try $0.adding(details, to: result)[2])
        return [.reply, .repost, .quote].map { shown.count(of: $0) } == [2, 3, 2]
          && [.bookmark, .repost].map { shown.isMarked($0) } == [true, false]
          && shown.author.user?.isMarked(.subscribe) == true
      },
    ]
  }

  /// Lists of the four relations that every graph has, searches and timelines.
  private var plain: [String: Check] {
    [
      "timeline(of: me)": {
        try texts($0.timeline(of: me)) == ["last reply", "first reply", "quote", "an image", "old"]
      },
      "timeline(of: me, TimelineQuery(includesAuthors: true))": {
        let page = try $0.timeline(of: me, TimelineQuery(includesAuthors: true))
        return try texts(page) == texts($0.timeline(of: me)) && page.last?.author.user?.postCount == 2
      },
      "followers(of: user, ListQuery(viewer: me))": {
        try names($0.followers(of: user, ListQuery(viewer: me))) == ["anton", "bob", "me"]
      },
      "followees(of: user, ListQuery(viewer: me))": {
        try names($0.followees(of: user, ListQuery(viewer: me))) == ["anton", "bob"]
      },
      "followees(of: me)": { try names($0.followees(of: me)) == ["bob", "ann"] },
      "familiarFollowers(of: user, as: me)": { try names($0.familiarFollowers(of: user, as: me)) == ["bob"] },
      "familiarFollowers(of: user, as: me, MutualQuery(countsMatches: true))": {
        try $0.familiarFollowers(of: user, as: me, MutualQuery(countsMatches: true)).total == 1
      },
      "suggestions(for: me)": {
        try $0.suggestions(for: me).map { [$0.user.username, "\($0.mutualCount)"] } == [["anton", "2"]]
      },
      "likers(of: post, ListQuery(viewer: me))": {
        try names($0.likers(of: post, ListQuery(viewer: me))) == ["me", "anton", "bob"]
      },
      "likes(of: me, ListQuery(includesAuthors: true, viewer: me))": {
        try texts($0.likes(of: me, ListQuery(includesAuthors: true, viewer: me))) == ["quote", "an image"]
      },
      "searchUsers(\"\", UserQuery(excludedUser: me, viewer: me))": {
        try names($0.searchUsers("", UserQuery(excludedUser: me, viewer: me)))
          == ["#swift", "ann", "anton", "bob", "mo", "·"]
      },
      "searchUsers(text, UserQuery(excludedUser: me, viewer: me))": {
        try names($0.searchUsers(text, UserQuery(excludedUser: me, viewer: me))) == ["ann", "anton"]
      },
      "searchUsers(text, UserQuery(match: .prefix, order: .popular, viewer: me))": {
        try names($0.searchUsers(text, UserQuery(match: .prefix, order: .popular, viewer: me))) == ["ann", "anton"]
      },
      "searchUsers(text, UserQuery(order: .prefixFirst, viewer: me))": {
        try names($0.searchUsers(text, UserQuery(order: .prefixFirst, viewer: me))) == ["ann", "anton"]
      },
      "searchPosts(\"\", PostQuery(author: user, viewer: me))": {
        try texts($0.searchPosts("", PostQuery(author: user, viewer: me))) == ["an image", "old"]
      },
      "searchPosts(text, PostQuery(includesAuthors: true, viewer: me))": {
        try texts($0.searchPosts(text, PostQuery(includesAuthors: true, viewer: me))) == ["an image", "old"]
      },
    ]
  }

  /// Lists of users at the ends of edges.
  private var users: [String: Check] {
    [
      "sources(of: me, .request, query)": { try names($0.sources(of: me, .request, query)) == ["mo", "anton"] },
      "sources(of: me, .rejected, query)": { try names($0.sources(of: me, .rejected, query)) == ["ann", "bob"] },
      "sources(of: post, .like, query)": { try names($0.sources(of: post, .like, query)) == ["bob", "anton", "me"] },
      "sources(of: post, .repost, query)": { try names($0.sources(of: post, .repost, query)) == ["bob", "anton"] },
      "sources(of: post, .reaction, query)": { try names($0.sources(of: post, .reaction, query)) == ["bob", "anton"] },
      "sources(of: post, .love, query)": { try names($0.sources(of: post, .love, query)) == ["bob", "anton"] },
      "sources(of: post, .upvote, EdgeQuery(order: .oldest))": {
        try names($0.sources(of: post, .upvote, EdgeQuery(order: .oldest))) == ["anton", "bob"]
      },
      "sources(of: post, .downvote, EdgeQuery(order: .oldest))": {
        try names($0.sources(of: post, .downvote, EdgeQuery(order: .oldest))) == ["mo", "ann"]
      },
      "targets(of: me, .blocking, query)": { try names($0.targets(of: me, .blocking, query)) == ["ed", "eve"] },
      "targets(of: me, .muting, query)": { try names($0.targets(of: me, .muting, query)) == ["ed", "mo"] },
      "targets(of: me, .subscribe, query)": { try names($0.targets(of: me, .subscribe, query)) == ["ann", "#swift"] },
      "targets(of: me, .avoid, query)": { try names($0.targets(of: me, .avoid, query)) == ["mo", "#swift"] },
      "targets(of: list, .member, query)": { try names($0.targets(of: list, .member, query)) == ["bob", "ann"] },
    ]
  }

  /// Lists of posts that edges lead to.
  private var targets: [String: Check] {
    let kept = ["quote", "an image"]
    return [
      "targetPosts(of: me, .bookmark, query)": { try texts($0.targetPosts(of: me, .bookmark, query)) == kept },
      "targetPosts(of: me, .hide, query)": { try texts($0.targetPosts(of: me, .hide, query)) == kept },
      "targetPosts(of: me, .seen, query)": { try texts($0.targetPosts(of: me, .seen, query)) == kept },
      "targetPosts(of: me, .vote, query)": { try texts($0.targetPosts(of: me, .vote, query)) == kept },
      "targetPosts(of: user, .pin, query)": { try texts($0.targetPosts(of: user, .pin, query)) == kept },
      "targetPosts(of: list, .item, query)": { try texts($0.targetPosts(of: list, .item, query)) == kept },
      "targetPosts(of: list, .item, EdgeQuery(order: .oldest, viewer: me))": {
        try texts($0.targetPosts(of: list, .item, EdgeQuery(order: .oldest, viewer: me))) == kept.reversed()
      },
      "targetPosts(of: me, .folder, query)": { try texts($0.targetPosts(of: me, .folder, query)) == [""] },
      "targetPosts(of: me, .listMute, query)": { try texts($0.targetPosts(of: me, .listMute, query)) == [""] },
      "targetPosts(of: me, .listBlock, query)": { try texts($0.targetPosts(of: me, .listBlock, query)) == [""] },
      "targetPosts(of: user, .list, query)": { try texts($0.targetPosts(of: user, .list, query)) == [""] },
      "targetPosts(of: user, .pack, query)": { try texts($0.targetPosts(of: user, .pack, query)) == [""] },
    ]
  }

  /// Lists of posts that edges lead from, and conversations.
  private var conversations: [String: Check] {
    [
      "sourcePosts(of: post, .quote, query)": { try texts($0.sourcePosts(of: post, .quote, query)) == ["quote"] },
      "sourcePosts(of: tag, .tag, query)": {
        try texts($0.sourcePosts(of: tag, .tag, query)) == ["quote", "an image"]
      },
      "thread(of: post, ThreadQuery(includesAuthors: true, limit: 1_000, viewer: me))": {
        try texts($0.thread(of: post, ThreadQuery(includesAuthors: true, limit: 1_000, viewer: me)))
          == ["an image", "first reply", "last reply"]
      },
      "ancestors(of: reply, as: me, includesAuthors: true)": {
        try texts($0.ancestors(of: reply, as: me, includesAuthors: true)) == ["first reply", "an image"]
      },
    ]
  }

  private var checks: [String: Check] {
    [lookups, plain, users, targets, conversations].reduce(into: [:]) { all, some in
      all.merge(some) { _, _ in preconditionFailure("a call has one check") }
    }
  }

  // MARK: - The page

  /// A row of the table of an application. The name of a read on a main screen is bold.
  private typealias Row = (app: String, read: String, how: String, text: String)

  private let page: String
  private let source: String
  private let rows: [Row]

  private static func rows(of page: String) -> [Row] {
    var (rows, app): ([Row], String) = ([], "")
    for line in page.split(separator: "\n") {
      if line.hasPrefix("## ") { app = String(line.dropFirst(3)) }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if line.hasPrefix("| "), cells.count == 3, cells[0] != "read" {
        rows.append((app, cells[0], cells[1], cells[2]))
      }
    }
    return rows
  }

  /// What stands in backticks and has arguments.
  private func calls(in text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) && $0.element.contains("(") }.map { String($0.element) }
  }

  @Test("The numbers of the page are those of its rows")
  func numbers() {
    func counts(_ rows: [Row]) -> [Int] { ["alone", "joined", "not"].map { how in rows.count { $0.how == how } } }
    let onMain = rows.filter { $0.read.hasPrefix("**") }
    let (all, main) = (counts(rows), counts(onMain))
    #expect(rows.count == all.reduce(0, +) && Set(rows.map { $0.app + $0.read }).count == rows.count)
    for sentence in [
      "Of \(rows.count) reads, \(all[0]) are served alone, \(all[1]) are joined, and \(all[2]) are not served.",
      "Of the \(onMain.count) on a main screen, in bold type, \(main[0]), \(main[1]) and \(main[2]).",
    ] { #expect(page.contains(sentence)) }
    let apps = Dictionary(grouping: rows, by: \.app)
    for (app, rows) in apps {
      let numbers = ([rows.count] + counts(rows)).map(String.init)
      #expect(page.contains("\n| \(app) | \(numbers.joined(separator: " | ")) |\n"))
    }
    #expect(apps.count == 8)
  }

  @Test("Each read that is served names calls, each of which has a check, and no check is left over")
  func named() {
    let checks = checks
    var named: Set<String> = ["adding(details, to: result)"]
    #expect(named.isSubset(of: calls(in: page)))
    for row in rows where row.how != "not" {
      let calls = calls(in: row.text)
      #expect(!calls.isEmpty && calls.allSatisfy { checks[$0] != nil }, "\(row)")
      named.formUnion(calls)
    }
    #expect(Set(checks.keys) == named)
  }

  @Test("Each call that the page names gives what it is named for")
  func answers() throws {
    for (call, check) in checks {
      #expect(try graph.read(check), "\(call)")
      #expect(source.contains("$0.\(call)"), "\(call) is not what its check calls")
    }
  }

  @Test("The page shows the relations of the tests")
  func relations() throws {
    func part(_ text: String, from begin: String, to end: String) throws -> Substring {
      let start = try #require(text.range(of: begin)).upperBound
      return text[start..<(try #require(text[start...].range(of: end)).lowerBound)]
    }
    let code = try part(source, from: "// READS: relations begin\n", to: "// READS: relations end\n")
    let shown = try part(page, from: "```swift\n", to: "```\n")
    #expect(shown == code, "copy the code between the marks into docs/READS.md, or back")
    #expect(code.split(separator: "\n").count { $0.contains("static let") } == Self.schema.relations.count)
  }

  @Test("What lists the blocks and mutes by time ends with them")
  func ends() throws {
    try graph.unblock(eve, as: me)
    try graph.unmute(mo, as: me)
    let left = try graph.read { view in try [Relation.blocking, .muting].map { names(try view.targets(of: me, $0)) } }
    #expect(left == [["ed"], ["ed"]] && graph.read { $0.verify() } == [])
  }
}
