/// The result of a change.
public struct ChangeResult: Hashable, Codable, Sendable {
  /// The sequence number of the change; that of the last change if it had no effect.
  public let sequence: UInt64
  /// Whether it had an effect.
  public let didChange: Bool
  /// The id of the user that was added.
  public internal(set) var user: UserID?
  /// The id of the post that was added.
  public internal(set) var post: PostID?

  private enum CodingKeys: String, CodingKey {
    case sequence, user, post
    case didChange = "changed"
  }

  /// A result, for previews and tests.
  public init(sequence: UInt64, didChange: Bool, user: UserID? = nil, post: PostID? = nil) {
    self.sequence = sequence
    self.didChange = didChange
    self.user = user
    self.post = post
  }

  /// The result of a change that had an effect.
  /// - Parameter complete: with its id.
  @inline(__always)
  init(of complete: Change, sequence: UInt64) {
    self.init(sequence: sequence, didChange: true)
    switch complete {
    case .addUser(let id, _, _): user = id
    case .addPost(let id, _, _, _, _, _): post = id
    default: break
    }
  }
}
