import Kith

/// `kith timeline`: what a user sees first.
enum TimelineCommand {
  static let command = Command(
    name: "timeline",
    summary: "shows a user's home timeline: their posts and those of whom they follow, newest first",
    positionals: [
      Positional("STORE", "a store directory or a snapshot; only read"),
      Positional("USER", UserReference.help),
    ],
    options: [.limit, .json],
    examples: ["timeline ./store ann", "timeline ./store 42 --limit 5 --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let limit = Int(try arguments.integer(.limit, in: 1...Int64(Limits.pageCount)) ?? 20)
    let graph = try StoreAccess.open(arguments.positionals[0], access: .readOnly)
    let page = try graph.read { (view) throws(CommandFailure) in
      let user = try UserReference.resolve(arguments.positionals[1], in: view)
      do throws(KithError) {
        return try view.timeline(of: user, TimelineOptions(limit: limit))
      } catch {
        throw .no(error.description)
      }
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.name("posts")
        writer.array(page) { $0.post($1) }
        writer.member("next", stringOrNull: page.next?.text)
        writer.member("previous", stringOrNull: page.previous?.text)
      }
    } else {
      try Console.write(page.isEmpty ? "no posts\n" : page.map(\.lines).joined())
      if page.next != nil { try Console.write("  more; see --limit\n") }
    }
    return 0
  }
}

extension Post {
  /// The post for a person: who, when, how liked; below it the text.
  var lines: String {
    let likes = likeCount == 0 ? "" : "  \(grouped(likeCount)) like\(likeCount == 1 ? "" : "s")"
    let own = liked == true ? ", one's own among them" : ""
    return """
      \(timeText(createdAt.rawValue))  \(printable(author.username))  (post \(id.rawValue))\(likes)\(own)
        \(printable(text))

      """
  }
}
