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
  static let repost = Relation("repost", from: .user, to: .post, entersTimelines: true)
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
  static let mention = Relation("mention", from: .post, to: .user, grantsAccess: true)
  static let tag = Relation("tag", from: .post, to: .user, entersTimelines: true)
  static let member = Relation("member", from: .post, to: .user, isTimed: true)
  static let item = Relation("item", from: .post, to: .post, isTimed: true)
}
// READS: relations end

/// The page on the lists of eight applications: its numbers are those of its rows, and each call that it names gives
/// the list that it is named for.
@Suite struct ReadsTests {
  typealias Check = (borrowing GraphView) throws -> Bool

  private static let schema = SocialGraph.Schema([
    .bookmark, .hide, .seen, .folder, .listMute, .listBlock, .avoid, .subscribe, .blocking, .muting, .request,
    .rejected, .repost, .pin, .list, .pack, .vote, .upvote, .downvote, .reaction, .love, .reply, .quote, .mention, .tag,
    .member, .item,
  ])

  /// The flag of replies to other users.
  private static let answer: UInt16 = 1

  private let graph = SocialGraph(schema: Self.schema)
  let types: [Relation] = [.follow, .request, .like, .repost, .reply, .mention]
  let seen = Timestamp(1_000)
  let filter = FlagFilter(none: Self.answer)
  let me: UserID
  /// Ann, whom the viewer follows.
  let user: UserID
  let bob: UserID
  let anton: UserID
  /// Whom the viewer blocks after they did what all others do.
  let eve: UserID
  /// Whom the viewer mutes.
  let mo: UserID
  let tag: UserID
  /// By Ann.
  let post: PostID
  let quote: PostID
  /// The viewer's, to Anton's, to Bob's, to Ann's.
  let reply: PostID
  /// Anton's, whom the viewer does not follow, for his followers.
  let far: PostID
  let list: PostID
  let spam: PostID
  let text = "an"
  let query: EdgeQuery
  var ofAll: TimelineQuery {
    TimelineQuery(sources: .everyone, flags: filter, audiences: [.everyone], includesAuthors: true)
  }
  var ofTags: TimelineQuery {
    TimelineQuery(includesOwnPosts: false, sources: .users([tag]), flags: filter, includesAuthors: true)
  }

  var postIDs: [PostID] { [quote, spam, post, far] }
  var userIDs: [UserID] { [user, eve] }
  var others: [Node] { [.user(user), .user(anton), .user(eve)] }
  var lists: [Node] { [.post(list)] }

  init() throws {
    page = try #require(Repository.file(at: "docs/READS.md")).text
    source = try ["ReadsTests", "ReadsTests+Calls"].map {
      try #require(Repository.file(at: "Tests/KithTests/Graph/\($0).swift")).text
    }.joined()
    rows = Self.rows(of: page)
    let graph = graph
    @discardableResult
    func write(
      _ text: String, _ author: UserID, at second: Int64, for audience: Audience? = nil, flags: UInt16? = nil,
      _ edges: PostEdge...
    ) throws -> PostID {
      let fields = PostFields(payload: Self.payload(of: text), flags: flags, audience: audience)
      return try graph.addPost(text, by: author, createdAt: Timestamp(second * 1_000), edges: edges, fields: fields)
    }
    func join(_ name: String) throws -> UserID {
      try graph.addUser(name, fields: UserFields(payload: Self.payload(of: name)))
    }
    me = try join("me")
    user = try join("ann")
    bob = try graph.addUser("bob")
    try graph.editUser(bob, UserFields(payload: Self.payload(of: "bob")))
    eve = try join("eve")
    let ed = try join("ed")
    anton = try join("anton")
    mo = try join("mo")
    let pia = try join("pia")
    try graph.editUser(pia, UserFields(displayName: "Joanna", flags: 1, isPrivate: true))
    tag = try join("#swift")
    query = EdgeQuery(includesAuthors: true, viewer: me)
    list = try write("", try join("·"), at: 5, for: .unlisted)
    let draft = try write("draft", user, at: 6)
    try graph.editPost(draft, text: "old", fields: PostFields(payload: Self.payload(of: "old")))
    try write("added", user, at: 8, PostEdge(.reply, to: draft))
    post = try write("an image", user, at: 10, PostEdge(.tag, to: tag))
    quote = try write(
      "quote", bob, at: 20, PostEdge(.quote, to: post), PostEdge(.mention, to: me), PostEdge(.tag, to: tag))
    spam = try write(
      "spam", eve, at: 25, PostEdge(.reply, to: post), PostEdge(.quote, to: post), PostEdge(.tag, to: tag))
    let first = try write("first reply", bob, at: 30, flags: Self.answer, PostEdge(.reply, to: post))
    far = try write(
      "far", anton, at: 35, for: .followers, flags: Self.answer, PostEdge(.reply, to: first),
      PostEdge(.quote, to: post), PostEdge(.tag, to: tag))
    reply = try write("last reply", me, at: 40, flags: Self.answer, PostEdge(.reply, to: far))
    // What some lists of the viewer show and others do not, or none.
    try write("for mo", user, at: 7, for: .mentioned, PostEdge(.mention, to: mo), PostEdge(.tag, to: tag))
    try write("for friends", bob, at: 50, for: .followers, PostEdge(.quote, to: post), PostEdge(.tag, to: tag))
    try write("farther", anton, at: 60, for: .followers, flags: Self.answer, PostEdge(.reply, to: reply))
    try write("aside", anton, at: 70, for: .unlisted, PostEdge(.tag, to: tag))
    try write(
      "to me", anton, at: 80, for: .mentioned, flags: Self.answer, PostEdge(.reply, to: post),
      PostEdge(.mention, to: me))
    try write("thanks", user, at: 85, flags: Self.answer, PostEdge(.reply, to: quote), PostEdge(.tag, to: tag))
    try write("closed", pia, at: 90, PostEdge(.tag, to: tag))
    try write("news", anton, at: 95, PostEdge(.tag, to: tag))
    try write("noise", mo, at: 97, PostEdge(.tag, to: tag))
    try addPeople()
    try addPosts()
    for user in [eve, ed] { try graph.block(user, as: me) }
    try add(.blocking, [me], [eve, ed])
    for user in [mo, ed] { try graph.mute(user, as: me) }
    try add(.muting, [me], [mo, ed])
  }

