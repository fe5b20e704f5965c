import Kith

/// `kith search`: users by name.
enum SearchCommand {
  private static let viewer = Option(
    "--as", "USER", "who asks: results say whom they follow; they are left out themselves")
  private static let prefix = Option("--prefix", nil, "names that begin with the query")
  private static let exact = Option("--exact", nil, "names that are the query")
  private static let order = Option(
    "--order", "ORDER", "name (the default), prefixFirst, followedFirst (with --as) or popular")
  private static let strict = Option("--strict", nil, "accents and letter forms count; case does not")

  static let command = Command(
    name: "search",
    summary: "finds users by a part of their name, whatever its case and accents",
    positionals: [
      Positional("STORE", "a store directory or a snapshot; only read"),
      Positional("QUERY", "any part of the name; \"\" for everybody"),
    ],
    options: [viewer, prefix, exact, strict, order, .limit, .json],
    notes: ["USER is \(UserReference.help)."],
    examples: ["search ./store ann", "search ./store jose --as 42 --prefix --limit 5", "search ./store -- -dash-"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    if arguments.flag(prefix), arguments.flag(exact) { throw arguments.misuse("--prefix or --exact, not both") }
    let chosenOrder = arguments.value(order).map { UserSearch.Order(rawValue: $0) } ?? .name
    guard let chosenOrder else { throw arguments.misuse("no such order; see --help") }
    let limit = Int(try arguments.integer(.limit, in: 1...Int64(Limits.pageCount)) ?? 20)
    let graph = try StoreAccess.open(arguments.positionals[0], access: .readOnly)
    let page = try graph.read { (view) throws(CommandFailure) in
      var search = UserSearch(order: chosenOrder, limit: limit, counting: true)
      if arguments.flag(prefix) { search.match = .prefix }
      if arguments.flag(exact) { search.match = .exact }
      if arguments.flag(strict) { search.fold = .strict }
      if let text = arguments.value(viewer) {
        search.viewer = try UserReference.resolve(text, in: view)
        search.excluding = search.viewer
      }
      do throws(KithError) {
        return try view.searchUsers(arguments.positionals[1], search)
      } catch {
        throw .no(error.description)
      }
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.name("users")
        writer.array(page) { $0.user($1) }
        writer.member("next", stringOrNull: page.next?.text)
        if let total = page.total { writer.member("count", total) }
      }
    } else {
      try Console.write(text(page))
    }
    return page.isEmpty ? 1 : 0
  }

  private static func text(_ page: UserPage) -> String {
    guard !page.isEmpty else { return "nobody\n" }
    var table = Table([.right, .left, .right, .right, .left])
    table.add("id", "name", "followers", "posts")
    for user in page {
      table.add(
        String(user.id.rawValue), printable(user.username), grouped(user.followerCount), grouped(user.postCount),
        user.following == true ? "followed" : "")
    }
    let total = page.total ?? page.count
    return table.text() + (total > page.count ? "  \(grouped(page.count)) of \(grouped(total)); see --limit\n" : "")
  }
}
