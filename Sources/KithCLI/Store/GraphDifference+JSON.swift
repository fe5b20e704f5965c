import Kith

extension GraphDifference {
  /// The members of the object that `kith diff --json` and the explorer answer.
  func writeMembers(to writer: inout JSONWriter) {
    Self.write("joined", joined, to: &writer) { $1.writeMembers(to: &$0) }
    Self.write("left", left, to: &writer) { $1.writeMembers(to: &$0) }
    Self.write("renamed", renamed, to: &writer) { writer, item in
      writer.member("id", item.id.rawValue)
      writer.member("before", item.before)
      writer.member("username", item.username)
    }
    Self.write("posted", posted, to: &writer) { $1.writeMembers(to: &$0) }
    Self.write("removedPosts", removedPosts, to: &writer) { $1.writeMembers(to: &$0) }
    writer.objects("edges", edges) { writer, lists in
      writer.member("relation", lists.relation)
      Self.write("added", lists.added, to: &writer) { $1.writeMembers(to: &$0) }
      Self.write("ended", lists.ended, to: &writer) { $1.writeMembers(to: &$0) }
    }
  }

  private static func write<Item>(
    _ name: String, _ list: List<Item>, to writer: inout JSONWriter, each: (inout JSONWriter, Item) -> Void
  ) {
    writer.object(name) { writer in
      writer.member("count", list.count)
      writer.objects("items", list.items, each: each)
    }
  }
}

extension GraphDifference.NamedUser {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("id", id.rawValue)
    writer.member("username", username)
  }
}

extension GraphDifference.ShownPost {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("id", id.rawValue)
    writer.object("author") { author.writeMembers(to: &$0) }
    writer.member("createdAt", createdAt.rawValue)
    writer.member("text", text)
  }
}

extension GraphDifference.Edge {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    for (name, end) in [("from", source), ("to", target)] {
      writer.object(name) { writer in
        switch end {
        case .user(let user): user.writeMembers(to: &writer)
        case .post(let post): post.writeMembers(to: &writer)
        }
      }
    }
    if let time { writer.member("at", time.rawValue) }
  }
}
