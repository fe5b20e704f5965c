/// What users and posts of a result have on request: counts and marks of relations, which say how many edges there are,
/// and whether one leads from the viewer; and payloads.
///
/// Of a user or a post, the edges that lead to it are counted; of a relation that leads to none of its type, those that
/// lead from it. In a result of posts, a relation with no posts at that end is counted and marked for the authors, if
/// these were asked for. Counts are those of all edges, with any viewer.
public struct ResultDetails: Hashable, Sendable {
  /// The relations whose edges are counted.
  public var counts: [Relation]
  /// The relations from users, each marked where an edge leads from the viewer to the user or post.
  public var marks: [Relation]
  /// Whether payloads are wanted, of posts also those of authors who were asked for.
  public var includesPayloads: Bool
  /// The viewer, whom marks need.
  public var viewer: UserID?

  /// Counts and marks of some relations, each at most as many as a graph can have.
  public init(
    counts: [Relation] = [], marks: [Relation] = [], includesPayloads: Bool = false, viewer: UserID? = nil
  ) {
    (self.counts, self.marks, self.includesPayloads, self.viewer) = (counts, marks, includesPayloads, viewer)
  }

  /// Whether nothing is asked for.
  package var isEmpty: Bool { counts.isEmpty && marks.isEmpty && !includesPayloads }
}

/// The details of users, or of posts, with the numbers of relations.
private struct DetailPlan {
  struct Count {
    let kind: RelationKind
    let name: String
    /// Whether edges that lead to the record are counted.
    let leadsTo: Bool

    func prefetch(_ row: UInt32, _ state: borrowing GraphState) {
      if !state.isInUse(kind) { return }
      if leadsTo {
        state[kind].backward.prefetchHead(of: Int(row))
      } else {
        state[kind].forward.prefetchHead(of: Int(row))
      }
    }

    func number(_ row: UInt32, _ state: borrowing GraphState) -> Int {
      if !state.isInUse(kind) { return 0 }
      return leadsTo ? state[kind].sourceCount(row) : state[kind].targetCount(row)
    }
  }

  var counts: [Count] = []
  var marks: [(kind: RelationKind, name: String)] = []
  var viewer: UInt32?
  var includesPayloads = false

  /// The details of the records of some rows.
  /// - Parameter rows: nil for what is not in the graph, whose counts are 0.
  func columns(
    _ rows: [UInt32?], _ state: borrowing GraphState, _ host: Box<HostColumns>?, authors: UserRecords? = nil
  ) -> DetailColumns {
    var (counts, marks): ([UInt32], [UInt64]) = ([], [])
    counts.reserveCapacity(rows.count * self.counts.count)
    marks.reserveCapacity(rows.count)
    for case let row? in rows {
      for count in self.counts { count.prefetch(row, state) }
    }
    for row in rows {
      for count in self.counts { counts.append(row.map { UInt32(clamping: count.number($0, state)) } ?? 0) }
      var bits: UInt64 = 0
      if let viewer, let row {
        for (place, mark) in self.marks.enumerated() where state.hasEdge(mark.kind, viewer, row) { bits |= 1 << place }
      }
      marks.append(bits)
    }
    return DetailColumns(
      counted: self.counts.map(\.name), marked: self.marks.map(\.name), counts: counts, marks: marks,
      payloads: includesPayloads ? PayloadRecords(rows, host) : nil, authors: authors)
  }

  /// - Returns: the details that records of a type have, and the others.
  /// - Throws: `unknownRelation`, `unknownUser`, `invalidRequest`.
  static func plan(
    _ details: ResultDetails, of end: Relation.End, _ state: borrowing GraphState
  ) throws(KithError) -> (plan: DetailPlan, rest: ResultDetails) {
    guard max(details.counts.count, details.marks.count) <= SocialGraph.Limits.relationCount else {
      throw .invalidRequest(.detailCount(max(details.counts.count, details.marks.count)))
    }
    var (plan, rest) = (DetailPlan(), ResultDetails(viewer: details.viewer))
    plan.includesPayloads = details.includesPayloads
    for asked in details.counts {
      let relation = try state.relations.known(asked)
      guard let kind = relation.kind, relation.target == end || relation.source == end else {
        rest.counts.append(relation)
        continue
      }
      if plan.counts.contains(where: { $0.kind == kind }) { continue }
      plan.counts.append(Count(kind: kind, name: relation.name, leadsTo: relation.target == end))
    }
    for asked in details.marks {
      let relation = try state.relations.known(asked)
      guard let kind = relation.kind, relation.source == .user else {
        throw .invalidRequest(.noMark(relation: relation.name))
      }
      if relation.target != end {
        rest.marks.append(relation)
      } else if !plan.marks.contains(where: { $0.kind == kind }) {
        plan.marks.append((kind, relation.name))
      }
    }
    if !details.marks.isEmpty {
      guard let viewer = details.viewer, viewer != .visitor else { throw .invalidRequest(.marksNeedViewer) }
      plan.viewer = try state.userRow(viewer)
    }
    return (plan, rest)
  }
}

extension ResultDetails {
  /// - Throws: `invalidRequest` if there are details that no record has.
  fileprivate func checkEmpty() throws(KithError) {
    if let relation = counts.first ?? marks.first { throw .invalidRequest(.noDetails(relation: relation.name)) }
  }
}

extension UserRecords {
  /// The same users with details; nil for the users of an empty page.
  /// - Throws: `unknownRelation`, `unknownUser`, `invalidRequest`.
  static func adding(
    _ details: ResultDetails, to users: UserRecords?, _ state: borrowing GraphState
  ) throws(KithError) -> UserRecords? {
    let (plan, rest) = try DetailPlan.plan(details, of: .user, state)
    try rest.checkEmpty()
    guard let users else { return nil }
    let rows = (0..<users.count).map { state.users.row(of: UserID(users[$0].id)) }
    return users.copy(attaching: plan.columns(rows, state, state.users.host))
  }
}

extension PostRecords {
  /// As `UserRecords.adding`; authors have details, too.
  static func adding(
    _ details: ResultDetails, to posts: PostRecords?, _ state: borrowing GraphState
  ) throws(KithError) -> PostRecords? {
    var (plan, rest) = try DetailPlan.plan(details, of: .post, state)
    rest.includesPayloads = details.includesPayloads && posts?.authors != nil
    guard let posts else { return nil }
    var authors = posts.authors
    if !rest.isEmpty { authors = try UserRecords.adding(rest, to: authors, state) }
    let rows = (0..<posts.count).map { state.posts.row(of: PostID(posts[$0].id)) }
    return posts.copy(attaching: plan.columns(rows, state, state.posts.host, authors: authors))
  }
}

extension User {
  /// The number of edges of a relation, if it was asked for (`ResultDetails.counts`).
  public func count(of relation: Relation) -> Int? { records.details?.count(of: relation, index) }
  /// Whether an edge of a relation leads from the viewer to the user; nil if it was not asked for
  /// (`ResultDetails.marks`).
  public func isMarked(_ relation: Relation) -> Bool? { records.details?.isMarked(relation, index) }
}

extension Post {
  /// The number of edges of a relation, if it was asked for (`ResultDetails.counts`).
  public func count(of relation: Relation) -> Int? { records.details?.count(of: relation, index) }
  /// Whether an edge of a relation leads from the viewer to the post; nil if it was not asked for
  /// (`ResultDetails.marks`).
  public func isMarked(_ relation: Relation) -> Bool? { records.details?.isMarked(relation, index) }
}
