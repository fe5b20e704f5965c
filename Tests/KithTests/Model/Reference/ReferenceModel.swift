@testable import Kith

/// The specification of the engine in dictionaries and scans, without optimizations.
///
/// It is a value: a copy of it is what a pinned view must answer. Keys of text come from `Folding`, which has tests of
/// its own.
struct ReferenceModel {
  /// A username with its keys.
  struct Name {
    let text: String
    let loose: [UInt8]
    let strict: [UInt8]
    let composed: [UInt8]

    init(_ text: String) {
      self.text = text
      loose = Folding.loose(text)
      strict = Folding.strict(text)
      composed = Folding.nfc(text)
    }
  }

  struct StoredPost {
    let author: UserID
    let time: Int64
    let text: String
  }

  /// Why a call is refused: if several rules are broken, any of their codes is right.
  struct Refusal: Error {
    let codes: Set<String>
  }

  var users: [UserID: Name] = [:]
  var posts: [PostID: StoredPost] = [:]
  /// Ids that were ever assigned.
  var everUsers: Set<UserID> = []
  var everPosts: Set<PostID> = []
  /// Times of follows in seconds, by follower and followee.
  var follows: [UserID: [UserID: UInt32]] = [:]
  /// Times of likes in seconds, by user and post.
  var likes: [UserID: [PostID: UInt32]] = [:]
  var blocks: [UserID: Set<UserID>] = [:]
  var mutes: [UserID: Set<UserID>] = [:]
  /// The relations that the host declared; nil without a schema.
  var declared: [Relation]?
  /// The kinds of users by name, with that of every graph.
  var userKinds = ["user"]
  /// Times of the edges of declared relations, in seconds.
  var edges: [Edge: UInt32] = [:]
  /// The parents of posts, also of those that were removed, and the times of all posts that ever were.
  var parents: [PostID: PostID] = [:]
  var everTimes: [PostID: Int64] = [:]
  var keptWithUsers: [UserID: Kept] = [:]
  var keptWithPosts: [PostID: Kept] = [:]
  var sequence: UInt64 = 0

  /// Whether either of two users blocks the other.
  func isAcross(_ user: UserID, _ other: UserID) -> Bool {
    blocks[user]?.contains(other) == true || blocks[other]?.contains(user) == true
  }

  func holder(of name: Name, _ kind: String) -> UserID? {
    users.first { $0.value.composed == name.composed && self.kind(of: $0.key) == kind }?.key
  }

  func kind(of user: UserID) -> String { keptWithUsers[user]?.kind ?? "user" }

  func followerCount(_ user: UserID) -> Int { follows.values.count { $0[user] != nil } }

  var counts: SocialGraph.Counts {
    SocialGraph.Counts(
      users: users.count, posts: posts.count, follows: follows.values.reduce(0) { $0 + $1.count },
      likes: likes.values.reduce(0) { $0 + $1.count }, blocks: blocks.values.reduce(0) { $0 + $1.count },
      mutes: mutes.values.reduce(0) { $0 + $1.count })
  }
}

// MARK: - Changes

extension ReferenceModel {
  /// Applies one change, or refuses it without an effect.
  mutating func apply(_ change: Change) throws(Refusal) -> ChangeResult {
    var (user, post): (UserID?, PostID?)
    let changed: Bool
    switch change {
    case .addUser(let id, let username, let fields):
      let codes = problems(fields, isEmpty: fields.isEmpty)
      let added = try addUser(id, Name(username), fields.kind ?? "user", more: codes)
      keptWithUsers[added] = Kept(fields)
      user = added
      changed = true
    case .addPost(let id, let author, let text, let time, let edges, let fields):
      let codes = problems(fields.payload, fields.editedAt, isEmpty: fields.isEmpty)
      let added = try addPost(
        id, StoredPost(author: author, time: time?.rawValue ?? 0, text: text), edges, more: codes)
      keptWithPosts[added] = Kept(fields)
      keptWithPosts[added]?.editedAt = fields.editedAt?.rawValue
      post = added
      changed = true
    default: changed = try applyToOld(change)
    }
    if changed {
      endEdges(by: change)
      sequence += 1
    }
    return ChangeResult(sequence: sequence, didChange: changed, user: user, post: post)
  }

  /// A change of existing users or posts. Returns whether it changes anything.
  mutating func applyToOld(_ change: Change) throws(Refusal) -> Bool {
    switch change {
    case .addUser, .addPost: preconditionFailure("these make something new")
    case .renameUser(let user, let username): return try rename(user, Name(username))
    case .removeUser(let user):
      try remove(user)
      return true
    case .editUser(let user, let fields): return try edit(user, fields)
    case .editPost(let post, let text, let fields): return try edit(post, text, fields)
    case .removePost(let post):
      try refuse(posts[post] == nil ? ["unknownPost"] : [])
      drop(post)
      return true
    case .follow(let user, let target, let time): return try follow(user, target, time?.rawValue ?? 0)
    case .unfollow(let user, let target):
      try refuse(unknown(user, target))
      return follows[user]?.removeValue(forKey: target) != nil
    case .like(let user, let post, let time): return try like(user, post, time?.rawValue ?? 0)
    case .unlike(let user, let post):
      try refuse(likeProblems(user, post))
      return likes[user]?.removeValue(forKey: post) != nil
    case .block(let user, let target): return try block(user, target)
    case .unblock(let user, let target):
      try refuse(unknown(user, target))
      return blocks[user]?.remove(target) != nil
    case .mute(let user, let target):
      try refuse(unknown(user, target).union(user == target ? ["invalidRequest"] : []))
      return mutes[user, default: []].insert(target).inserted
    case .unmute(let user, let target):
      try refuse(unknown(user, target))
      return mutes[user]?.remove(target) != nil
    case .addEdge(let relation, let source, let target, let time):
      return try addEdge(relation, source, target, time)
    case .removeEdge(let relation, let source, let target): return try removeEdge(relation, source, target)
    case .declare: throw Refusal(codes: ["invalidRequest"])
    }
  }

