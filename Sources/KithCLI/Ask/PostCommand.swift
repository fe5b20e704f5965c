import Kith

/// `kith post`: one post.
enum PostCommand {
  private static let viewer = Option("--as", "USER", "who asks: says whether they like the post")

  static let command = Command(
    name: "post",
    summary: "shows one post and who likes it",
    positionals: [
      Positional("STORE", "a store directory or a snapshot; only read"),
      Positional("POST", "the id of a post"),
    ],
    options: [viewer, .json],
    examples: ["post ./store 17", "post ./store 17 --as ann --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    guard let number = Int64(arguments.positionals[1]) else {
      throw arguments.misuse("\(arguments.positionals[1]) is not the id of a post")
    }
    let graph = try StoreAccess.open(arguments.positionals[0], access: .readOnly)
    let (post, likers) = try graph.read { (view) throws(CommandFailure) in
      var asking: UserID?
      if let text = arguments.value(viewer) { asking = try UserReference.resolve(text, in: view) }
      do throws(KithError) {
        let likers = try view.likers(of: PostID(number), ListOptions(limit: 5, viewer: asking))
        return (try view.post(PostID(number), as: asking), likers)
      } catch {
        throw .no(error.description)
      }
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.name("post")
        writer.post(post)
      }
    } else {
      try Console.write(post.lines)
      if !likers.isEmpty {
        let names = likers.map { printable($0.username) }.joined(separator: ", ")
        try Console.write("  liked \(post.likeCount > likers.count ? "first " : "")by \(names)\n")
      }
    }
    return 0
  }
}
