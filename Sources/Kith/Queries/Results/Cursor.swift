/// A cursor: the position in a list where a page ends, as opaque text. It stays valid across restarts, and when items
/// around it are inserted or removed.
///
/// It holds the key of the last item, not an offset. It is bound to the query, its order and its subject.
public struct Cursor: Hashable, Sendable {
  /// The list, and the position where it is two numbers; nil if only the text is known.
  private let known: CursorPlace?
  private let source: Source

  /// What else the text is made of, when it is read. At most one reference: each page and each query has cursors, and
  /// is copied.
  private enum Source: Sendable {
    case none
    /// The last user of a page of a list by name. `known.first` is the user's rank; -1 in an order without ranks.
    case page(UserRecords)
    case text(Text)
  }

  private final class Text: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  /// The text, URL-safe, for storing or sending.
  public var text: String { if case .text(let source) = source { source.text } else { content?.text ?? "" } }

  /// Creates a cursor from its text. The query that uses the cursor validates it.
  public init(_ text: String) { (known, source) = (nil, .text(Text(text))) }

  init(_ place: CursorPlace) { (known, source) = (place, .none) }

  /// The position after the last user of a page, not empty, of a list by name, or by rank, then name. Nothing is copied
  /// until it is read.
  init(_ kind: CursorContent.Kind, subject: Int64 = 0, rank: Int? = nil, lastOf page: UserRecords) {
    known = CursorPlace(kind: kind, subject: subject, first: rank.map { Int64($0) } ?? -1, second: 0)
    source = .page(page)
  }

  /// The position, unless it is a name or the cursor was created from text.
  var place: CursorPlace? { if case .none = source { known } else { nil } }

  /// The content, unless the cursor was created from text.
  var content: CursorContent? {
    guard let known else { return nil }
    guard case .page(let page) = source else { return known.content }
    let last = User(page, page.count - 1)
    let numbers = [last.id.rawValue] + (known.first < 0 ? [] : [known.first])
    return CursorContent(kind: known.kind, subject: known.subject, numbers: numbers, name: Array(last.username.utf8))
  }

