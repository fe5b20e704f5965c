/// A post, as of one query. Values with the same id denote the same post.
///
/// A value shares the memory of its result: a page of posts is one allocation, and a text becomes a `String` when read.
public struct Post: PageElement, CustomStringConvertible {
  let records: PostRecords
  let index: Int

  init(_ records: PostRecords, _ index: Int) {
    self.records = records
    self.index = index
  }

  @inline(__always)
  var record: PostRecord { records[index] }

  /// The element at another index of the same result. For `Page` alone.
  public func _sibling(at index: Int) -> Post { Post(records, index) }

  /// The id.
  public var id: PostID { PostID(record.id) }
  /// The author.
  public var author: Author { Author(records, index) }
  /// The creation time in milliseconds. Need not ascend with ids.
  public var createdAt: Timestamp { Timestamp(record.createdAt) }
  /// The text, exactly as given.
  public var text: String {
    let record = record
    return records.string(at: Int(record.nameStart) + Int(record.nameByteCount), count: Int(record.textByteCount))
  }
  /// The number of likes.
  public var likeCount: Int { Int(record.likeCount) }
  /// Whether the viewer likes the post; nil without a viewer.
  public var isLikedByViewer: Bool? { record.hasViewer ? record.isLiked : nil }
  /// The time of the like, in whole seconds; nil except in a list of likes.
  public var likedAt: Timestamp? { record.hasLikedAt ? Timestamp(seconds: record.likedTimestamp) : nil }

  /// All properties as text.
  public var description: String {
    "Post(id: \(id), author: \(author), createdAt: \(createdAt.rawValue), text: \(text.debugDescription), "
      + "likeCount: \(likeCount), isLikedByViewer: \(isLikedByViewer.map(String.init) ?? "nil"), "
      + "likedAt: \(likedAt.map { String($0.rawValue) } ?? "nil"))"
  }

  /// Equal if all properties are.
  public static func == (left: Post, right: Post) -> Bool {
    left.id == right.id && left.author == right.author && left.createdAt == right.createdAt
      && left.likeCount == right.likeCount && left.isLikedByViewer == right.isLikedByViewer
      && left.likedAt == right.likedAt && left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Post {
  /// The author of a post.
  public struct Author: Identifiable, Hashable, Sendable, CustomStringConvertible {
    private let records: PostRecords
    private let index: Int

    fileprivate init(_ records: PostRecords, _ index: Int) {
      self.records = records
      self.index = index
    }

    /// The id of the user.
    public var id: UserID { UserID(records[index].authorID) }
    /// The current name.
    public var username: String {
      let record = records[index]
      return records.string(at: Int(record.nameStart), count: Int(record.nameByteCount))
    }

    /// Id and name.
    public var description: String { "Author(id: \(id), username: \(username.debugDescription))" }

    /// Equal if id and name are.
    public static func == (left: Author, right: Author) -> Bool {
      left.id == right.id && left.username.utf8.elementsEqual(right.username.utf8)
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }
}

extension Post: ResultElement {}

/// The posts of one result, with the names of their authors and their texts.
typealias PostRecords = ResultBuffer<PostRecord>

/// A post in a result; 48 bytes. The author's name begins at `nameStart`; the text follows it.
struct PostRecord: BitwiseCopyable, Sendable {
  let id: Int64
  let authorID: Int64
  let createdAt: Int64
  let likeCount: UInt32
  var nameStart: UInt32
  /// The time of the like, if `hasLikedAt`.
  var likedTimestamp: UInt32 = 0
  let textByteCount: UInt16
  let nameByteCount: UInt8
  var hasViewer = false
  var isLiked = false
  var hasLikedAt = false
}
