@testable import Kith

/// What the host keeps with users and posts, and edits.
extension ReferenceModel {
  /// What is kept with a user or a post.
  struct Kept: Equatable {
    var payload: [UInt8] = []
    var flags: UInt16 = 0
    var editedAt: Int64?

    init(_ payload: [UInt8]? = nil, _ flags: UInt16? = nil, _ editedAt: Timestamp? = nil) {
      (self.payload, self.flags, self.editedAt) = (payload ?? [], flags ?? 0, editedAt?.rawValue)
    }

    /// As part of a row of an export.
    var row: String { self == Kept() ? "" : " with \(payload) \(flags) \(editedAt.map(String.init) ?? "-")" }
  }

  func problems(_ payload: [UInt8]?, _ editedAt: Timestamp? = nil, isEmpty: Bool) -> Set<String> {
    if isEmpty { return [] }
    var codes: Set<String> = declared == nil ? ["noSchema"] : []
    if let payload, payload.count > 65_535 { codes.insert("invalidRequest") }
    if let editedAt, editedAt.rawValue < 0 { codes.insert("invalidRequest") }
    return codes
  }

  mutating func edit(_ user: UserID, _ fields: UserFields) throws(Refusal) -> Bool {
    if declared == nil { throw Refusal(codes: ["noSchema"]) }
    var codes = problems(fields.payload, isEmpty: false)
    if users[user] == nil { codes.insert("unknownUser") }
    try refuse(codes)
    let old = keptWithUsers[user] ?? Kept()
    let new = Kept(fields.payload ?? old.payload, fields.flags ?? old.flags)
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
    var new = Kept(fields.payload ?? old.payload, fields.flags ?? old.flags, old.editedAt.map { Timestamp($0) })
    let isOther = text.map { !$0.utf8.elementsEqual(stored.text.utf8) } ?? false
    if isOther || new.payload != old.payload { new.editedAt = fields.editedAt?.rawValue }
    if isOther, let text { posts[post] = StoredPost(author: stored.author, time: stored.time, text: text) }
    keptWithPosts[post] = new
    return isOther || new != old
  }
}
