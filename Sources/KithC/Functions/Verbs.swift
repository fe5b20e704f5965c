import CKith
import Kith

/// Described in kith.h.
@c @implementation
public func kith_add_user(
  _ graph: OpaquePointer?, _ username: kith_text, _ wanted: Int64, _ id: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  id?.pointee = 0
  return finish(error) {
    var change = kith_change()
    (change.kind, change.user, change.text) = (Int32(KITH_ADD_USER), wanted, username)
    let result = try Handle(graph).apply(try Change(change))
    id?.pointee = result.user?.rawValue ?? 0
  }
}

/// Described in kith.h.
@c @implementation
public func kith_rename_user(
  _ graph: OpaquePointer?, _ user: Int64, _ username: kith_text, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  var change = kith_change()
  (change.kind, change.user, change.text) = (Int32(KITH_RENAME_USER), user, username)
  return apply(change, graph, changed, error)
}

/// Described in kith.h.
@c @implementation
public func kith_remove_user(
  _ graph: OpaquePointer?, _ user: Int64, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  edge(KITH_REMOVE_USER, graph, user, 0, nil, error)
}

/// Described in kith.h.
@c @implementation
public func kith_add_post(
  _ graph: OpaquePointer?, _ author: Int64, _ text: kith_text, _ wanted: Int64, _ created_at: Int64,
  _ id: UnsafeMutablePointer<Int64>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  id?.pointee = 0
  return finish(error) {
    var change = kith_change()
    (change.kind, change.user, change.target, change.text) = (Int32(KITH_ADD_POST), author, wanted, text)
    (change.has_time, change.time) = (created_at == .min ? 0 : 1, created_at)
    let result = try Handle(graph).apply(try Change(change))
    id?.pointee = result.post?.rawValue ?? 0
  }
}

/// Described in kith.h.
@c @implementation
public func kith_remove_post(
  _ graph: OpaquePointer?, _ post: Int64, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  edge(KITH_REMOVE_POST, graph, 0, post, nil, error)
}

/// Described in kith.h.
@c @implementation
public func kith_follow(
  _ graph: OpaquePointer?, _ user: Int64, _ target: Int64, _ at: Int64, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  edge(KITH_FOLLOW, graph, user, target, at: at, changed, error)
}

/// Described in kith.h.
@c @implementation
public func kith_unfollow(
  _ graph: OpaquePointer?, _ user: Int64, _ target: Int64, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  edge(KITH_UNFOLLOW, graph, user, target, changed, error)
}

/// Described in kith.h.
@c @implementation
public func kith_like(
  _ graph: OpaquePointer?, _ user: Int64, _ post: Int64, _ at: Int64, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  edge(KITH_LIKE, graph, user, post, at: at, changed, error)
}

/// Described in kith.h.
@c @implementation
public func kith_unlike(
  _ graph: OpaquePointer?, _ user: Int64, _ post: Int64, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  edge(KITH_UNLIKE, graph, user, post, changed, error)
}

/// Described in kith.h.
@c @implementation
public func kith_block(
  _ graph: OpaquePointer?, _ user: Int64, _ target: Int64, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  edge(KITH_BLOCK, graph, user, target, changed, error)
}

/// Described in kith.h.
@c @implementation
public func kith_unblock(
  _ graph: OpaquePointer?, _ user: Int64, _ target: Int64, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  edge(KITH_UNBLOCK, graph, user, target, changed, error)
}

/// Described in kith.h.
@c @implementation
public func kith_mute(
  _ graph: OpaquePointer?, _ user: Int64, _ target: Int64, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  edge(KITH_MUTE, graph, user, target, changed, error)
}

/// Described in kith.h.
@c @implementation
public func kith_unmute(
  _ graph: OpaquePointer?, _ user: Int64, _ target: Int64, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  edge(KITH_UNMUTE, graph, user, target, changed, error)
}

/// A change without a text.
private func edge(
  _ kind: Int, _ graph: OpaquePointer?, _ user: Int64, _ target: Int64, at time: Int64 = .min,
  _ changed: UnsafeMutablePointer<Bool>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  var change = kith_change()
  (change.kind, change.user, change.target) = (Int32(kind), user, target)
  (change.has_time, change.time) = (time == .min ? 0 : 1, time)
  return apply(change, graph, changed, error)
}

private func apply(
  _ change: kith_change, _ graph: OpaquePointer?, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  changed?.pointee = false
  return finish(error) {
    let result = try Handle(graph).apply(try Change(change))
    changed?.pointee = result.didChange
  }
}
