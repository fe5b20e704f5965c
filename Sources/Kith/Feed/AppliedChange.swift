/// An applied change, with information that the graph no longer has afterwards.
struct AppliedChange: Sendable {
  let change: Change
  /// The author of the post that it removes or edits; set only if there are observers.
  let knownAuthor: UserID?
  /// What else a notification needs; nil without observers, and where there is nothing. One reference: every change
  /// that is made returns such a value, also where there are no observers.
  private let context: Context?

  private final class Context: Sendable {
    let root: PostID?
    let targetAuthors: [UserID]
    let entering: [UserID]

    init(_ root: PostID?, _ targetAuthors: [UserID], _ entering: [UserID]) {
      (self.root, self.targetAuthors, self.entering) = (root, targetAuthors, entering)
    }
  }

  init(
    change: Change, knownAuthor: UserID?, root: PostID? = nil, targetAuthors: [UserID] = [], entering: [UserID] = []
  ) {
    (self.change, self.knownAuthor) = (change, knownAuthor)
    let isEmpty = root == nil && targetAuthors.isEmpty && entering.isEmpty
    context = isEmpty ? nil : Context(root, targetAuthors, entering)
  }

  /// The root of the conversation that it adds a post to.
  private var root: PostID? { context?.root }
  /// The authors of the posts that its edges lead to.
  private var targetAuthors: [UserID] { context?.targetAuthors ?? [] }
  /// The users in whose followers' timelines it may show another post, beside the author.
  var entering: [UserID] { context?.entering ?? [] }

  /// The author of the post that it adds or removes.
  var postAuthor: UserID? {
    switch change {
    case .addPost(_, let author, _, _, _, _): author
    case .removePost: knownAuthor
    default: nil
    }
  }

  /// Whether all observers must be notified: removing a user also removes follows, posts and likes, and what others may
  /// see can be anywhere.
  var touchesAll: Bool {
    switch change {
    case .removeUser: true
    case .editUser(_, let fields): fields.isPrivate != nil
    case .editPost(_, _, let fields): fields.audience != nil
    default: false
    }
  }

  /// Calls `body` with each dependency it touches, except timelines, which depend on the follows.
  func forEachTouched(_ body: (QueryDependency) -> Void) {
    switch change {
    case .addUser(let user, _, _):
      if let user { body(.user(user)) }
      body(.anyName)
    case .renameUser(let user, _):
      body(.user(user))
      body(.name(of: user))
      body(.anyName)
    case .editUser(let user, let fields):
      body(.user(user))
      // Searches read the flags, too.
      if fields.displayName != nil || fields.flags != nil { body(.anyName) }
    case .removeUser: break
    case .addPost(let post, let author, _, _, let edges, _):
      if let post { body(.post(post)) }
      for edge in edges {
        body(.declaredEdges(of: edge.target))
        if case .user(let target) = edge.target { body(.incoming(to: target)) }
      }
      if let root { body(.conversation(root)) }
      body(.user(author))
      body(.posts(by: author))
      body(.anyPost)
    case .editPost(let post, let text, let fields):
      body(.post(post))
      if fields.flags != nil { body(.filtered) }
      // A search by words may find it now, or no more.
      if text != nil {
        body(.anyPost)
        if let knownAuthor { body(.posts(by: knownAuthor)) }
      }
    case .removePost(let post):
      body(.post(post))
      if let knownAuthor {
        body(.user(knownAuthor))
        body(.posts(by: knownAuthor))
      }
      body(.anyPost)
      body(.removedPosts)
    case .addEdge(let relation, let source, let target, _), .removeEdge(let relation, let source, let target):
      body(.declaredEdges(of: source))
      body(.declaredEdges(of: target))
      if relation.grantsAccess { body(.filtered) }
      // It leaves out others, as a mute.
      if case .user(let user) = source, !relation.facts.hides.isEmpty { body(.mutes(of: user)) }
      if case .user(let target) = target { body(.incoming(to: target)) }
    case .declare: break
    default: if let edge = change.edge { Self.touch(edge, body) }
    }
    for author in targetAuthors { body(.incoming(to: author)) }
    for user in entering { body(.declaredEdges(of: .user(user))) }
    if !entering.isEmpty { body(.anyEntry) }
    body(.everything)
  }

  private static func touch(_ edge: EdgeChange, _ body: (QueryDependency) -> Void) {
    let facts = edge.kind.facts
    if facts.target == .post {
      body(.post(PostID(edge.target)))
      body(.edges(edge.kind, of: edge.source))
      return
    }
    let target = UserID(edge.target)
    guard facts.hides == .everything else { return touch(edge.kind, edge.source, target, body) }
    if edge.adds {
      for ended in RelationKind.allCases where ended.facts.isEndedByBlock {
        touch(ended, edge.source, target, body)
        touch(ended, target, edge.source, body)
      }
    }
    body(.edges(edge.kind, of: edge.source))
    body(.edges(edge.kind, of: target))
  }

  private static func touch(
    _ kind: RelationKind, _ source: UserID, _ target: UserID, _ body: (QueryDependency) -> Void
  ) {
    if kind == .follow {
      body(.user(source))
      body(.user(target))
      body(.anyFollow)
    }
    body(.edges(kind, .targets, of: source))
    body(.edges(kind, .sources, of: target))
    body(.incoming(to: target))
  }
}
