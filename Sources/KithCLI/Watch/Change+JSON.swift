import Kith

extension Change {
  /// The request by which `kith query` makes this change, and its number.
  func write(to writer: inout JSONWriter, sequence: UInt64) {
    writer.member("sequence", sequence)
    switch self {
    case .addUser(let id, let username):
      writer.member("op", "addUser")
      writer.member("id", orNull: id?.rawValue)
      writer.member("username", username)
    case .renameUser(let user, let username):
      writer.members(op: "renameUser", user)
      writer.member("username", username)
    case .removeUser(let user): writer.members(op: "removeUser", user)
    case .follow(let user, let target, let time):
      writer.members(op: "follow", user, target)
      writer.member("at", orNull: time?.rawValue)
    case .unfollow(let user, let target): writer.members(op: "unfollow", user, target)
    case .addPost(let id, let author, let text, let createdAt):
      writer.member("op", "addPost")
      writer.member("id", orNull: id?.rawValue)
      writer.member("user", author.rawValue)
      writer.member("text", text)
      writer.member("createdAt", orNull: createdAt?.rawValue)
    case .removePost(let post):
      writer.member("op", "removePost")
      writer.member("post", post.rawValue)
    case .like(let user, let post, let time):
      writer.members(op: "like", user)
      writer.member("post", post.rawValue)
      writer.member("at", orNull: time?.rawValue)
    case .unlike(let user, let post):
      writer.members(op: "unlike", user)
      writer.member("post", post.rawValue)
    case .block(let user, let target): writer.members(op: "block", user, target)
    case .unblock(let user, let target): writer.members(op: "unblock", user, target)
    case .mute(let user, let target): writer.members(op: "mute", user, target)
    case .unmute(let user, let target): writer.members(op: "unmute", user, target)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func members(op: String, _ user: UserID, _ target: UserID? = nil) {
    member("op", op)
    member("user", user.rawValue)
    if let target { member("target", target.rawValue) }
  }
}
