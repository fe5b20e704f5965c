import Kith

/// `kith suggest`: whom to follow next.
enum SuggestCommand {
  private static let namedCount = 2

  static let command = Command(
    name: "suggest",
    summary: "suggests whom a user may want to follow: whom most of their followees follow",
    positionals: [
      Positional("STORE", "a store directory or a snapshot; only read"),
      Positional("USER", UserReference.help),
    ],
    options: [.limit, .json],
    examples: ["suggest ./store ann", "suggest ./store 42 --limit 5 --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let limit = Int(try arguments.integer(.limit, in: 1...Int64(Limits.pageCount)) ?? 20)
    let graph = try StoreAccess.open(arguments.positionals[0], access: .readOnly)
    let page = try graph.read { (view) throws(CommandFailure) in
      let user = try UserReference.resolve(arguments.positionals[1], in: view)
      do throws(KithError) {
        return try view.suggestions(for: user, SuggestionOptions(limit: limit, namedCount: namedCount))
      } catch {
        throw .no(error.description)
      }
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.name("users")
        writer.array(page) { $0.user($1.user, mutualCount: $1.mutualCount) }
        writer.member("truncated", page.isTruncated)
      }
    } else {
      try Console.write(text(page))
    }
    return page.isEmpty ? 1 : 0
  }

  private static func text(_ page: SuggestionPage) -> String {
    guard !page.isEmpty else { return "nobody\n" }
    var table = Table([.right, .left, .left])
    for suggestion in page {
      let names = suggestion.mutuals.map { printable($0.username) }
      let others = suggestion.mutualCount - names.count
      let rest = others == 0 ? "" : " and \(grouped(others)) other\(others == 1 ? "" : "s")"
      table.add(
        String(suggestion.user.id.rawValue), printable(suggestion.user.username),
        "followed by \(names.joined(separator: ", "))\(rest)")
    }
    let limit = page.isTruncated ? "  only of those followees who follow fewest: there are too many in all\n" : ""
    return table.text() + limit
  }
}
