/// What a host keeps with a user beside the name: stored, shown on request, and read by nothing else.
///
/// Given with a new user or in an edit, in a graph with a schema. In an edit, nil leaves what is there.
public struct UserFields: Hashable, Sendable {
  /// Bytes of the host's: an avatar, a biography. At most 65,535; none if empty.
  public var payload: [UInt8]?
  /// Sixteen flags of the host's.
  public var flags: UInt16?

  /// Fields of a user; nil for those that keep their value, or have none.
  public init(payload: [UInt8]? = nil, flags: UInt16? = nil) { (self.payload, self.flags) = (payload, flags) }

  /// Whether nothing is given.
  var isEmpty: Bool { payload == nil && flags == nil }
}

/// What a host keeps with a post beside the text: stored, shown on request, and read by nothing else.
///
/// Given with a new post or in an edit, in a graph with a schema. In an edit, nil leaves what is there.
public struct PostFields: Hashable, Sendable {
  /// One reference, so that a change with these is hardly larger than one without.
  private final class Contents: Sendable {
    let payload: [UInt8]?
    let flags: UInt16?
    let editedAt: Timestamp?

    init(_ payload: [UInt8]?, _ flags: UInt16?, _ editedAt: Timestamp?) {
      (self.payload, self.flags, self.editedAt) = (payload, flags, editedAt)
    }
  }

  /// Nil if nothing is given.
  private var contents: Contents?

  /// Fields of a post; nil for those that keep their value, or have none.
  public init(payload: [UInt8]? = nil, flags: UInt16? = nil, editedAt: Timestamp? = nil) {
    set(payload, flags, editedAt)
  }

  private mutating func set(_ payload: [UInt8]?, _ flags: UInt16?, _ editedAt: Timestamp?) {
    contents = payload == nil && flags == nil && editedAt == nil ? nil : Contents(payload, flags, editedAt)
  }

  /// Bytes of the host's: pictures, a warning. At most 65,535; none if empty.
  public var payload: [UInt8]? {
    get { contents?.payload }
    set { set(newValue, flags, editedAt) }
  }
  /// Sixteen flags of the host's.
  public var flags: UInt16? {
    get { contents?.flags }
    set { set(payload, newValue, editedAt) }
  }
  /// When the text or the payload was edited, in milliseconds since 1970. An edit of one of them fills it in if it is
  /// nil; an edit of neither does not take it.
  public var editedAt: Timestamp? {
    get { contents?.editedAt }
    set { set(payload, flags, newValue) }
  }

  /// Whether nothing is given.
  @inline(__always)
  var isEmpty: Bool { contents == nil }

  /// Equal if all fields are.
  public static func == (one: PostFields, other: PostFields) -> Bool {
    one.contents === other.contents
      || one.payload == other.payload && one.flags == other.flags && one.editedAt == other.editedAt
  }

  /// Hashes all fields.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(payload)
    hasher.combine(flags)
    hasher.combine(editedAt)
  }
}
