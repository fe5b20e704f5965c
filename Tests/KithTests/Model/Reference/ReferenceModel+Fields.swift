@testable import Kith

/// What the host keeps with users and posts, and edits.
extension ReferenceModel {
  /// What is kept with a user or a post.
  struct Kept: Equatable {
    var payload: [UInt8] = []
    var flags: UInt16 = 0
    var editedAt: Int64?
    var audience = Audience.everyone
    var isPrivate = false
    var displayName = ""
    var kind = "user"

    init() {}

    init(_ fields: UserFields, over old: Kept = Kept()) {
      (payload, flags) = (fields.payload ?? old.payload, fields.flags ?? old.flags)
      isPrivate = fields.isPrivate ?? old.isPrivate
      displayName = fields.displayName ?? old.displayName
      kind = fields.kind ?? old.kind
    }

    /// Equal if all is, the display name byte by byte.
    static func == (one: Kept, other: Kept) -> Bool {
      one.payload == other.payload && one.flags == other.flags && one.editedAt == other.editedAt
        && one.audience == other.audience && one.isPrivate == other.isPrivate
        && one.kind == other.kind && one.displayName.utf8.elementsEqual(other.displayName.utf8)
    }

    init(_ fields: PostFields, over old: Kept = Kept()) {
      (payload, flags) = (fields.payload ?? old.payload, fields.flags ?? old.flags)
      audience = fields.audience ?? old.audience
      editedAt = old.editedAt
    }

    /// As part of a row of an export.
    var row: String {
      self == Kept()
        ? ""
        : " with \(payload) \(flags) \(editedAt.map(String.init) ?? "-") \(audience) \(isPrivate) "
          + "\(Array(displayName.utf8)) \(kind)"
    }
  }

  func problems(_ payload: [UInt8]?, _ editedAt: Timestamp? = nil, isEmpty: Bool) -> Set<String> {
    if isEmpty { return [] }
    var codes: Set<String> = declared == nil ? ["noSchema"] : []
    if let payload, payload.count > 65_535 { codes.insert("invalidRequest") }
    if let editedAt, editedAt.rawValue < 0 { codes.insert("invalidRequest") }
    return codes
  }

  /// The same of a user, who may have a display name.
  func problems(_ fields: UserFields, isEmpty: Bool) -> Set<String> {
    var codes = problems(fields.payload, isEmpty: isEmpty)
    if let kind = fields.kind, !userKinds.contains(kind) { codes.insert("invalidRequest") }
    let breaks: Set<Unicode.Scalar> = ["\0", "\n", "\u{B}", "\u{C}", "\r", "\u{85}", "\u{2028}", "\u{2029}"]
    if let name = fields.displayName, name.utf8.count > 255 || name.unicodeScalars.contains(where: breaks.contains) {
      codes.insert("invalidRequest")
    }
    return codes
  }

  mutating func edit(_ user: UserID, _ fields: UserFields) throws(Refusal) -> Bool {
    if declared == nil { throw Refusal(codes: ["noSchema"]) }
    var codes = problems(fields, isEmpty: false)
    if fields.kind != nil { codes.insert("invalidRequest") }
    if users[user] == nil { codes.insert("unknownUser") }
    try refuse(codes)
    let old = keptWithUsers[user] ?? Kept()
    let new = Kept(fields, over: old)
    keptWithUsers[user] = new
    return new != old
  }

  mutating func edit(_ post: PostID, _ text: String?, _ fields: PostFields) throws(Refusal) -> Bool {
    if declared == nil { throw Refusal(codes: ["noSchema"]) }
    var codes = problems(fields.payload, fields.editedAt, isEmpty: false)
    if posts[post] == nil { codes.insert("unknownPost") }
    if let text, text.utf8.count > 65_535 { codes.insert("textTooLong") }
    let hasContent = text != nil || fields.payload != nil
    if !hasContent && fields.editedAt != nil { codes.insert("invalidRequest") }
    try refuse(codes)
    guard let stored = posts[post] else { return false }
    let old = keptWithPosts[post] ?? Kept()
    var new = Kept(fields, over: old)
    let isOther = text.map { !$0.utf8.elementsEqual(stored.text.utf8) } ?? false
    if isOther || new.payload != old.payload { new.editedAt = fields.editedAt?.rawValue }
    if isOther, let text { posts[post] = StoredPost(author: stored.author, time: stored.time, text: text) }
    keptWithPosts[post] = new
    return isOther || new != old
  }
}

/// Who may see a post.
extension ReferenceModel {
  /// The audience that a post has in effect.
  func audience(of post: PostID) -> Audience {
    let given = keptWithPosts[post]?.audience ?? .everyone
    guard let author = posts[post]?.author, keptWithUsers[author]?.isPrivate == true else { return given }
    return given == .everyone || given == .unlisted ? .followers : given
  }

  /// Whether the audience of a post has a viewer.
  func isAmongAudience(_ viewer: UserID, of post: PostID) -> Bool {
    guard let author = posts[post]?.author else { return false }
    if author == viewer { return true }
    switch audience(of: post) {
    case .everyone, .unlisted: return true
    case .followers: if follows[viewer]?[author] != nil { return true }
    case .mentioned: break
    }
    return edges.keys.contains { edge in
      edge.source == .post(post) && edge.target == .user(viewer) && facts(edge.relation)?.grantsAccess == true
    }
  }
}