  /// Cursors are equal if their texts are.
  public static func == (left: Cursor, right: Cursor) -> Bool { left.text == right.text }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Cursor: Codable, LosslessStringConvertible {
  /// The text.
  public var description: String { text }

  /// Decodes the text. The query that uses the cursor validates it.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// The content of a cursor in a list with a key of two numbers.
struct CursorPlace: Equatable, Sendable {
  var kind: CursorContent.Kind
  var subject: Int64
  var first: Int64
  var second: Int64

  var content: CursorContent { CursorContent(kind: kind, subject: subject, numbers: [first, second]) }

  /// The position of a cursor of this kind and subject.
  /// - Throws: `invalidCursor`.
  init(_ cursor: Cursor, kind: CursorContent.Kind, subject: Int64) throws(KithError) {
    if let place = cursor.place {
      guard place.kind == kind, place.subject == subject else { throw .invalidCursor }
      self = place
    } else {
      let numbers = try CursorContent(cursor, kind: kind, subject: subject, numberCount: 2).numbers
      self.init(kind: kind, subject: subject, first: numbers[0], second: numbers[1])
    }
  }

  init(kind: CursorContent.Kind, subject: Int64, first: Int64, second: Int64) {
    self.kind = kind
    self.subject = subject
    self.first = first
    self.second = second
  }
}

/// The content of a cursor: its list, and the key of the last item of the page.
///
/// Encoded as: kind (1 byte), subject (8), number of integers (1), integers (8 each, little-endian), a name (the rest),
/// checksum (4). All of it in the URL-safe base64 alphabet without padding.
struct CursorContent: Equatable, Sendable {
  /// The lists: a query and its order. Hosts keep cursors that contain these numbers: never reuse one.
  ///
  /// An enumeration, so that an optional cursor takes no byte of its own: pages and queries are copied.
  enum Kind: UInt8 {
    case usersByName = 1
    case timeline = 2
    case posts = 3
    case followeesNewest = 4
    case followeesByName = 5
    case followersNewest = 6
    case followersByName = 7
    case likers = 8
    case likes = 9
    case blocked = 10
    case muted = 11
    case postsOfAuthor = 12
    case postsOfFollowees = 13
    case postsOfAuthorAmongFollowees = 14
    case usersPrefixFirst = 20
    case usersFollowedFirst = 21
    case usersPopular = 22
    case usersFuzzy = 23
    case mutualFollowees = 32
    case mutualFollowers = 33
    case twoHopTimeline = 34
    case familiarFollowers = 35
    case targetsNewest = 40
    case targetsOldest = 41
    case targetsByName = 42
    case sourcesNewest = 43
    case sourcesOldest = 44
    case sourcesByName = 45
    case threadOldest = 46
    case threadNewest = 47
    case incoming = 48

    /// Of a list of users that a relation gives; nil where there is no such list.
    init?(_ kind: RelationKind, _ side: RelationSide, _ order: RelationOrder) {
      let facts = kind.facts
      guard let list = side == .targets ? facts.targetList : facts.sourceList,
        let number = order == .name ? list.cursorByName : list.cursor
      else { return nil }
      self.init(rawValue: number)
    }
  }

  var kind: Kind
  /// The user or post that the list belongs to; 0 for none.
  var subject: Int64 = 0
  var numbers: [Int64] = []
  var name: [UInt8] = []

  var cursor: Cursor { Cursor(text) }

  var text: String {
    var bytes: [UInt8] = [kind.rawValue]
    Self.append(subject, to: &bytes)
    bytes.append(UInt8(numbers.count))
    for number in numbers { Self.append(number, to: &bytes) }
    bytes += name
    // Detects damage; a forged cursor can at most choose the position of the next page.
    let sum = FNV1a.hash(bytes[...])
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: sum >> UInt32(shift))) }
    return Base64.url.text(bytes)
  }

  /// The most characters of a cursor with so many numbers. Its name is a username, and four characters hold three
  /// bytes.
  private static func maximumCharacterCount(numberCount: Int) -> Int {
    (fixedByteCount(numberCount) + SocialGraph.Limits.usernameByteCount + 4 + 2) / 3 * 4
  }

  /// The number of bytes without the name.
  private static func fixedByteCount(_ numberCount: Int) -> Int { 10 + numberCount * 8 }

  /// Decodes a cursor of this kind and subject, with so many numbers.
  /// - Throws: `invalidCursor`.
  init(_ cursor: Cursor, kind: Kind, subject: Int64 = 0, numberCount: Int) throws(KithError) {
    if let content = cursor.content {
      guard content.kind == kind, content.subject == subject, content.numbers.count == numberCount else {
        throw .invalidCursor
      }
      self = content
      return
    }
    guard cursor.text.utf8.count <= Self.maximumCharacterCount(numberCount: numberCount),
      let found = Self.decoded(cursor.text), found.kind == kind, found.subject == subject,
      found.numbers.count == numberCount
    else { throw .invalidCursor }
    self = found
  }

  /// The content of a cursor of any kind; nil if it is damaged.
  init?(_ cursor: Cursor) {
    guard let found = cursor.content ?? Self.decoded(cursor.text) else { return nil }
    self = found
  }

  private static func decoded(_ text: String) -> CursorContent? {
    guard text.utf8.count <= maximumCharacterCount(numberCount: mostNumbers), let bytes = Base64.url.bytes(text),
      bytes.count >= fixedByteCount(0) + 4, let kind = Kind(rawValue: bytes[0])
    else { return nil }
    let (count, end) = (Int(bytes[9]), bytes.count - 4)
    let fixed = fixedByteCount(count)
    if count > mostNumbers || fixed > end { return nil }
    var sum: UInt32 = 0
    for place in 0..<4 { sum |= UInt32(bytes[end + place]) << UInt32(place * 8) }
    if sum != FNV1a.hash(bytes[..<end]) { return nil }
    let numbers = (0..<count).map { integer(bytes, at: 10 + $0 * 8) }
    return CursorContent(
      kind: kind, subject: integer(bytes, at: 1), numbers: numbers, name: Array(bytes[fixed..<end]))
  }

  /// The most numbers of any cursor.
  private static let mostNumbers = 4

  init(kind: Kind, subject: Int64 = 0, numbers: [Int64] = [], name: [UInt8] = []) {
    self.kind = kind
    self.subject = subject
    self.numbers = numbers
    self.name = name
  }

  private static func append(_ value: Int64, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> Int64(shift))) }
  }

  private static func integer(_ bytes: [UInt8], at start: Int) -> Int64 {
    var value: UInt64 = 0
    for place in 0..<8 { value |= UInt64(bytes[start + place]) << UInt64(place * 8) }
    return Int64(bitPattern: value)
  }
}
