/// What makes changes: a `SocialGraph`, where each is durable when its verb returns, and a `SocialGraph.Batch`, where
/// all take effect together.
///
/// There is one verb for each kind of change. The engine assigns ids and times that are not given.
public protocol GraphWriter: ~Copyable {
  /// Makes one change.
  /// - Returns: its sequence number, and the id if one was assigned. A change without effect takes no number.
  /// - Throws: the errors of the `Change`, which a batch wraps in `KithError.inBatch`; of a graph also `readOnly`,
  ///   `closed`, and `indeterminate` if writing failed.
  @discardableResult
  func apply(_ change: Change) throws(KithError) -> ChangeResult
}

// Inlinable, so that a host's call is one of `apply`, not one of a witness table.
extension GraphWriter where Self: ~Copyable {
  /// Adds a user. The id is assigned unless given. Fields need a schema.
  /// - Throws: as `apply`: `invalidUsername`, `usernameTaken`, `userIDTaken`; of fields, what `editUser` throws.
  @inlinable @discardableResult
  public func addUser(
    _ username: String, id: UserID? = nil, fields: UserFields = UserFields()
  ) throws(KithError) -> UserID {
    guard let user = try apply(.addUser(id: id, username: username, fields: fields)).user else {
      preconditionFailure("a user that was added has an id")
    }
    return user
  }

  /// Renames a user.
  /// - Returns: whether the name changed.
  /// - Throws: as `apply`: `unknownUser`, `invalidUsername`, `usernameTaken`.
  @inlinable @discardableResult
  public func renameUser(_ user: UserID, to username: String) throws(KithError) -> Bool {
    try apply(.renameUser(user, to: username)).didChange
  }

  /// Sets what the host keeps with a user: the fields that are given.
  /// - Returns: whether anything changed.
  /// - Throws: as `apply`: `noSchema`, `unknownUser`; `invalidRequest` if the payload is too long.
  @inlinable @discardableResult
  public func editUser(_ user: UserID, _ fields: UserFields) throws(KithError) -> Bool {
    try apply(.editUser(user, fields)).didChange
  }

  /// Removes a user with the user's posts, follows in both directions, likes, blocks and mutes.
  /// - Throws: as `apply`: `unknownUser`.
  @inlinable
  public func removeUser(_ user: UserID) throws(KithError) { try apply(.removeUser(user)) }

  /// Makes a user follow another, the target.
  /// - Returns: whether the follow is new.
  /// - Throws: as `apply`: `unknownUser`, `cannotFollowSelf`, `blocked`.
  @inlinable @discardableResult
  public func follow(_ target: UserID, as user: UserID, at time: Timestamp? = nil) throws(KithError) -> Bool {
    try apply(.follow(as: user, target: target, at: time)).didChange
  }

  /// Removes a user's follow of another.
  /// - Returns: whether there was a follow.
  /// - Throws: as `apply`: `unknownUser`.
  @inlinable @discardableResult
  public func unfollow(_ target: UserID, as user: UserID) throws(KithError) -> Bool {
    try apply(.unfollow(as: user, target: target)).didChange
  }

  /// Adds a post, with edges of relations that the host declared: what it replies to, whom it mentions. Id and time
  /// are assigned unless given. The edges are at most 256, added in their order, all or none. One that has a time of
  /// its own and gives none has that of the post.
  /// - Throws: as `apply`: `unknownUser`, `postIDTaken`, `textTooLong`; of an edge, what `addEdge` throws; of fields,
  ///   what `editPost` throws.
  @inlinable @discardableResult
  public func addPost(
    _ text: String, by author: UserID, id: PostID? = nil, createdAt: Timestamp? = nil, edges: [PostEdge] = [],
    fields: PostFields = PostFields()
  ) throws(KithError) -> PostID {
    let change = Change.addPost(id: id, by: author, text: text, createdAt: createdAt, edges: edges, fields: fields)
    guard let post = try apply(change).post else {
      preconditionFailure("a post that was added has an id")
    }
    return post
  }

