import Kith

/// `kith user`: one user.
enum UserCommand {
  private static let viewer = Option("--as", "USER", "the viewer: shows whether they follow the user")

  static let command = Command(
    name: "user",
    summary: "shows one user with their newest followees, followers and posts",
    positionals: [
      StoreQuery.store,
      Positional("USER", UserArgument.help),
    ],
    options: [viewer, .uniqueNames, .json],
    examples: ["user ./store ann", "user ./store @42 --json"],
    run: run)

  /// The shown data: the user, and the newest of their lists.
  private struct Portrait {
    let user: User
    let followees: Page<User>
    let followers: Page<User>
    let posts: Page<Post>
  }

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let portrait = try StoreQuery.answer(arguments) { view in
      let id = try UserArgument.resolve(arguments.positionals[1], in: view)
      let asking = try UserArgument.resolve(arguments.value(viewer), in: view)
      let list = ListQuery(limit: 5, viewer: asking)
      return Portrait(
        user: try view.user(id, as: asking), followees: try view.followees(of: id, list),
        followers: try view.followers(of: id, list),
        posts: try view.searchPosts("", PostQuery(author: id, limit: 3, viewer: asking)))
    }
    try StoreQuery.write(arguments, text: text(portrait)) { writer in
      writer.object("user") { portrait.user.write(to: &$0) }
    }
    return 0
  }

  private static func text(_ portrait: Portrait) -> String {
    let user = portrait.user
    let displayName = user.displayName.map { "  \"\(printable($0))\"" } ?? ""
    let followed = user.isFollowedByViewer == true ? "  followed" : ""
    var text = "\(printable(user.username))\(displayName)  (user \(user.id.rawValue))\(followed)\n"
    text += people("follows", user.followeeCount, portrait.followees)
    text += people("followers", user.followerCount, portrait.followers)
    text += "  posts      \(grouped(user.postCount))\n"
    return text + portrait.posts.map(\.lines).joined()
  }

  private static func people(_ label: String, _ count: Int, _ newest: Page<User>) -> String {
    let names = newest.map { printable($0.username) }.joined(separator: ", ")
    let newestNames = newest.isEmpty ? "" : count > newest.count ? "  newest: \(names)" : "  \(names)"
    return "  \(label.padded(to: 9))  \(grouped(count))\(newestNames)\n"
  }
}
