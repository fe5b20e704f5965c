/// What makes changes in async code: a `SocialGraph`, where each is durable when its verb returns, and a graph whose
/// changes go through a log, where each is on a quorum and applied here.
///
/// The verbs are those of `GraphWriter`. They suspend the task and block no thread of the cooperative pool.
public protocol AsyncGraphWriter: Sendable {
  /// Makes one change.
  /// - Returns: its sequence number, and the id if one was assigned. A change without effect takes no number.
  /// - Throws: the errors of the `Change`; `cancelled` if the task is cancelled before the change is handed over; what
  ///   the `apply` of the type throws beside them.
  @discardableResult
  func apply(_ change: Change) async throws(KithError) -> ChangeResult
}

extension AsyncGraphWriter {
  /// Adds a user. The id is assigned unless given.
  /// Fields need a schema.
  /// - Throws: as `apply`: `invalidUsername`, `usernameTaken`, `userIDTaken`; of fields, what `editUser` throws.
  @discardableResult
  public func addUser(
    _ username: String, id: UserID? = nil, fields: UserFields = UserFields()
  ) async throws(KithError) -> UserID {
    guard let user = try await apply(.addUser(id: id, username: username, fields: fields)).user else {
      preconditionFailure("a user that was added has an id")
    }
    return user
  }

  /// Renames a user.
  /// - Returns: whether the name changed.
  /// - Throws: as `apply`: `unknownUser`, `invalidUsername`, `usernameTaken`.
  @discardableResult
  public func renameUser(_ user: UserID, to username: String) async throws(KithError) -> Bool {
    try await apply(.renameUser(user, to: username)).didChange
  }

  /// Sets what the host keeps with a user: the fields that are given.
  /// - Returns: whether anything changed.
  /// - Throws: as `apply`: `noSchema`, `unknownUser`; `invalidRequest` if the payload is too long.
  @discardableResult
  public func editUser(_ user: UserID, _ fields: UserFields) async throws(KithError) -> Bool {
    try await apply(.editUser(user, fields)).didChange
  }

  /// Removes a user with the user's posts, follows in both directions, likes, blocks and mutes.
  /// - Throws: as `apply`: `unknownUser`.
  public func removeUser(_ user: UserID) async throws(KithError) { try await apply(.removeUser(user)) }

  /// Makes a user follow another, the target.
  /// - Returns: whether the follow is new.
  /// - Throws: as `apply`: `unknownUser`, `cannotFollowSelf`, `blocked`.
  @discardableResult
  public func follow(_ target: UserID, as user: UserID, at time: Timestamp? = nil) async throws(KithError) -> Bool {
    try await apply(.follow(as: user, target: target, at: time)).didChange
  }

  /// Removes a user's follow of another.
  /// - Returns: whether there was a follow.
  /// - Throws: as `apply`: `unknownUser`.
  @discardableResult
  public func unfollow(_ target: UserID, as user: UserID) async throws(KithError) -> Bool {
    try await apply(.unfollow(as: user, target: target)).didChange
  }

  /// Adds a post, with edges of relations that the host declared: what it replies to, whom it mentions. Id and time
  /// are assigned unless given. The edges are at most 256, added in their order, all or none. One that has a time of
  /// its own and gives none has that of the post.
  /// - Throws: as `apply`: `unknownUser`, `postIDTaken`, `textTooLong`; of an edge, what `addEdge` throws; of fields,
  ///   what `editPost` throws.
  @discardableResult
  public func addPost(
    _ text: String, by author: UserID, id: PostID? = nil, createdAt: Timestamp? = nil, edges: [PostEdge] = [],
    fields: PostFields = PostFields()
  ) async throws(KithError) -> PostID {
    let change = Change.addPost(id: id, by: author, text: text, createdAt: createdAt, edges: edges, fields: fields)
    guard let post = try await apply(change).post else {
      preconditionFailure("a post that was added has an id")
    }
    return post
  }

  /// Replaces the text of a post, or sets what the host keeps with it: what is given. Searches find the new text at
  /// once. Its place in lists stays.
  /// - Returns: whether anything changed.
  /// - Throws: as `apply`: `noSchema`, `unknownPost`, `textTooLong`; `invalidRequest` if the payload is too long.
  @discardableResult
  public func editPost(
    _ post: PostID, text: String? = nil, fields: PostFields = PostFields()
  ) async throws(KithError) -> Bool {
    try await apply(.editPost(post, text: text, fields: fields)).didChange
  }

  /// Removes a post with its likes.
  /// - Throws: as `apply`: `unknownPost`.
  public func removePost(_ post: PostID) async throws(KithError) { try await apply(.removePost(post)) }

  /// Makes a user like a post.
  /// - Returns: whether the like is new.
  /// - Throws: as `apply`: `unknownUser`, `unknownPost`, `blocked`.
  @discardableResult
  public func like(_ post: PostID, as user: UserID, at time: Timestamp? = nil) async throws(KithError) -> Bool {
    try await apply(.like(as: user, post: post, at: time)).didChange
  }

  /// Removes a user's like of a post.
  /// - Returns: whether there was a like.
  /// - Throws: as `apply`: `unknownUser`, `unknownPost`, `blocked`.
  @discardableResult
  public func unlike(_ post: PostID, as user: UserID) async throws(KithError) -> Bool {
    try await apply(.unlike(as: user, post: post)).didChange
  }

  /// Makes a user block another. This removes the follows between them.
  /// - Returns: whether the block is new.
  /// - Throws: as `apply`: `unknownUser`; `invalidRequest` if the users are the same.
  @discardableResult
  public func block(_ target: UserID, as user: UserID) async throws(KithError) -> Bool {
    try await apply(.block(as: user, target: target)).didChange
  }

  /// Removes a user's block of another.
  /// - Returns: whether there was a block.
  /// - Throws: as `apply`: `unknownUser`.
  @discardableResult
  public func unblock(_ target: UserID, as user: UserID) async throws(KithError) -> Bool {
    try await apply(.unblock(as: user, target: target)).didChange
  }

  /// Makes a user mute another.
  /// - Returns: whether the mute is new.
  /// - Throws: as `apply`: `unknownUser`; `invalidRequest` if the users are the same.
  @discardableResult
  public func mute(_ target: UserID, as user: UserID) async throws(KithError) -> Bool {
    try await apply(.mute(as: user, target: target)).didChange
  }

  /// Removes a user's mute of another.
  /// - Returns: whether there was a mute.
  /// - Throws: as `apply`: `unknownUser`.
  @discardableResult
  public func unmute(_ target: UserID, as user: UserID) async throws(KithError) -> Bool {
    try await apply(.unmute(as: user, target: target)).didChange
  }

  /// Adds an edge of a relation. See `GraphWriter.addEdge`.
  @discardableResult
  public func addEdge(
    _ relation: Relation, from source: some NodeIdentifier, to target: some NodeIdentifier, at time: Timestamp? = nil
  ) async throws(KithError) -> Bool {
    try await apply(.addEdge(relation, from: source.node, to: target.node, at: time)).didChange
  }

  /// Removes an edge of a relation. See `GraphWriter.removeEdge`.
  @discardableResult
  public func removeEdge(
    _ relation: Relation, from source: some NodeIdentifier, to target: some NodeIdentifier
  ) async throws(KithError) -> Bool {
    try await apply(.removeEdge(relation, from: source.node, to: target.node)).didChange
  }
}