  func refuse(_ codes: Set<String>) throws(Refusal) {
    if !codes.isEmpty { throw Refusal(codes: codes) }
  }

  private func unknown(_ ids: UserID...) -> Set<String> {
    ids.allSatisfy { users[$0] != nil } ? [] : ["unknownUser"]
  }

  // MARK: Users

  private mutating func addUser(
    _ id: UserID?, _ name: Name, _ kind: String, more: Set<String>
  ) throws(Refusal) -> UserID {
    var codes = nameProblems(name, kind, own: nil).union(more)
    let highest = everUsers.map(\.rawValue).max() ?? 0
    if id == nil && highest == .max { codes.insert("limitExceeded") }
    let user = id ?? UserID(highest == .max ? 1 : highest + 1)
    if user.rawValue < 1 { codes.insert("invalidRequest") }
    if id != nil && everUsers.contains(user) { codes.insert("idTaken") }
    try refuse(codes)
    everUsers.insert(user)
    users[user] = name
    return user
  }

  private mutating func rename(_ user: UserID, _ name: Name) throws(Refusal) -> Bool {
    try refuse(unknown(user).union(nameProblems(name, kind(of: user), own: user)))
    if let old = users[user], old.text.utf8.elementsEqual(name.text.utf8) { return false }
    users[user] = name
    return true
  }

  private func nameProblems(_ name: Name, _ kind: String, own: UserID?) -> Set<String> {
    let forbidden: Set<UInt32> = [0, 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029]
    let isValid =
      (1...255).contains(name.text.utf8.count) && !name.text.unicodeScalars.contains { forbidden.contains($0.value) }
    if !isValid { return ["invalidUsername"] }
    if let holder = holder(of: name, kind), holder != own { return ["usernameTaken"] }
    return []
  }

  private mutating func remove(_ user: UserID) throws(Refusal) {
    try refuse(unknown(user))
    for (id, post) in posts where post.author == user { drop(id) }
    users[user] = nil
    keptWithUsers[user] = nil
    follows[user] = nil
    likes[user] = nil
    blocks[user] = nil
    mutes[user] = nil
    for other in users.keys {
      follows[other]?[user] = nil
      blocks[other]?.remove(user)
      mutes[other]?.remove(user)
    }
  }

  // MARK: Posts

  private mutating func addPost(
    _ id: PostID?, _ post: StoredPost, _ given: [PostEdge], more: Set<String>
  ) throws(Refusal) -> PostID {
    var codes = unknown(post.author).union(more)
    let highest = everPosts.map(\.rawValue).max() ?? 0
    if id == nil && highest == .max { codes.insert("limitExceeded") }
    let assigned = id ?? PostID(highest == .max ? 1 : highest + 1)
    if assigned.rawValue < 1 || post.time < 0 { codes.insert("invalidRequest") }
    if id != nil && everPosts.contains(assigned) { codes.insert("idTaken") }
    if post.text.utf8.count > 65_535 { codes.insert("textTooLong") }
    let added = try placed(given, of: assigned, post.time, more: codes)
    everPosts.insert(assigned)
    posts[assigned] = post
    everTimes[assigned] = post.time
    parents[assigned] = added.parent
    edges.merge(added.edges) { old, _ in old }
    return assigned
  }

  private mutating func drop(_ post: PostID) {
    posts[post] = nil
    keptWithPosts[post] = nil
    for user in users.keys { likes[user]?[post] = nil }
  }

  // MARK: Edges

  /// The seconds of a time in milliseconds; nil when out of range.
  func second(_ milliseconds: Int64) -> UInt32? {
    milliseconds < 0 ? nil : UInt32(exactly: milliseconds / 1_000)
  }

  private mutating func follow(_ user: UserID, _ target: UserID, _ time: Int64) throws(Refusal) -> Bool {
    var codes = unknown(user, target)
    if user == target { codes.insert("cannotFollowSelf") }
    if second(time) == nil { codes.insert("invalidRequest") }
    if codes.isEmpty && isAcross(user, target) { codes.insert("blocked") }
    try refuse(codes)
    if follows[user]?[target] != nil { return false }
    follows[user, default: [:]][target] = second(time)
    return true
  }

  private func likeProblems(_ user: UserID, _ post: PostID) -> Set<String> {
    var codes = unknown(user)
    if let post = posts[post] {
      if users[user] != nil && isAcross(user, post.author) { codes.insert("blocked") }
    } else {
      codes.insert("unknownPost")
    }
    return codes
  }

  private mutating func like(_ user: UserID, _ post: PostID, _ time: Int64) throws(Refusal) -> Bool {
    try refuse(likeProblems(user, post).union(second(time) == nil ? ["invalidRequest"] : []))
    if likes[user]?[post] != nil { return false }
    likes[user, default: [:]][post] = second(time)
    return true
  }

  private mutating func block(_ user: UserID, _ target: UserID) throws(Refusal) -> Bool {
    try refuse(unknown(user, target).union(user == target ? ["invalidRequest"] : []))
    follows[user]?[target] = nil
    follows[target]?[user] = nil
    return blocks[user, default: []].insert(target).inserted
  }
}
