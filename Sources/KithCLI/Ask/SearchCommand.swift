import Kith

/// `kith search`: users by name.
enum SearchCommand {
  private static let viewer = Option(
    "--as", "USER", "who asks: results say whom they follow; they are left out themselves")
  private static let prefix = Option("--prefix", nil, "names that begin with the query")
  private static let exact = Option("--exact", nil, "names that are the query")
  private static let fuzzy = Option(
    "--fuzzy", nil, "names that hold the query with a slip or two: one from four letters on, two from eight")
  private static let regex = Option(
    "--regex", nil, "the query is a regular expression, as RE2 has them; needs a build with the trait Regex")
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
    options: [viewer, prefix, exact, fuzzy, regex, strict, order, .limit, .json],
    notes: ["USER is \(UserReference.help)."],
    examples: [
      "search ./store ann", "search ./store jose --as 42 --prefix --limit 5", "search ./store -- -dash-",
      "search ./store christofer --fuzzy", "search ./store '^a[nm].*[0-9]$' --regex",
    ],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let match = try match(arguments)
    let chosenOrder = arguments.value(order).map { UserSearch.Order(rawValue: $0) } ?? .name
    guard let chosenOrder else { throw arguments.misuse("no such order; see --help") }
    if match == .fuzzy && chosenOrder != .name { throw arguments.misuse("--fuzzy has an order of its own: by edits") }
    let limit = Int(try arguments.integer(.limit, in: 1...Int64(Limits.pageCount)) ?? 20)
    let graph = try StoreAccess.open(arguments.positionals[0], access: .readOnly)
    let page = try graph.read { (view) throws(CommandFailure) in
      // Counting would have an expression asked of every name there is.
      var search = UserSearch(order: chosenOrder, limit: limit, counting: match != .regex)
      search.match = match
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

  private static func match(_ arguments: Arguments) throws(CommandFailure) -> Match {
    let chosen = [(prefix, Match.prefix), (exact, .exact), (fuzzy, .fuzzy), (regex, .regex)]
      .filter { arguments.flag($0.0) }
    if chosen.count > 1 { throw arguments.misuse("\(chosen[0].0.name) or \(chosen[1].0.name), not both") }
    if arguments.flag(regex), arguments.flag(strict) {
      throw arguments.misuse("--regex takes no --strict: it knows case alone")
    }
    return chosen.first?.1 ?? .substring
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
    if page.next == nil { return table.text() }
    let total = page.total.map { "\(grouped(page.count)) of \(grouped($0))" } ?? "there are more"
    return table.text() + "  \(total); see --limit\n"
  }
}