  /// Replaces the text of a post, or sets what the host keeps with it: what is given. Searches find the new text at
  /// once. Its place in lists stays.
  /// - Returns: whether anything changed.
  /// - Throws: as `apply`: `noSchema`, `unknownPost`, `textTooLong`; `invalidRequest` if the payload is too long.
  @inlinable @discardableResult
  public func editPost(
    _ post: PostID, text: String? = nil, fields: PostFields = PostFields()
  ) throws(KithError) -> Bool {
    try apply(.editPost(post, text: text, fields: fields)).didChange
  }

  /// Removes a post with its likes.
  /// - Throws: as `apply`: `unknownPost`.
  @inlinable
  public func removePost(_ post: PostID) throws(KithError) { try apply(.removePost(post)) }

  /// Makes a user like a post.
  /// - Returns: whether the like is new.
  /// - Throws: as `apply`: `unknownUser`, `unknownPost`, `blocked`.
  @inlinable @discardableResult
  public func like(_ post: PostID, as user: UserID, at time: Timestamp? = nil) throws(KithError) -> Bool {
    try apply(.like(as: user, post: post, at: time)).didChange
  }

  /// Removes a user's like of a post.
  /// - Returns: whether there was a like.
  /// - Throws: as `apply`: `unknownUser`, `unknownPost`, `blocked`.
  @inlinable @discardableResult
  public func unlike(_ post: PostID, as user: UserID) throws(KithError) -> Bool {
    try apply(.unlike(as: user, post: post)).didChange
  }

  /// Makes a user block another. This removes the follows between them.
  /// - Returns: whether the block is new.
  /// - Throws: as `apply`: `unknownUser`; `invalidRequest` if the users are the same.
  @inlinable @discardableResult
  public func block(_ target: UserID, as user: UserID) throws(KithError) -> Bool {
    try apply(.block(as: user, target: target)).didChange
  }

  /// Removes a user's block of another.
  /// - Returns: whether there was a block.
  /// - Throws: as `apply`: `unknownUser`.
  @inlinable @discardableResult
  public func unblock(_ target: UserID, as user: UserID) throws(KithError) -> Bool {
    try apply(.unblock(as: user, target: target)).didChange
  }

  /// Makes a user mute another.
  /// - Returns: whether the mute is new.
  /// - Throws: as `apply`: `unknownUser`; `invalidRequest` if the users are the same.
  @inlinable @discardableResult
  public func mute(_ target: UserID, as user: UserID) throws(KithError) -> Bool {
    try apply(.mute(as: user, target: target)).didChange
  }

  /// Removes a user's mute of another.
  /// - Returns: whether there was a mute.
  /// - Throws: as `apply`: `unknownUser`.
  @inlinable @discardableResult
  public func unmute(_ target: UserID, as user: UserID) throws(KithError) -> Bool {
    try apply(.unmute(as: user, target: target)).didChange
  }

  /// Adds an edge of a relation that the host declared, or of one that every graph has.
  /// - Returns: whether the edge is new.
  /// - Throws: as `apply`: `noSchema`, `unknownRelation`, `unknownUser`, `unknownPost`, `invalidRequest`, `blocked`,
  ///   `missingEdge`.
  @inlinable @discardableResult
  public func addEdge(
    _ relation: Relation, from source: some NodeIdentifier, to target: some NodeIdentifier, at time: Timestamp? = nil
  ) throws(KithError) -> Bool {
    try apply(.addEdge(relation, from: source.node, to: target.node, at: time)).didChange
  }

  /// Removes an edge of a relation, and those that end with it.
  /// - Returns: whether there was an edge.
  /// - Throws: as `apply`: `noSchema`, `unknownRelation`, `unknownUser`, `unknownPost`, `invalidRequest`.
  @inlinable @discardableResult
  public func removeEdge(
    _ relation: Relation, from source: some NodeIdentifier, to target: some NodeIdentifier
  ) throws(KithError) -> Bool {
    try apply(.removeEdge(relation, from: source.node, to: target.node)).didChange
  }
}
