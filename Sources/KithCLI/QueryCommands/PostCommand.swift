import Kith

/// `kith post`: one post.
enum PostCommand {
  private static let viewer = Option("--as", "USER", "the viewer: shows whether they like the post")

  static let command = Command(
    name: "post",
    summary: "shows one post and who likes it",
    positionals: [
      StoreQuery.store,
      Positional("POST", "the id of a post"),
    ],
    options: [viewer, .uniqueNames, .json],
    examples: ["post ./store 17", "post ./store 17 --as ann --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    guard let number = Int64(arguments.positionals[1]) else {
      throw arguments.misuse("\(arguments.positionals[1]) is not the id of a post")
    }
    let (post, likers) = try StoreQuery.answer(arguments) { view in
      let asking = try UserArgument.resolve(arguments.value(viewer), in: view)
      let likers = try view.likers(of: PostID(number), ListQuery(limit: 5, viewer: asking))
      return (try view.post(PostID(number), as: asking), likers)
    }
    try StoreQuery.write(arguments, text: text(post, likers)) { writer in
      writer.object("post") { post.write(to: &$0) }
    }
    return 0
  }

  private static func text(_ post: Post, _ likers: Page<User>) -> String {
    if likers.isEmpty { return post.lines }
    let names = likers.map { printable($0.username) }.joined(separator: ", ")
    return post.lines + "  liked \(post.likeCount > likers.count ? "first " : "")by \(names)\n"
  }
}
