/// A kind of query or change, as statistics and instruments name it. The names are those of the operations of
/// `kith query`, in the order in which it lists them.
@nonexhaustive
public enum GraphOperation: String, CaseIterable, Codable, CodingKeyRepresentable, Hashable, Sendable {
  /// `GraphView.searchUsers`.
  case users
  /// `GraphView.user`, one or several by id.
  case user
  /// `GraphView.post`, one or several by id.
  case post
  /// Users and posts by id in one query.
  case lookup
  /// `GraphView.timeline` and `timelineIDs`.
  case timeline
  /// `GraphView.twoHopTimeline`.
  case twoHopTimeline
  /// `GraphView.searchPosts`.
  case posts
  /// `GraphView.followees`.
  case followees
  /// `GraphView.followers`.
  case followers
  /// `GraphView.isFollowing`.
  case isFollowing
  /// `GraphView.relations`.
  case relations
  /// `GraphView.likers`.
  case likers
  /// `GraphView.likes`.
  case likes
  /// `GraphView.mutualFollowees`, `mutualFollowers` and their count.
  case mutuals
  /// `GraphView.familiarFollowers`.
  case familiarFollowers
  /// `GraphView.targets` and `targetPosts`.
  case targets
  /// `GraphView.sources` and `sourcePosts`.
  case sources
  /// `GraphView.edges`.
  case edges
  /// `GraphView.thread`.
  case thread
  /// `GraphView.ancestors`.
  case ancestors
  /// `GraphView.incoming`.
  case incoming
  /// `GraphView.incomingCount`.
  case incomingCount
  /// `GraphView.suggestions`.
  case suggestions
  /// `GraphView.shortestPath`.
  case shortestPath = "distance"
  /// `GraphView.blocked`.
  case blocked
  /// `GraphView.muted`.
  case muted
  /// `Change.addUser`.
  case addUser
  /// `Change.renameUser`.
  case renameUser
  /// `Change.editUser`.
  case editUser
  /// `Change.removeUser`.
  case removeUser
  /// `Change.follow`.
  case follow
  /// `Change.unfollow`.
  case unfollow
  /// `Change.addPost`.
  case addPost
  /// `Change.editPost`.
  case editPost
  /// `Change.removePost`.
  case removePost
  /// `Change.like`.
  case like
  /// `Change.unlike`.
  case unlike
  /// `Change.block`.
  case block
  /// `Change.unblock`.
  case unblock
  /// `Change.mute`.
  case mute
  /// `Change.unmute`.
  case unmute
  /// `Change.addEdge`.
  case addEdge
  /// `Change.removeEdge`.
  case removeEdge
  /// `SocialGraph.batch`, with all its changes.
  case batch

  /// Whether it changes the graph. All others are queries.
  public var isChange: Bool {
    switch kind {
    case .users, .user, .post, .lookup, .timeline, .twoHopTimeline, .posts, .list, .isFollowing, .relations, .likers,
      .likes, .mutuals, .familiarFollowers, .edgeList, .edges, .thread, .ancestors, .incoming, .incomingCount,
      .suggestions, .shortestPath:
      false
    case .addUser, .renameUser, .editUser, .removeUser, .addPost, .editPost, .removePost, .edge, .anyEdge, .batch: true
    }
  }

  /// The position in `allCases`.
  var index: Int { Self.indexes[self] ?? 0 }

  private static let indexes = Dictionary(uniqueKeysWithValues: zip(allCases, 0...))
}

extension GraphOperation {
  /// An operation, where those that are the same for every relation are one. What is written for these serves a new
  /// relation, and a new list.
  package enum Kind: Hashable, Sendable {
    case users, user, post, lookup, timeline, twoHopTimeline, posts, isFollowing, relations, likers, likes, mutuals
    case familiarFollowers, suggestions, shortestPath
    /// Users at one end of a user's edges.
    case list(RelationKind, RelationSide)
    /// Users or posts at one end of a node's edges, of any relation.
    case edgeList(RelationSide)
    case edges, thread, ancestors, incoming, incomingCount
    case addUser, renameUser, editUser, removeUser, addPost, editPost, removePost, batch
    /// A change of one edge.
    case edge(RelationKind, adds: Bool)
    /// The same of any relation.
    case anyEdge(adds: Bool)
  }

  package var kind: Kind {
    switch self {
    case .users: .users
    case .user: .user
    case .post: .post
    case .lookup: .lookup
    case .timeline: .timeline
    case .twoHopTimeline: .twoHopTimeline
    case .posts: .posts
    case .followees: .list(.follow, .targets)
    case .followers: .list(.follow, .sources)
    case .isFollowing: .isFollowing
    case .relations: .relations
    case .likers: .likers
    case .likes: .likes
    case .mutuals: .mutuals
    case .familiarFollowers: .familiarFollowers
    case .targets: .edgeList(.targets)
    case .sources: .edgeList(.sources)
    case .edges: .edges
    case .thread: .thread
    case .ancestors: .ancestors
    case .incoming: .incoming
    case .incomingCount: .incomingCount
    case .suggestions: .suggestions
    case .shortestPath: .shortestPath
    case .blocked: .list(.block, .targets)
    case .muted: .list(.mute, .targets)
    case .addUser: .addUser
    case .renameUser: .renameUser
    case .editUser: .editUser
    case .removeUser: .removeUser
    case .follow: .edge(.follow, adds: true)
    case .unfollow: .edge(.follow, adds: false)
    case .addPost: .addPost
    case .editPost: .editPost
    case .removePost: .removePost
    case .like: .edge(.like, adds: true)
    case .unlike: .edge(.like, adds: false)
    case .block: .edge(.block, adds: true)
    case .unblock: .edge(.block, adds: false)
    case .mute: .edge(.mute, adds: true)
    case .unmute: .edge(.mute, adds: false)
    case .addEdge: .anyEdge(adds: true)
    case .removeEdge: .anyEdge(adds: false)
    case .batch: .batch
    }
  }

  private static let byKind = Dictionary(uniqueKeysWithValues: allCases.map { ($0.kind, $0) })
  private static let lists = RelationKind.allCases.map { kind in
    (targets: byKind[.list(kind, .targets)], sources: byKind[.list(kind, .sources)])
  }

  /// The change of an edge.
  package init(_ edge: EdgeChange) {
    guard let operation = Self.byKind[.edge(edge.kind, adds: edge.adds)] else {
      preconditionFailure("every relation has its changes")
    }
    self = operation
  }

  /// The list of users at one end of a user's edges; nil where there is none.
  init?(_ kind: RelationKind, _ side: RelationSide) {
    let lists = Self.lists[Int(kind.number)]
    guard let operation = side == .targets ? lists.targets : lists.sources else { return nil }
    self = operation
  }
}

extension Change {
  /// What it does, for statistics; nil for the declaration of a schema, which no caller can request.
  package var operation: GraphOperation? {
    switch self {
    case .addUser: .addUser
    case .renameUser: .renameUser
    case .editUser: .editUser
    case .removeUser: .removeUser
    case .addPost: .addPost
    case .editPost: .editPost
    case .removePost: .removePost
    case .follow: .follow
    case .unfollow: .unfollow
    case .like: .like
    case .unlike: .unlike
    case .block: .block
    case .unblock: .unblock
    case .mute: .mute
    case .unmute: .unmute
    case .addEdge: .addEdge
    case .removeEdge: .removeEdge
    case .declare: nil
    }
  }
}
