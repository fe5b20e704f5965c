/// What a host keeps with a user beside the username. Searches read the display name and the flags.
///
/// Given with a new user or in an edit, in a graph with a schema. In an edit, nil leaves what is there.
public struct UserFields: Hashable, Sendable {
  /// The kind of a new user, by name (`SocialGraph.Schema.userKinds`); nil for `user`. Given with the user, and never
  /// changed.
  public var kind: String?
  /// A second name, which need not be unique: at most 255 bytes, without NUL and line breaks; none if empty.
  public var displayName: String?
  /// Bytes of the host's: an avatar, a biography. At most 65,535; none if empty.
  public var payload: [UInt8]?
  /// Sixteen flags of the host's.
  public var flags: UInt16?
  /// Whether only followers see the user's posts, whatever their audiences say (`Audience`).
  public var isPrivate: Bool?

  /// Fields of a user; nil for those that keep their value, or have none.
  public init(
    kind: String? = nil, displayName: String? = nil, payload: [UInt8]? = nil, flags: UInt16? = nil,
    isPrivate: Bool? = nil
  ) {
    self.kind = kind
    (self.displayName, self.payload, self.flags, self.isPrivate) = (displayName, payload, flags, isPrivate)
  }

  /// Equal if all fields are, the display name byte by byte.
  public static func == (one: UserFields, other: UserFields) -> Bool {
    one.kind == other.kind && one.displayName.map { Array($0.utf8) } == other.displayName.map { Array($0.utf8) }
      && one.payload == other.payload && one.flags == other.flags && one.isPrivate == other.isPrivate
  }

  /// Whether nothing is given.
  @inline(__always)
  var isEmpty: Bool { kind == nil && displayName == nil && payload == nil && flags == nil && isPrivate == nil }
}

/// What a host keeps with a post beside the text: stored and shown. Filters read the flags, and all lists the audience.
///
/// Given with a new post or in an edit, in a graph with a schema. In an edit, nil leaves what is there.
public struct PostFields: Hashable, Sendable {
  /// One reference, so that a change with these is hardly larger than one without.
  private final class Contents: Sendable {
    let payload: [UInt8]?
    let flags: UInt16?
    let editedAt: Timestamp?
    let audience: Audience?

    init(_ payload: [UInt8]?, _ flags: UInt16?, _ editedAt: Timestamp?, _ audience: Audience?) {
      (self.payload, self.flags, self.editedAt, self.audience) = (payload, flags, editedAt, audience)
    }
  }

  /// Nil if nothing is given.
  private var contents: Contents?

  /// Fields of a post; nil for those that keep their value, or have none.
  public init(
    payload: [UInt8]? = nil, flags: UInt16? = nil, editedAt: Timestamp? = nil, audience: Audience? = nil
  ) {
    set(payload, flags, editedAt, audience)
  }

  private mutating func set(_ payload: [UInt8]?, _ flags: UInt16?, _ editedAt: Timestamp?, _ audience: Audience?) {
    let isEmpty = payload == nil && flags == nil && editedAt == nil && audience == nil
    contents = isEmpty ? nil : Contents(payload, flags, editedAt, audience)
  }

  /// Bytes of the host's: pictures, a warning. At most 65,535; none if empty.
  public var payload: [UInt8]? {
    get { contents?.payload }
    set { set(newValue, flags, editedAt, audience) }
  }
  /// Sixteen flags of the host's.
  public var flags: UInt16? {
    get { contents?.flags }
    set { set(payload, newValue, editedAt, audience) }
  }
  /// When the text or the payload was edited, in milliseconds since 1970. An edit of one of them fills it in if it is
  /// nil; an edit of neither does not take it.
  public var editedAt: Timestamp? {
    get { contents?.editedAt }
    set { set(payload, flags, newValue, audience) }
  }
  /// Who may see it.
  public var audience: Audience? {
    get { contents?.audience }
    set { set(payload, flags, editedAt, newValue) }
  }

  /// Whether nothing is given.
  @inline(__always)
  var isEmpty: Bool { contents == nil }

  /// Equal if all fields are.
  public static func == (one: PostFields, other: PostFields) -> Bool {
    one.contents === other.contents
      || one.payload == other.payload && one.flags == other.flags && one.editedAt == other.editedAt
        && one.audience == other.audience
  }

  /// Hashes all fields.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(payload)
    hasher.combine(flags)
    hasher.combine(editedAt)
    hasher.combine(audience)
  }
}
