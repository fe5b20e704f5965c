/// The changes as verbs. Ids and times may be left to the engine; errors are those of the `Change` of the same name.
extension SocialGraph {
  /// Adds a user; the id is assigned unless given.
  @discardableResult
  public func addUser(_ username: String, id: UserID? = nil) throws(KithError) -> UserID {
    guard let user = try apply(.addUser(id: id, username: username)).user else {
      preconditionFailure("a user that was added has an id")
    }
    return user
  }

  /// Gives a user another name. Returns whether it differs.
  @discardableResult
  public func rename(_ user: UserID, to username: String) throws(KithError) -> Bool {
    try apply(.renameUser(user, username: username)).changed
  }

  /// Removes a user with their posts, follows both ways, likes, blocks and mutes.
  public func remove(_ user: UserID) throws(KithError) { try apply(.removeUser(user)) }

  /// The first follows the second. Returns whether that is new.
  @discardableResult
  public func follow(_ user: UserID, _ target: UserID, at time: Timestamp? = nil) throws(KithError) -> Bool {
    try apply(.follow(user, target, at: time)).changed
  }

  /// The first no longer follows the second. Returns whether they did.
  @discardableResult
  public func unfollow(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    try apply(.unfollow(user, target)).changed
  }

  /// Adds a post; id and time are the engine's unless given.
  @discardableResult
  public func addPost(
    by author: UserID, _ text: String, id: PostID? = nil, createdAt: Timestamp? = nil
  ) throws(KithError) -> PostID {
    guard let post = try apply(.addPost(id: id, author: author, text: text, createdAt: createdAt)).post else {
      preconditionFailure("a post that was added has an id")
    }
    return post
  }

  /// Removes a post with its likes.
  public func remove(_ post: PostID) throws(KithError) { try apply(.removePost(post)) }

  /// A user likes a post. Returns whether that is new.
  @discardableResult
  public func like(_ user: UserID, _ post: PostID, at time: Timestamp? = nil) throws(KithError) -> Bool {
    try apply(.like(user, post, at: time)).changed
  }

  /// A user likes a post no more. Returns whether they did.
  @discardableResult
  public func unlike(_ user: UserID, _ post: PostID) throws(KithError) -> Bool {
    try apply(.unlike(user, post)).changed
  }

  /// The first blocks the second. Returns whether that is new.
  @discardableResult
  public func block(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    try apply(.block(user, target)).changed
  }

  /// The first no longer blocks the second. Returns whether they did.
  @discardableResult
  public func unblock(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    try apply(.unblock(user, target)).changed
  }

  /// The first mutes the second. Returns whether that is new.
  @discardableResult
  public func mute(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    try apply(.mute(user, target)).changed
  }

  /// The first no longer mutes the second. Returns whether they did.
  @discardableResult
  public func unmute(_ user: UserID, _ target: UserID) throws(KithError) -> Bool {
    try apply(.unmute(user, target)).changed
  }
}
