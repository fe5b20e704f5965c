import Testing

@testable import Kith

/// Who may see a post. The model plays the rules at random (`ModelTests`); here every read that can show a post is
/// asked.
@Suite struct AudienceTests {
  private static let repost = Relation("repost", from: .user, to: .post, entersTimelines: true)
  private static let pin = Relation("pin", from: .user, to: .post)
  private static let reply = Relation("reply", from: .post, to: .post, isThread: true)
  private static let quote = Relation("quote", from: .post, to: .post)
  private static let tag = Relation("tag", from: .post, to: .user, entersTimelines: true)
  private static let mention = Relation("mention", from: .post, to: .user, grantsAccess: true)

  private let graph = SocialGraph(schema: SocialGraph.Schema([repost, pin, reply, quote, tag, mention]))
  let ann: UserID
  /// Follows Ann.
  let friend: UserID
  /// Follows Cy, who follows Ann.
  let stranger: UserID
  let cy: UserID
  let swift: UserID
  /// By the stranger, for everyone.
  let open: PostID
  /// By Ann, an answer to that: what the audience is about.
  let secret: PostID
  /// By Cy, for everyone: an answer to the answer.
  let leaf: PostID

  init() throws {
    ann = try graph.addUser("ann")
    friend = try graph.addUser("friend")
    stranger = try graph.addUser("stranger")
    cy = try graph.addUser("cy")
    swift = try graph.addUser("#swift")
    open = try graph.addPost("hello", by: stranger, createdAt: 1_000)
    let edges = [PostEdge(Self.reply, to: open), PostEdge(Self.quote, to: open), PostEdge(Self.tag, to: swift)]
    secret = try graph.addPost("harbour", by: ann, createdAt: 2_000, edges: edges)
    leaf = try graph.addPost("leaf", by: cy, createdAt: 3_000, edges: [PostEdge(Self.reply, to: secret)])
    try graph.follow(ann, as: friend)
    try graph.follow(cy, as: stranger)
    try graph.follow(ann, as: cy)
    try graph.like(secret, as: cy)
    for relation in [Self.repost, Self.pin] { try graph.addEdge(relation, from: cy, to: secret) }
  }

  /// The reads of an operation that show the post, or tell that there is one, to who may see it.
  private func reads(_ operation: GraphOperation, as viewer: UserID) -> [Read] {
    let edges = EdgeQuery(viewer: viewer)
    switch operation.kind {
    case .post: return [.post(secret, as: viewer), .postsByID([secret], as: viewer)]
    case .lookup: return [.lookup(users: [], posts: [secret], as: viewer)]
    case .posts:
      return [
        .posts(matching: "harbour", PostQuery(viewer: viewer)), .posts(matching: "", PostQuery(viewer: viewer)),
        .posts(matching: "", PostQuery(author: ann, viewer: viewer)),
      ]
    case .timeline where viewer != .visitor:
      let sources: [TimelineQuery.Sources] = [.author(ann), .users([ann]), .users([cy]), .users([swift]), .everyone]
      return sources.map { .timeline(of: viewer, TimelineQuery(sources: $0)) }
    case .twoHopTimeline where viewer != .visitor: return [.twoHopTimeline(of: viewer, TimelineQuery())]
    case .likers: return [.likers(of: secret, ListQuery(viewer: viewer))]
    case .likes: return [.likes(of: cy, ListQuery(viewer: viewer))]
    case .edgeList(.targets): return [.edgeList(Self.pin, .targets, of: .user(cy), edges)]
    case .edgeList(.sources):
      return [Self.quote, Self.reply].map { .edgeList($0, .sources, of: .post(open), edges) } + [
        .edgeList(Self.tag, .sources, of: .user(swift), edges), .edgeList(Self.pin, .sources, of: .post(secret), edges),
      ]
    case .thread: return [open, secret, leaf].map { .thread(of: $0, ThreadQuery(viewer: viewer)) }
    case .ancestors: return [.ancestors(of: leaf, limit: 20, as: viewer)]
    case .incoming where viewer == stranger: return [.incoming(to: viewer, IncomingQuery(relations: [Self.reply]))]
    case .incomingCount where viewer == stranger:
      return [.incomingCount(to: viewer, IncomingQuery(relations: [Self.quote]))]
    // They show no posts, or are not for this viewer.
    case .timeline, .twoHopTimeline, .incoming, .incomingCount, .users, .user, .isFollowing, .relations, .mutuals,
      .familiarFollowers, .suggestions, .shortestPath, .list:
      return []
    // Without a viewer: the host asks for itself.
    case .edges: return []
    case .addUser, .renameUser, .editUser, .removeUser, .addPost, .editPost, .removePost, .batch, .edge, .anyEdge:
      return []
    }
  }

