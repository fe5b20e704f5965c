import CKith
import Kith

extension Change {
  /// A change of C.
  init(_ raw: kith_change) throws {
    let (user, post) = (UserID(raw.user), PostID(raw.target))
    let time = raw.has_time == 0 ? nil : Timestamp(raw.time)
    switch Int(raw.kind) {
    case KITH_ADD_USER:
      let username = try string(raw.text, "text")
      let fields = try UserFields(raw.fields)
      self = .addUser(id: raw.user == 0 ? nil : user, username: username, fields: fields)
    case KITH_EDIT_USER: self = .editUser(user, try UserFields(raw.fields))
    case KITH_RENAME_USER: self = .renameUser(user, to: try string(raw.text, "text"))
    case KITH_REMOVE_USER: self = .removeUser(user)
    case KITH_ADD_POST:
      let text = try string(raw.text, "text")
      let fields = try PostFields(raw.fields)
      self = .addPost(id: raw.target == 0 ? nil : post, by: user, text: text, createdAt: time, fields: fields)
    case KITH_EDIT_POST:
      let text = try optionalString(raw.text, "text")
      self = .editPost(post, text: text, fields: try PostFields(raw.fields))
    case KITH_REMOVE_POST: self = .removePost(post)
    default:
      guard let (relation, adds) = RelationKind.changed(by: Int(raw.kind)) else {
        throw Failure.invalid("\(raw.kind) is no kind of change")
      }
      self = Change(EdgeChange(relation, user, raw.target, at: adds ? time : nil, adds: adds))
    }
  }

  /// What the host keeps with a user or a post that it adds or edits.
  private var fields: PostFields {
    switch self {
    case .addPost(_, _, _, _, _, let fields), .editPost(_, _, let fields): fields
    case .addUser(_, _, let fields), .editUser(_, let fields):
      PostFields(payload: fields.payload, flags: fields.flags)
    default: PostFields()
    }
  }

  private var userFields: UserFields? {
    switch self {
    case .addUser(_, _, let fields), .editUser(_, let fields): fields
    default: nil
    }
  }

  /// The change for C, with its texts and payload, which the caller stores.
  var raw: (change: kith_change, text: String?, displayName: String?, kind: String?, payload: [UInt8]?) {
    var (raw, text) = rawWithoutFields
    let fields = fields
    if let flags = fields.flags { (raw.fields.has_flags, raw.fields.flags) = (1, flags) }
    if let time = fields.editedAt { (raw.fields.has_edited_at, raw.fields.edited_at) = (1, time.rawValue) }
    if let audience = fields.audience { (raw.fields.has_audience, raw.fields.audience) = (1, audience.number) }
    if let isPrivate = userFields?.isPrivate {
      (raw.fields.has_privacy, raw.fields.is_private) = (1, isPrivate ? 1 : 0)
    }
    return (raw, text, userFields?.displayName, userFields?.kind, fields.payload)
  }

  private var rawWithoutFields: (change: kith_change, text: String?) {
    var raw = kith_change()
    func set(_ kind: Int, _ user: UserID?, _ target: Int64?, _ time: Timestamp? = nil) {
      (raw.kind, raw.user, raw.target) = (Int32(kind), user?.rawValue ?? 0, target ?? 0)
      if let time { (raw.has_time, raw.time) = (1, time.rawValue) }
    }
    if let edge {
      set(edge.changeKind, edge.source, edge.target, edge.time)
      return (raw, nil)
    }
    switch self {
    case .addUser(let id, let username, _):
      set(KITH_ADD_USER, id, nil)
      return (raw, username)
    case .renameUser(let user, let username):
      set(KITH_RENAME_USER, user, nil)
      return (raw, username)
    case .addPost(let id, let author, let text, let createdAt, _, _):
      set(KITH_ADD_POST, author, id?.rawValue, createdAt)
      return (raw, text)
    case .editPost(let post, let text, _):
      set(KITH_EDIT_POST, nil, post.rawValue)
      return (raw, text)
    case .editUser(let user, _): set(KITH_EDIT_USER, user, nil)
    case .removeUser(let user): set(KITH_REMOVE_USER, user, nil)
    case .removePost(let post): set(KITH_REMOVE_POST, nil, post.rawValue)
    case .addEdge(let relation, let source, let target, let time):
      set(KITH_ADD_EDGE, UserID(source.rawValue), target.rawValue, time)
      return (raw, relation.name)
    case .removeEdge(let relation, let source, let target):
      set(KITH_REMOVE_EDGE, UserID(source.rawValue), target.rawValue)
      return (raw, relation.name)
    case .declare: set(KITH_DECLARE, nil, nil)
    default: preconditionFailure("a change is of a user, of a post, of an edge or of the schema")
    }
    return (raw, nil)
  }
}

/// What a host keeps, as C gives it.
extension UserFields {
  init(_ raw: kith_fields) throws {
    if raw.has_edited_at != 0 { throw Failure.invalid("a user has no time of an edit") }
    if raw.has_audience != 0 { throw Failure.invalid("a user has no audience") }
    let isPrivate = try flag(Int32(raw.is_private), "is_private")
    self.init(
      kind: try optionalString(raw.kind, "kind"), displayName: try optionalString(raw.display_name, "display_name"),
      payload: try raw.bytes,
      flags: try flag(raw.has_flags, "has_flags") ? raw.flags : nil,
      isPrivate: try flag(Int32(raw.has_privacy), "has_privacy") ? isPrivate : nil)
  }
}

