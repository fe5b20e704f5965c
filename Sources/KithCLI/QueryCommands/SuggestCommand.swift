import Kith

/// `kith suggest`: recommendations of users to follow.
enum SuggestCommand {
  private static let namedCount = 2

  static let command = Command(
    name: "suggest",
    summary: "recommends users to follow (recommendations): those whom most of the user's followees follow",
    positionals: [
      StoreQuery.store,
      Positional("USER", UserArgument.help),
    ],
    options: [.limit, .uniqueNames, .json],
    examples: ["suggest ./store ann", "suggest ./store 42 --limit 5 --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let options = SuggestionQuery(namedCount: namedCount, limit: try arguments.pageLimit())
    let page = try StoreQuery.answer(arguments) { view in
      try view.suggestions(for: try UserArgument.resolve(arguments.positionals[1], in: view), options)
    }
    try StoreQuery.write(arguments, text: text(page)) { writer in
      writer.array("users", page) { $0.user($1.user, mutualCount: $1.mutualCount) }
      writer.member("truncated", page.isTruncated)
    }
    return page.isEmpty ? 1 : 0
  }

  private static func text(_ page: Page<Suggestion>) -> String {
    guard !page.isEmpty else { return "no users found\n" }
    var table = Table([.right, .left, .left])
    for suggestion in page {
      let names = suggestion.mutuals.map { printable($0.username) }
      let others = suggestion.mutualCount - names.count
      let rest = others == 0 ? "" : " and \(grouped(others)) other\(others == 1 ? "" : "s")"
      table.add(
        String(suggestion.user.id.rawValue), printable(suggestion.user.username),
        "followed by \(names.joined(separator: ", "))\(rest)")
    }
    let limit = page.isTruncated ? "  counted over the followees with the fewest follows only\n" : ""
    return table.text() + limit
  }
}
