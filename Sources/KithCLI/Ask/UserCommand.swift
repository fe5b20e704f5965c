import Kith

/// `kith user`: one user.
enum UserCommand {
  private static let viewer = Option("--as", "USER", "who asks: says whether they follow the user")

  static let command = Command(
    name: "user",
    summary: "shows one user",
    positionals: [
      Positional("STORE", "a store directory or a snapshot; only read"),
      Positional("USER", UserReference.help),
    ],
    options: [viewer, .json],
    examples: ["user ./store ann", "user ./store @42 --json"],
    run: run)

  /// What is shown: the user, and the newest of their lists.
  private struct Portrait {
    let user: User
    let followees: UserPage
    let followers: UserPage
    let posts: PostPage
  }

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let graph = try StoreAccess.open(arguments.positionals[0], access: .readOnly)
    let portrait = try graph.read { (view) throws(CommandFailure) in
      let id = try UserReference.resolve(arguments.positionals[1], in: view)
      var asking: UserID?
      if let text = arguments.value(viewer) { asking = try UserReference.resolve(text, in: view) }
      do throws(KithError) {
        let list = ListOptions(limit: 5, viewer: asking)
        return Portrait(
          user: try view.user(id, as: asking), followees: try view.followees(of: id, list),
          followers: try view.followers(of: id, list),
          posts: try view.searchPosts("", PostSearch(author: id, viewer: asking, limit: 3)))
      } catch {
        throw .no(error.description)
      }
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.name("user")
        writer.user(portrait.user)
      }
    } else {
      try Console.write(text(portrait))
    }
    return 0
  }

  private static func text(_ portrait: Portrait) -> String {
    let user = portrait.user
    var text = "\(printable(user.username))  (user \(user.id.rawValue))\(user.following == true ? "  followed" : "")\n"
    text += people("follows", user.followeeCount, portrait.followees)
    text += people("followers", user.followerCount, portrait.followers)
    text += "  posts      \(grouped(user.postCount))\n"
    return text + portrait.posts.map(\.lines).joined()
  }

  private static func people(_ label: String, _ count: Int, _ newest: UserPage) -> String {
    let names = newest.map { printable($0.username) }.joined(separator: ", ")
    let newestNames = newest.isEmpty ? "" : count > newest.count ? "  newest: \(names)" : "  \(names)"
    return "  \(label.padded(to: 9))  \(grouped(count))\(newestNames)\n"
  }
}