extension PostFields {
  init(_ raw: kith_fields) throws {
    if raw.has_privacy != 0 { throw Failure.invalid("a post is not private: it has an audience") }
    for text in [raw.display_name, raw.kind] where text.data != nil || text.size > 0 {
      throw Failure.invalid("a post has no display name, and none of the kinds of users")
    }
    guard let audience = Audience(number: UInt64(raw.audience)) else {
      throw Failure.invalid("\(raw.audience) is no audience")
    }
    self.init(
      payload: try raw.bytes, flags: try flag(raw.has_flags, "has_flags") ? raw.flags : nil,
      editedAt: try flag(raw.has_edited_at, "has_edited_at") ? Timestamp(raw.edited_at) : nil,
      audience: try flag(Int32(raw.has_audience), "has_audience") ? audience : nil)
  }
}

extension kith_fields {
  fileprivate var bytes: [UInt8]? {
    get throws {
      guard reserved == (0, 0) else { throw Failure.invalid("reserved members of kith_fields are not 0") }
      guard payload != nil || payload_size > 0 else { return nil }
      guard payload_size <= Limits.payloadByteCount else {
        throw KithError.invalidRequest(.payloadByteCount(payload_size))
      }
      return Array(try buffer(payload, payload_size, "payload"))
    }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_edit_user(
  _ graph: OpaquePointer?, _ user: Int64, _ fields: UnsafePointer<kith_fields>?, _ changed: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  changed?.pointee = false
  return finish(error) {
    let fields = try UserFields(try needed(fields, "fields").pointee)
    let result = try Handle(graph).apply(.editUser(UserID(user), fields))
    changed?.pointee = result.didChange
  }
}

/// Described in kith.h.
@c @implementation
public func kith_edit_post(
  _ graph: OpaquePointer?, _ post: Int64, _ text: kith_text, _ fields: UnsafePointer<kith_fields>?,
  _ changed: UnsafeMutablePointer<Bool>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  changed?.pointee = false
  return finish(error) {
    let text = try optionalString(text, "text")
    let fields = try fields.map { try PostFields($0.pointee) } ?? PostFields()
    let result = try Handle(graph).apply(.editPost(PostID(post), text: text, fields: fields))
    changed?.pointee = result.didChange
  }
}

extension kith_change_result {
  fileprivate init(_ result: ChangeResult) {
    self.init()
    sequence = result.sequence
    id = result.user?.rawValue ?? result.post?.rawValue ?? 0
    changed = result.didChange ? 1 : 0
  }
}

// MARK: - Batches

/// Described in kith.h.
@c @implementation
public func kith_apply(
  _ graph: OpaquePointer?, _ changes: UnsafePointer<kith_change>?, _ count: Int,
  _ results: UnsafeMutablePointer<kith_change_result>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) {
    guard count <= Limits.batchCount else {
      throw Failure.invalid("a batch has at most \(Limits.batchCount) changes")
    }
    let changes = try checked(try buffer(changes, count, "changes"))
    if Handle(graph).kind == KITH_KIND_BATCH {
      for (index, change) in changes.enumerated() {
        let result = try Handle(graph).apply(change)
        results?[index] = kith_change_result(result)
      }
    } else if count == 1 {
      let result = try Handle(graph).apply(changes[0])
      results?.pointee = kith_change_result(result)
    } else {
      let applied = try Handle(graph).withGraph { try $0.graph.applyTogether(changes) }
      for (index, result) in applied.enumerated() { results?[index] = kith_change_result(result) }
    }
  }
}

/// The changes of C, all checked before one is made.
private func checked(_ changes: UnsafeBufferPointer<kith_change>) throws -> [Change] {
  try changes.enumerated().map { index, change in
    do {
      return try Change(change)
    } catch {
      throw Failure.change(index, error)
    }
  }
}

extension SocialGraph {
  fileprivate func applyTogether(_ changes: [Change]) throws -> [ChangeResult] {
    try batch { (batch) throws(KithError) in
      var results: [ChangeResult] = []
      results.reserveCapacity(changes.count)
      for change in changes { results.append(try batch.apply(change)) }
      return results
    }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_batch(
  _ graph: OpaquePointer?, _ body: (@convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32)?,
  _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) {
    let body = try needed(body, "body")
    try Handle(graph).withGraph { entry in try entry.kept { try run($0) { body($0, context) } } }
  }
}

/// Runs the body of a batch; throws its failure if it returns another value than 0.
private func run(_ entry: GraphEntry, _ body: (OpaquePointer) -> Int32) throws {
  var failure: (any Error)?
  do {
    try entry.graph.batch { (batch) throws(KithError) in
      failure = withUnsafeMutablePointer(to: &batch) { batch in outcome(of: body, BatchEntry(batch), entry) }
      if failure != nil { throw .cancelled }
    }
  } catch {
    throw failure ?? error
  }
}

private func outcome(of body: (OpaquePointer) -> Int32, _ batch: BatchEntry, _ entry: GraphEntry) -> (any Error)? {
  do {
    let handle = try Handle.make(batch, KITH_KIND_BATCH)
    let value = Nesting.callback(holding: entry.lock) { body(handle) }
    _ = Handle.end(handle)
    if value == 0 { return nil }
    if let last = batch.lastError, statusCode(of: last) == value { return last }
    return Failure.body(value)
  } catch {
    return error
  }
}
