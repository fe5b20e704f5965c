import CKith
import Kith

/// Described in kith.h.
@c @implementation
public func kith_get_counts(
  _ graph: OpaquePointer?, _ counts: UnsafeMutablePointer<kith_counts>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  counts?.pointee = kith_counts()
  return finish(error) {
    let counts = try needed(counts, "counts")
    counts.pointee = try Handle(graph).read { view in
      let now = view.counts
      return kith_counts(
        users: Int64(now.users), posts: Int64(now.posts), follows: Int64(now.follows), likes: Int64(now.likes),
        blocks: Int64(now.blocks), mutes: Int64(now.mutes), sequence: view.sequence,
        is_post_search_indexed: view.isPostSearchIndexed ? 1 : 0, reserved: 0)
    }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_find_user(
  _ graph: OpaquePointer?, _ username: kith_text, _ user: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  user?.pointee = 0
  return finish(error) {
    let (user, name) = (try needed(user, "user"), try string(username, "username"))
    user.pointee = try Handle(graph).read { view in view.findUser(named: name)?.rawValue ?? 0 }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_find_user_of_kind(
  _ graph: OpaquePointer?, _ username: kith_text, _ kind: kith_text, _ user: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  user?.pointee = 0
  return finish(error) {
    let (user, name) = (try needed(user, "user"), try string(username, "username"))
    let kind = try string(kind, "kind")
    user.pointee = try Handle(graph).read { view in view.findUser(named: name, kind: kind)?.rawValue ?? 0 }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_is_following(
  _ graph: OpaquePointer?, _ user: Int64, _ target: Int64, _ is_following: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) {
    let answer = try needed(is_following, "is_following")
    answer.pointee = false
    try Handle(graph).read { view in answer.pointee = try view.isFollowing(UserID(target), as: UserID(user)) }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_relations(
  _ graph: OpaquePointer?, _ user: Int64, _ targets: UnsafePointer<Int64>?, _ count: Int,
  _ relations: UnsafeMutablePointer<UInt8>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) {
    guard count <= Limits.idCount else { throw Failure.invalid("at most \(Limits.idCount) targets") }
    let ids = try buffer(targets, count, "targets").map { UserID($0) }
    let found = try Handle(graph).read { view in try view.relations(of: UserID(user), to: ids) }
    if count == 0 { return }
    let relations = try needed(relations, "relations")
    for (index, each) in found.enumerated() {
      let parts = [
        (each.isFollowing, KITH_FOLLOWS), (each.isFollowedBy, KITH_FOLLOWED_BY), (each.isBlocking, KITH_BLOCKS),
        (each.isBlockedBy, KITH_BLOCKED_BY), (each.isMuting, KITH_MUTES),
      ]
      relations[index] = parts.reduce(0) { $0 | ($1.0 ? UInt8($1.1) : 0) }
    }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_mutual_followee_count(
  _ graph: OpaquePointer?, _ user: Int64, _ other: Int64, _ count: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  count?.pointee = 0
  return finish(error) {
    let count = try needed(count, "count")
    count.pointee = try Handle(graph).read { view in
      Int64(try view.mutualFolloweeCount(of: UserID(user), and: UserID(other)))
    }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_shortest_path(
  _ graph: OpaquePointer?, _ user: Int64, _ target: Int64, _ maximum_hops: Int64, _ follow_limit: Int64,
  _ path: UnsafeMutablePointer<Int64>?, _ capacity: Int, _ count: UnsafeMutablePointer<Int>?,
  _ outcome: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  count?.pointee = 0
  outcome?.pointee = Int32(KITH_UNREACHABLE)
  return finish(error) {
    guard capacity >= 0, capacity == 0 || path != nil else { throw Failure.invalid("path is null, or has no capacity") }
    let limit = follow_limit == 0 ? Limits.followCount : Int(follow_limit)
    let options = PathQuery(maximumHops: Int(maximum_hops), followLimit: limit)
    let found = try Handle(graph).read { view in
      try view.shortestPath(from: UserID(user), to: UserID(target), options)
    }
    switch found {
    case .path(let users):
      for (index, user) in users.prefix(capacity).enumerated() { path?[index] = user.rawValue }
      count?.pointee = users.count
      outcome?.pointee = Int32(KITH_PATH_FOUND)
    case .unreachable: break
    case .gaveUp: outcome?.pointee = Int32(KITH_GAVE_UP)
    }
  }
}