  /// Whether an answer shows the post, or that there is one.
  private func shows(_ read: Read) -> Bool {
    do throws(KithError) {
      switch try graph.read({ (view) throws(KithError) in try read.answer(view) }) {
      case .posts(let page), .timeline(let page), .twoHopTimeline(let page), .ancestors(let page):
        return page.contains { $0.id == secret }
      case .post(let post): return post.id == secret
      case .postsByID(let posts): return posts.contains { $0?.id == secret }
      case .lookup(let found): return found.posts.contains { $0?.id == secret }
      case .users(let page): return !page.isEmpty
      case .incoming(let page): return page.contains { $0.post?.id == secret }
      case .incomingCount(let found): return found.count > 0
      default: return false
      }
    } catch {
      #expect(error == .unknownPost(secret))
      return false
    }
  }

  /// Checks that every read shows the post, or that none does.
  private func check(_ viewer: UserID, sees: Bool, _ audience: String) {
    for operation in GraphOperation.allCases {
      for read in reads(operation, as: viewer) {
        // An author whom the viewer does not follow is no source of two hops.
        if sees, case .twoHopTimeline = read, viewer == cy { continue }
        #expect(shows(read) == sees, "\(audience): \(read) of \(viewer)")
      }
    }
  }

  @Test("A post for followers, or of a private user, is in no read of others, and in all of those who may see it")
  func everyRead() throws {
    for viewer in [stranger, friend, ann, .visitor] { check(viewer, sees: true, "everyone") }
    try graph.editPost(secret, fields: PostFields(audience: .followers))
    for viewer in [stranger, .visitor] { check(viewer, sees: false, "followers") }
    check(ann, sees: true, "followers of the author")
    #expect(shows(.post(secret, as: friend)) && shows(.post(secret, as: nil)) && shows(.post(secret, as: ann)))
    try graph.editPost(secret, fields: PostFields(audience: .mentioned))
    for viewer in [stranger, friend, .visitor] { check(viewer, sees: false, "mentioned") }
    try graph.addEdge(Self.mention, from: secret, to: friend)
    #expect(shows(.post(secret, as: friend)))
    try graph.editPost(secret, fields: PostFields(audience: .everyone))
    try graph.editUser(ann, UserFields(isPrivate: true))
    for viewer in [stranger, .visitor] { check(viewer, sees: false, "private") }
    try graph.removeEdge(Self.mention, from: secret, to: friend)
    #expect(shows(.post(secret, as: friend)))
    try graph.editUser(ann, UserFields(isPrivate: false))
    for viewer in [stranger, friend, .visitor] { check(viewer, sees: true, "everyone again") }
    #expect(graph.read { $0.verify() } == [])
  }

  @Test("A post that is not for everyone enters no timeline by a tag alone, nor one by a private user's repost")
  func entries() throws {
    let tagged = Read.timeline(of: stranger, TimelineQuery(includesOwnPosts: false, sources: .users([swift])))
    let reposted = Read.timeline(of: stranger, TimelineQuery(includesOwnPosts: false, sources: .users([cy])))
    try graph.editPost(secret, fields: PostFields(audience: .unlisted))
    #expect(!shows(tagged) && shows(reposted))
    try graph.unfollow(cy, as: stranger)
    try graph.editUser(cy, UserFields(isPrivate: true))
    #expect(!shows(reposted))
    let own = Read.timeline(of: cy, TimelineQuery(sources: .users([])))
    #expect(shows(own))
  }

  @Test("A search of posts takes flags, audiences, replies and mutes")
  func searches() throws {
    func found(_ query: PostQuery) throws -> [PostID] {
      try graph.read { (view) throws(KithError) in try view.searchPosts("", query).map(\.id) }
    }
    #expect(try found(PostQuery(includesReplies: false)) == [open])
    try graph.editPost(leaf, fields: PostFields(flags: 3))
    #expect(try found(PostQuery(flags: FlagFilter(all: 1))) == [leaf])
    try graph.editPost(secret, fields: PostFields(audience: .unlisted))
    #expect(try found(PostQuery(audiences: [.unlisted])) == [secret])
    try graph.mute(ann, as: stranger)
    #expect(try found(PostQuery(leavesOutMuted: true, viewer: stranger)) == [leaf, open])
    #expect(throws: KithError.invalidRequest(.leavesOutMutedNeedsViewer)) { try found(PostQuery(leavesOutMuted: true)) }
  }

  @Test("Audiences and private users are in files, and an edit of one is no edit of the post")
  func files() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("store")
    var graph = try SocialGraph.open(path, schema: SocialGraph.Schema([Self.mention]))
    let ann = try graph.addUser("ann", fields: UserFields(isPrivate: true))
    let post = try graph.addPost("hello", by: ann, fields: PostFields(audience: .unlisted))
    let other = try graph.addPost("hello", by: ann)
    try graph.editPost(other, fields: PostFields(audience: .mentioned))
    for snapshots in [false, true] {
      if snapshots { _ = try graph.snapshot() }
      try graph.close()
      graph = try SocialGraph.open(path)
      let pin = graph.pin()
      let posts = try pin.view.posts([post, other])
      #expect(try pin.view.user(ann).isPrivate && posts.map { $0?.audience } == [.unlisted, .mentioned])
      #expect(posts.allSatisfy { $0?.editedAt == nil })
      #expect(throws: KithError.unknownPost(post)) { try pin.view.post(post, as: .visitor) }
      #expect(pin.view.verify() == [])
    }
    try graph.close()
  }
}
