@testable import Kith

/// An edge that leads to a user, with values that are equal for the engine and the model.
struct PlainIncoming: Equatable {
  let relation: String
  let second: UInt32
  let user: User?
  let post: Post?
  let target: Post?

  init(relation: String, second: UInt32, user: User?, post: Post?, target: Post?) {
    (self.relation, self.second, self.user, self.post, self.target) = (relation, second, user, post, target)
  }

  init(_ edge: IncomingEdge) {
    self.init(
      relation: edge.relation.name, second: UInt32(edge.addedAt.rawValue / 1_000), user: edge.user, post: edge.post,
      target: edge.target)
  }
}

/// What leads to a user, by the rules alone: all edges are looked at.
extension ReferenceModel {
  func incoming(_ user: UserID, _ query: IncomingQuery, _ place: Place?) throws(Refusal) -> Reply<Place> {
    let list = "incoming \(user)"
    try check(
      viewer: user, limit: query.limit, place: place, list: list, more: unknown(query.relations ?? []))
    let entries: [Entry<PlainIncoming>] = edges(to: user, query).map { edge in
      let post = edge.post?.rawValue ?? 0
      let key = Key(numbers: [-Int64(edge.second), -edge.number, -edge.source.rawValue, -post])
      return (key, item(edge, viewer: user, query.includesAuthors))
    }
    let (items, next) = page(entries, list, after: place, limit: query.limit)
    return Reply(.incoming(items), next: next)
  }

  func incomingCount(_ user: UserID, _ query: IncomingQuery) throws(Refusal) -> Reply<Place> {
    try check(viewer: user, more: unknown(query.relations ?? []))
    return Reply(.count(edges(to: user, query).count, isTruncated: false))
  }

  private func unknown(_ relations: [Relation]) -> Set<String> {
    relations.allSatisfy { facts($0.name) != nil } ? [] : ["unknownRelation"]
  }

  private struct Incoming {
    let relation: String
    let number: Int64
    let second: UInt32
    let source: Node
    let post: PostID?
  }

  private func item(_ edge: Incoming, viewer: UserID, _ includesAuthors: Bool) -> PlainIncoming {
    var (user, post): (User?, Post?)
    switch edge.source {
    case .user(let id): user = self.user(id, viewer)
    case .post(let id): post = self.post(id, viewer, includesAuthors)
    }
    let target = edge.post.flatMap { self.post($0, viewer, includesAuthors) }
    return PlainIncoming(relation: edge.relation, second: edge.second, user: user, post: post, target: target)
  }

  private func edges(to user: UserID, _ query: IncomingQuery) -> [Incoming] {
    var found: [Incoming] = []
    for (number, facts) in (Relation.builtIn + (declared ?? [])).enumerated() where facts.visibility != .source {
      if let asked = query.relations, !asked.contains(where: { $0.name == facts.name }) { continue }
      for edge in all(facts.name) where person(edge.target) == user {
        guard let source = person(edge.source), source != user, !isAcross(user, source) else { continue }
        if mutes[user]?.contains(source) == true || hides(user, source, .incoming) { continue }
        if case .post(let post) = edge.source, !isVisible(post, user) { continue }
        if query.sources == .followees && follows[user]?[source] == nil { continue }
        let time = Int64(edge.second) * 1_000
        if let before = query.before, time >= before.rawValue { continue }
        if let after = query.after, time <= after.rawValue { continue }
        var post: PostID?
        if case .post(let id) = edge.target { post = id }
        found.append(
          Incoming(relation: facts.name, number: Int64(number), second: edge.second, source: edge.source, post: post))
      }
    }
    return found
  }
}