  /// What the host keeps with a user of a name, or a post of a text.
  static func payload(of text: String) -> [UInt8] { Array("kept with \(text)".utf8) }

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
    try add(.follow, [user], [bob, eve, anton, mo])
    try add(.follow, [bob], [mo, anton])
    try add(.follow, [bob, anton, eve, mo], [user])
    try add(.request, [anton, eve, mo], [me])
    try add(.rejected, [bob, eve, user], [me])
    try add(.subscribe, [me], [tag, user])
    try add(.avoid, [me], [tag, mo])
    try add(.member, [list], [user, eve, bob])
  }

  private func addPosts() throws {
    let (theirs, kept) = ([anton, eve, bob, mo], [post, spam, quote, far])
    for relation in [.like, .repost, .reaction, .love] as [Relation] { try add(relation, theirs, [post]) }
    try add(.repost, [bob], [far])
    try add(.vote, [anton, bob, mo, user], [post])
    try add(.upvote, [anton, bob], [post])
    try add(.downvote, [mo, user], [post])
    for relation in [.like, .bookmark, .hide, .seen, .vote] as [Relation] { try add(relation, [me], kept) }
    try add(.pin, [user], kept)
    try add(.item, [list], kept)
    try add(.like, [anton, eve, mo], [reply])
    for relation in [.folder, .listMute, .listBlock] as [Relation] { try add(relation, [me], [list]) }
    for relation in [.list, .pack] as [Relation] { try add(relation, [user], [list]) }
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
    func count(_ rows: [Row], _ how: String) -> Int { rows.count { $0.how == how } }
    func counts(_ rows: [Row]) -> [Int] {
      let details = count(rows, "alone, details")
      return [count(rows, "alone") + details, count(rows, "joined"), count(rows, "not"), details]
    }
    let onMain = rows.filter { $0.read.hasPrefix("**") }
    let (all, main) = (counts(rows), counts(onMain))
    #expect(rows.count == all.prefix(3).reduce(0, +) && Set(rows.map { $0.app + $0.read }).count == rows.count)
    for sentence in [
      "Of \(rows.count) reads, \(all[0]) are served alone, \(all[1]) are joined, and \(all[2]) are not served.",
      "Of the \(onMain.count) on a main screen, in bold type, \(main[0]), \(main[1]) and \(main[2]).",
      "Of those that are served alone, \(all[3]) take details, \(main[3]) of them on a main screen.",
    ] { #expect(page.contains(sentence)) }
    let apps = Dictionary(grouping: rows, by: \.app)
    for (app, rows) in apps {
      let counts = counts(rows)
      let numbers = [rows.count, counts[0], counts[3], counts[1], counts[2]].map(String.init)
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

  @Test("The details and the queries of timelines that the page shows are those of the checks")
  func detailsShown() {
    let shown = calls(in: page).filter { $0.hasPrefix("ResultDetails(") || $0.hasPrefix("TimelineQuery(") }
    #expect(shown.count == 4 && shown.allSatisfy(source.contains))
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
    let left = try graph.read { view in
      try [Relation.blocking, .muting].map { try view.targets(of: me, $0).map(\.username) }
    }
    #expect(left == [["ed"], ["ed"]] && graph.read { $0.verify() } == [])
  }
}
