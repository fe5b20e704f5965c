import Kith

/// A page as a host would hold it: numbers, and texts as Strings, reported by their length.
struct HostPage {
  private var fields: [Int] = []
  /// Where each row ends.
  private var ends: [Int] = []

  mutating func clear() {
    fields.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  mutating func keep(_ value: Bool) {
    fields.append(value ? 1 : 0)
    ends.append(fields.count)
  }

  /// - Parameter extra: an additional number for each row.
  mutating func keep(_ user: User, extra: Int? = nil) {
    fields.append(Int(user.id.rawValue))
    fields.append(user.followerCount)
    fields.append(user.followeeCount)
    fields.append(user.postCount)
    if let extra { fields.append(extra) }
    fields.append(user.username.utf8.count)
    ends.append(fields.count)
  }

  mutating func keepName(_ user: User) {
    fields.append(Int(user.id.rawValue))
    fields.append(user.username.utf8.count)
    ends.append(fields.count)
  }

  mutating func keep(_ post: Post) {
    fields.append(Int(post.id.rawValue))
    fields.append(Int(post.author.id.rawValue))
    fields.append(Int(post.createdAt.rawValue))
    fields.append(post.likeCount)
    fields.append(post.isLikedByViewer == true ? 1 : 0)
    fields.append(post.author.username.utf8.count)
    fields.append(post.text.utf8.count)
    ends.append(fields.count)
  }

  /// A post of a timeline or of a conversation, with its parent, its flags and who reposted it.
  mutating func keepEntry(_ post: Post) {
    fields.append(Int(post.id.rawValue))
    fields.append(Int(post.author.id.rawValue))
    fields.append(Int(post.createdAt.rawValue))
    fields.append(post.likeCount)
    fields.append(post.isLikedByViewer == true ? 1 : 0)
    fields.append(Int(post.parent?.rawValue ?? 0))
    fields.append(Int(post.flags))
    let repost = post.repost
    fields.append(Int(repost?.id.rawValue ?? 0))
    fields.append(Int((repost?.at.rawValue ?? 0) / 1_000))
    fields.append(post.author.username.utf8.count)
    fields.append(repost?.username.utf8.count ?? 0)
    fields.append(post.text.utf8.count)
    ends.append(fields.count)
  }

  /// A notification: its relation by number, its second, both ends, who did it, and the texts.
  mutating func keep(_ edge: IncomingEdge, relation: Int) {
    let (user, post, target) = (edge.user, edge.post, edge.target)
    fields.append(relation)
    fields.append(Int(edge.addedAt.rawValue / 1_000))
    fields.append(Int(user?.id.rawValue ?? post?.id.rawValue ?? 0))
    fields.append(Int(target?.id.rawValue ?? 0))
    fields.append(Int(user?.id.rawValue ?? post?.author.id.rawValue ?? 0))
    fields.append(target?.likeCount ?? 0)
    fields.append((user?.username ?? post?.author.username ?? "").utf8.count)
    fields.append(post?.text.utf8.count ?? 0)
    fields.append(target?.text.utf8.count ?? 0)
    ends.append(fields.count)
  }

  /// Rows with commas between them, their fields joined by colons.
  var text: String {
    var rows: [String] = []
    var start = 0
    for end in ends {
      rows.append(fields[start..<end].map(String.init).joined(separator: ":"))
      start = end
    }
    return rows.joined(separator: ",")
  }
}
