import CSupport

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
  /// The author: id and name, and more on request.
  public var author: Author { Author(records, index) }
  /// The creation time in milliseconds. Need not ascend with ids.
  public var createdAt: Timestamp { Timestamp(record.created_at) }
  /// The post that it replies to, which may have been removed since; nil for one that replies to none.
  public var parent: PostID? { record.parent == 0 ? nil : PostID(record.parent) }
  /// The text, exactly as given.
  public var text: String {
    let record = record
    return records.string(at: Int(record.name_start) + Int(record.name_size), count: Int(record.text_size))
  }
  /// The flags that the host keeps with it.
  public var flags: UInt16 { record.flags }
  /// Who may see it, while its author is not private.
  public var audience: Audience { Audience(number: UInt64(record.audience)) ?? .everyone }
  /// When the text or the payload was last edited, in milliseconds; nil if neither was.
  public var editedAt: Timestamp? { record.is_edited == 0 ? nil : Timestamp(record.edited_at) }
  /// The payload, if it was asked for (`ResultDetails.includesPayloads`); empty for none.
  public var payload: [UInt8]? { records.details?.payload(index) }
  /// The number of likes.
  public var likeCount: Int { Int(record.like_count) }
  /// Whether the viewer likes the post; nil without a viewer.
  public var isLikedByViewer: Bool? { record.has_viewer == 0 ? nil : record.liked_by_viewer != 0 }
  /// The time of the like, in whole seconds; nil except in a list of likes.
  public var likedAt: Timestamp? { record.has_liked_at == 1 ? Timestamp(seconds: record.liked_second) : nil }
  /// The time of the edge, in whole seconds; nil except in a list of edges.
  public var addedAt: Timestamp? { record.has_liked_at == 2 ? Timestamp(seconds: record.liked_second) : nil }

  /// Who reposted it, and when; nil at its own place. In a timeline alone.
  public var repost: Repost? {
    let record = record
    if record.reposted_by == 0 { return nil }
    return Repost(
      id: UserID(record.reposted_by),
      username: records.string(at: Int(record.reposter_start), count: Int(record.reposter_size)),
      at: Timestamp(seconds: record.reposted_second))
  }

  /// All properties as text.
  public var description: String {
    "Post(id: \(id), author: \(author), createdAt: \(createdAt.rawValue), "
      + (parent.map { "parent: \($0), " } ?? "") + (flags == 0 ? "" : "flags: \(flags), ")
      + (audience == .everyone ? "" : "audience: \(audience), ")
      + (editedAt.map { "editedAt: \($0.rawValue), " } ?? "") + "text: \(text.debugDescription), "
      + "likeCount: \(likeCount), isLikedByViewer: \(isLikedByViewer.map(String.init) ?? "nil"), "
      + "likedAt: \(likedAt.map { String($0.rawValue) } ?? "nil")"
      + (repost.map { ", reposted by \($0.id) at \($0.at.rawValue)" } ?? "") + ")"
  }

  /// Equal if all properties are.
  public static func == (left: Post, right: Post) -> Bool {
    left.id == right.id && left.author == right.author && left.createdAt == right.createdAt
      && left.parent == right.parent && left.flags == right.flags && left.editedAt == right.editedAt
      && left.audience == right.audience
      && left.likeCount == right.likeCount && left.isLikedByViewer == right.isLikedByViewer
      && left.likedAt == right.likedAt && left.addedAt == right.addedAt && left.repost == right.repost
      && left.text.utf8.elementsEqual(right.text.utf8)
      && DetailColumns.areEqual(left.records.details, left.index, right.records.details, right.index)
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Post {
  /// Who brought a post into a timeline, and when.
  public struct Repost: Identifiable, Hashable, Sendable {
    /// The id of the user.
    public let id: UserID
    /// The current name.
    public let username: String
    /// The time of the repost, in whole seconds.
    public let at: Timestamp

    /// A repost, for previews and tests.
    public init(id: UserID, username: String, at time: Timestamp) {
      (self.id, self.username, at) = (id, username, time)
    }
  }

  /// The author of a post.
  public struct Author: Identifiable, Hashable, Sendable, CustomStringConvertible {
    private let records: PostRecords
    private let index: Int

    fileprivate init(_ records: PostRecords, _ index: Int) {
      self.records = records
      self.index = index
    }

    /// The id of the user.
    public var id: UserID { UserID(records[index].author) }
    /// The current name.
    public var username: String {
      let record = records[index]
      return records.string(at: Int(record.name_start), count: Int(record.name_size))
    }

    /// The author with counts, and whether the viewer follows them; nil unless requested (`includesAuthors`).
    public var user: User? { records.authors.map { User($0, index) } }

    /// Id and name, or all properties of the user.
    public var description: String {
      if let user { return "Author(\(user))" }
      return "Author(id: \(id), username: \(username.debugDescription))"
    }

    /// Equal if id, name and user are.
    public static func == (left: Author, right: Author) -> Bool {
      left.id == right.id && left.username.utf8.elementsEqual(right.username.utf8) && left.user == right.user
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }
}

extension Post: ResultElement {}

/// The posts of one result, with the names of their authors and their texts.
typealias PostRecords = ResultBuffer<PostRecord>

/// A post in a result: the structure that C reads in place, declared in kith_records.h.
package typealias PostRecord = kith_post

extension PostRecord {
  /// - Parameters:
  ///   - parent: the post that it replies to; 0 for none.
  ///   - nameStart: where the author's name begins; the text follows it.
  ///   - isLiked: whether the viewer likes the post; nil without a viewer.
  ///   - likedSecond: the time of the like in a list of likes; of the edge in a list of edges.
  ///   - isOfEdge: whether that is a list of edges.
  @inline(__always)
  init(
    id: Int64, author: Int64, createdAt: Int64, parent: Int64 = 0, likeCount: UInt32, nameStart: UInt32,
    nameByteCount: UInt8,
    textByteCount: UInt16, isLiked: Bool?, likedSecond: UInt32?, isOfEdge: Bool = false
  ) {
    self.init(
      id: id, author: author, created_at: createdAt, parent: parent, edited_at: 0, like_count: likeCount,
      name_start: nameStart,
      liked_second: likedSecond ?? 0, text_size: textByteCount, name_size: nameByteCount,
      has_viewer: isLiked == nil ? 0 : 1, liked_by_viewer: isLiked == true ? 1 : 0,
      has_liked_at: likedSecond == nil ? 0 : isOfEdge ? 2 : 1, is_edited: 0, reposter_size: 0, flags: 0,
      audience: 0, reserved2: 0, reposted_by: 0, reposter_start: 0, reposted_second: 0)
  }
}
