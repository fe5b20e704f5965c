import Kith

/// `kith search`: users by name.
enum SearchCommand {
  private static let viewer = Option(
    "--as", "USER", "the viewer: results show whom they follow, and leave them out")
  private static let prefix = Option("--prefix", nil, "names that begin with the query")
  private static let exact = Option("--exact", nil, "names that equal the query")
  private static let fuzzy = Option(
    "--fuzzy", nil, "fuzzy search: one edit (typo) from four letters on, two from eight")
  private static let regex = Option(
    "--regex", nil, "the query is a regular expression in RE2 syntax; needs a build with the trait Regex")
  private static let usernames = Option("--usernames", nil, "searches usernames alone, not display names")
  private static let kind = Option("--kind", "NAME", "users of this kind; without it, of the kind user")
  private static let all = Option("--flags-all", "MASK", "only users with all of these flags, 0 to 65535")
  private static let any = Option("--flags-any", "MASK", "only users with one of these flags")
  private static let none = Option("--flags-none", "MASK", "only users with none of these flags")
  private static let order = Option(
    "--order", "ORDER", alternatives(orders), choices: UserQuery.Order.allCases.map(\.rawValue))
  private static let orders = UserQuery.Order.allCases.map { order in
    order.rawValue + (order == .name ? " (the default)" : order.schema.needsViewer ? " (with --as)" : "")
  }
  private static let strict = Option("--strict", nil, "compares accents and letter forms; ignores case only")

  static let command = Command(
    name: "search",
    summary: "searches users by name: substring, prefix, exact, fuzzy or regular expression; ignores case and accents",
    positionals: [
      StoreQuery.store,
      Positional("QUERY", "any part of the username or the display name; \"\" for all users"),
    ],
    options: [
      viewer, prefix, exact, fuzzy, regex, strict, usernames, kind, order, all, any, none, .limit, .cursor,
      .uniqueNames,
      .json,
    ],
    notes: ["USER is \(UserArgument.help)."],
    examples: [
      "search ./store ann", "search ./store jose --as 42 --prefix --limit 5", "search ./store -- -dash-",
      "search ./store christofer --fuzzy", "search ./store '^a[nm].*[0-9]$' --regex",
    ],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let match = try match(arguments)
    let chosenOrder: UserQuery.Order = try arguments.choice(order) ?? .name
    if chosenOrder.schema.needsViewer { try arguments.check("--order \(chosenOrder.rawValue)", needs: viewer) }
    if match == .fuzzy && chosenOrder != .name { throw arguments.misuse("--fuzzy is always ordered by edit distance") }
    let limit = try arguments.pageLimit()
    func mask(_ option: Option) throws(CommandFailure) -> UInt16 {
      UInt16(truncatingIfNeeded: try arguments.integer(option, in: 0...Int64(UInt16.max)) ?? 0)
    }
    let flags = FlagFilter(all: try mask(all), any: try mask(any), none: try mask(none))
    let page = try StoreQuery.answer(arguments) { view in
      // Counting would test an expression against every name.
      var search = UserQuery(order: chosenOrder, countsMatches: match != .regex, limit: limit)
      (search.match, search.flags) = (match, flags)
      if arguments.flag(usernames) { search.names = .username }
      search.kind = arguments.value(kind)
      if arguments.flag(strict) { search.fold = .strict }
      search.viewer = try UserArgument.resolve(arguments.value(viewer), in: view)
      search.excludedUser = search.viewer
      search.cursor = arguments.value(.cursor).map { Cursor($0) }
      return try view.searchUsers(arguments.positionals[1], search)
    }
    try StoreQuery.write(arguments, text: page.text(ifEmpty: "no users found\n")) { writer in
      writer.array("users", page) { $0.user($1) }
      writer.member("next", stringOrNull: page.next?.text)
      if let total = page.total { writer.member("count", total) }
    }
    return page.isEmpty ? 1 : 0
  }

  private static func match(_ arguments: Arguments) throws(CommandFailure) -> UserQuery.Match {
    let chosen = [(prefix, UserQuery.Match.prefix), (exact, .exact), (fuzzy, .fuzzy), (regex, .regex)]
      .filter { arguments.flag($0.0) }
    if chosen.count > 1 { throw arguments.misuse("\(chosen[0].0.name) or \(chosen[1].0.name), not both") }
    if arguments.flag(regex), arguments.flag(strict) {
      throw arguments.misuse("--regex cannot be combined with --strict: it ignores case only")
    }
    return chosen.first?.1 ?? .substring
  }
}
