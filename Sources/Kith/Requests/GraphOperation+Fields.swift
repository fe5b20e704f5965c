/// The table of requests: the fields of each operation, and the members of its answer.
extension GraphOperation {
  /// The fields that a request must and may have.
  package var fields: (required: [Field], optional: [Field]) {
    let (required, optional) = ownFields
    let visitor = hasAudiences ? [Field.asVisitor] : []
    return (required, optional + visitor + (hasDetails ? [.counts, .marks, .payloads] : []))
  }

  /// Whether its answer has users or posts that tell of relations on request.
  private var hasDetails: Bool {
    switch kind {
    case .users, .user, .post, .lookup, .timeline, .twoHopTimeline, .posts, .list, .likers, .likes, .mutuals,
      .familiarFollowers, .edgeList, .thread, .ancestors, .incoming, .suggestions:
      true
    case .isFollowing, .relations, .edges, .incomingCount, .shortestPath, .addUser, .renameUser, .editUser, .removeUser,
      .addPost, .editPost, .removePost, .edge, .anyEdge, .batch:
      false
    }
  }

  /// Whether its answer depends on who may see posts, and a visitor may ask.
  private var hasAudiences: Bool {
    switch kind {
    case .post, .lookup, .posts, .likers, .likes, .edgeList, .thread, .ancestors: true
    default: false
    }
  }

  private var ownFields: (required: [Field], optional: [Field]) {
    let page = [Field.limit, .cursor]
    switch kind {
    case .users:
      let search = [
        Field.viewer, .query, .match, .names, .kind, .fold, .searchOrder, .flagsAll, .flagsAny, .flagsNone, .excluding,
        .includeBlocked, .count, .highlights,
      ]
      return ([], page + search)
    case .user: return ([.user], [.viewer, .includeBlocked])
    case .post: return ([.post], [.viewer, .authors])
    case .lookup: return ([], [.viewer, .users, .posts, .includeBlocked, .authors])
    case .timeline, .twoHopTimeline:
      let range = page + [.includeCursor, .direction, .before, .after, .includeSelf, .authors]
      let filters = [Field.replies, .reposts, .mentions, .flagsAll, .flagsAny, .flagsNone, .audiences]
      return ([.user], range + (kind == .timeline ? Self.timelineSources.flatMap(\.self) + filters : []))
    case .posts:
      let filters = [Field.flagsAll, .flagsAny, .flagsNone, .audiences, .includeReplies, .leaveOutMuted]
      return ([], page + [.viewer, .query, .user, .following, .fold, .before, .after, .highlights, .authors] + filters)
    case .isFollowing: return ([.user, .target], [])
    case .relations: return ([.user, .targets], [])
    case .likers: return ([.post], page + [.viewer, .leaveOutMuted])
    case .likes: return ([.user], page + [.viewer, .authors, .leaveOutMuted])
    case .mutuals: return ([.user, .target], page + [.of])
    case .familiarFollowers: return ([.user, .viewer], page + [.count])
    case .edgeList: return ([.relation], page + [.viewer, .user, .post, .edgeOrder, .authors, .count, .leaveOutMuted])
    case .edges: return ([], [.user, .post, .targets, .posts])
    case .thread: return ([.post], page + [.viewer, .threadOrder, .authors, .leaveOutMuted])
    case .ancestors: return ([.post], [.limit, .viewer, .authors])
    case .incoming: return ([.user], page + [.relations, .incomingFrom, .before, .after, .authors])
    case .incomingCount: return ([.user], [.relations, .incomingFrom, .before, .after])
    case .suggestions: return ([.user], [.limit, .kind, .flagsAll, .flagsAny, .flagsNone])
    case .shortestPath: return ([.user, .target], [.maximum])
    case .addUser: return ([.username], [.id, .kind, .displayName, .payload, .flags, .isPrivate])
    case .renameUser: return ([.user, .username], [])
    case .editUser: return ([.user], [.displayName, .payload, .flags, .isPrivate])
    case .removeUser: return ([.user], [])
    case .addPost: return ([.user, .text], [.id, .createdAt, .edges, .payload, .flags, .editedAt, .audience])
    case .editPost: return ([.post], [.text, .payload, .flags, .editedAt, .audience])
    case .removePost: return ([.post], [])
    case .anyEdge(let adds): return ([.relation], [.from, .fromPost, .to, .toPost] + (adds ? [.at] : []))
    case .batch: return ([.changes], [])
    case .list(let relation, _):
      let facts = relation.facts
      let asked = facts.isPrivate ? [] : [Field.viewer, .leaveOutMuted]
      return ([.user], page + asked + (facts.hasTime ? [.listOrder] : []))
    case .edge(let relation, let adds):
      let facts = relation.facts
      return ([.user, facts.target == .post ? .post : .target], adds && facts.hasTime ? [.at] : [])
    }
  }

  /// The pairs of fields of which a request has exactly one each: a user and a post.
  package var alternatives: [(Field, Field)] {
    switch kind {
    case .edgeList, .edges: [(.user, .post)]
    case .anyEdge: [(.from, .fromPost), (.to, .toPost)]
    default: []
    }
  }

  /// The fields that say whose posts a timeline has: of a request all of one line, or none.
  private static let timelineSources: [[Field]] = [
    [.relations], [.relation, .post], [.users], [.author], [.everyone],
  ]

  /// Lines of fields, of which a request has all of one, or none.
  package var exclusive: [[Field]] {
    kind == .timeline ? Self.timelineSources : hasAudiences ? [[.viewer], [.asVisitor]] : []
  }

  /// All possible members of the answer.
  package var answer: [String] {
    switch kind {
    case .users, .familiarFollowers: ["users", "next", "count"]
    case .user: ["user"]
    case .post: ["post"]
    case .lookup: ["users", "posts"]
    case .timeline: ["posts", "next", "previous"]
    case .twoHopTimeline: ["posts", "next", "previous", "truncated"]
    case .posts, .likes: ["posts", "next"]
    case .list, .likers, .mutuals: ["users", "next"]
    case .edgeList: ["users", "posts", "next", "count"]
    case .edges: ["edges"]
    case .thread: ["posts", "next"]
    case .ancestors: ["posts", "truncated"]
    case .incoming: ["incoming", "next"]
    case .incomingCount: ["count", "truncated"]
    case .isFollowing: ["value"]
    case .relations: ["relations"]
    case .suggestions: ["users", "truncated"]
    case .shortestPath: ["value", "complete"]
    case .addUser: ["user", "sequence"]
    case .addPost: ["post", "sequence"]
    case .renameUser, .editUser, .removeUser, .editPost, .removePost, .edge, .anyEdge: ["changed", "sequence"]
    case .batch: ["results", "sequence"]
    }
  }
}
