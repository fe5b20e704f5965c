/// A post as one question saw it. Two values with the same id are the same post.
///
/// A value shares the memory of the answer it came with: a page of posts is one allocation, and texts become strings
/// when they are read.
public struct Post: Identifiable, Hashable, Sendable, CustomStringConvertible {
  private let records: PostRecords
  private let index: Int

  init(_ records: PostRecords, _ index: Int) {
    self.records = records
    self.index = index
  }

  @inline(__always)
  private var record: PostRecord { records[index] }

  /// Which it is.
  public var id: PostID { PostID(record.id) }
  /// Who wrote it.
  public var author: Author { Author(records, index) }
  /// When, in milliseconds; need not ascend with ids.
  public var createdAt: Timestamp { Timestamp(record.createdAt) }
  /// The text, exactly as given.
  public var text: String {
    let record = record
    return records.string(at: Int(record.nameStart) + Int(record.nameByteCount), count: Int(record.textByteCount))
  }
  /// How many like it.
  public var likeCount: Int { Int(record.likeCount) }
  /// Whether the viewer likes it; nil without a viewer.
  public var liked: Bool? { record.hasViewer ? record.isLiked : nil }
  /// When the like of a likes list was given, in whole seconds.
  public var likedAt: Timestamp? { record.hasLikedAt ? Timestamp(second: record.likedSecond) : nil }

  /// All that it says.
  public var description: String {
    "Post(id: \(id), author: \(author), createdAt: \(createdAt.rawValue), text: \(text.debugDescription), "
      + "likeCount: \(likeCount), liked: \(liked.map(String.init) ?? "nil"), "
      + "likedAt: \(likedAt.map { String($0.rawValue) } ?? "nil"))"
  }

  /// Equal in all that they say.
  public static func == (left: Post, right: Post) -> Bool {
    left.id == right.id && left.author == right.author && left.createdAt == right.createdAt
      && left.likeCount == right.likeCount && left.liked == right.liked && left.likedAt == right.likedAt
      && left.text == right.text
  }

  /// Hashes what tells posts apart.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The author of a post.
public struct Author: Identifiable, Hashable, Sendable, CustomStringConvertible {
  private let records: PostRecords
  private let index: Int

  fileprivate init(_ records: PostRecords, _ index: Int) {
    self.records = records
    self.index = index
  }

  /// Who it is.
  public var id: UserID { UserID(records[index].authorID) }
  /// The present name.
  public var username: String {
    let record = records[index]
    return records.string(at: Int(record.nameStart), count: Int(record.nameByteCount))
  }

  /// Id and name.
  public var description: String { "Author(id: \(id), username: \(username.debugDescription))" }

  /// Equal in id and name.
  public static func == (left: Author, right: Author) -> Bool {
    left.id == right.id && left.username == right.username
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The posts of one answer, and their names and texts.
typealias PostRecords = ResultBuffer<PostRecord>

/// What an answer says of a post; 48 bytes. Its author's name stands at `nameStart`, and its text behind the name.
struct PostRecord: BitwiseCopyable, Sendable {
  let id: Int64
  let authorID: Int64
  let createdAt: Int64
  let likeCount: UInt32
  let nameStart: UInt32
  /// When the like was given, if `hasLikedAt`.
  var likedSecond: UInt32 = 0
  let textByteCount: UInt16
  let nameByteCount: UInt8
  var hasViewer = false
  var isLiked = false
  var hasLikedAt = false
}

/// One page of posts, in order, and where to go on: one allocation, whatever its length.
public struct PostPage: RandomAccessCollection, Hashable, Sendable {
  private let records: PostRecords?
  /// Where the next page begins; nil when the list has ended. A walk towards newer posts always has one.
  public let next: Cursor?
  /// Of a timeline: where newer posts begin; nil only while nothing was ever shown.
  public let previous: Cursor?
  /// Whether a limit on the work was reached: the answer is exact for what was looked at, which its question describes.
  public let isTruncated: Bool
  /// Of a search that asked for it: where its words stand in the text of each post, as half-open ranges of UTF-8 bytes:
  /// whole scalars, ascending, those of several words made one where they overlap.
  public let ranges: [[Range<Int>]]?

  init(
    _ records: PostRecords?, next: Cursor? = nil, previous: Cursor? = nil, isTruncated: Bool = false,
    ranges: [[Range<Int>]]? = nil
  ) {
    self.records = records
    self.ranges = ranges
    self.next = next
    self.previous = previous
    self.isTruncated = isTruncated
  }

  /// The posts as an array.
  public var items: [Post] { Array(self) }

  /// The place of the first post.
  public var startIndex: Int { 0 }
  /// The place behind the last post.
  public var endIndex: Int { records?.count ?? 0 }
  /// One post.
  public subscript(index: Int) -> Post {
    guard let records else { preconditionFailure("the page is empty") }
    return Post(records, index)
  }

  /// Equal posts in the same order, and the same way on.
  public static func == (left: PostPage, right: PostPage) -> Bool {
    left.next == right.next && left.previous == right.previous && left.isTruncated == right.isTruncated
      && left.ranges == right.ranges && left.elementsEqual(right)
  }

  /// Hashes the ids.
  public func hash(into hasher: inout Hasher) { for post in self { hasher.combine(post) } }
}
