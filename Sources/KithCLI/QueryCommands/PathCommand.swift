import Kith

/// `kith path`: a shortest path from one user to another.
enum PathCommand {
  private static let most = Option("--max", "N", "at most N follows (default 6)")

  static let command = Command(
    name: "path",
    summary: "shows a shortest path from one user to another along follows",
    positionals: [
      StoreQuery.store,
      Positional("FROM", UserArgument.help),
      Positional("TO", "another user"),
    ],
    options: [most, .uniqueNames, .json],
    notes: ["Exit status: 0 found; 1 there is no path, or the search gave up; 2 wrong usage or cannot open."],
    examples: ["path ./store ann bob", "path ./store 1 42 --max 3 --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let maximum = Int(try arguments.integer(most, in: 0...Int64(Int32.max)) ?? 6)
    let (distance, path) = try StoreQuery.answer(arguments) { view in
      let from = try UserArgument.resolve(arguments.positionals[1], in: view)
      let to = try UserArgument.resolve(arguments.positionals[2], in: view)
      let distance = try view.shortestPath(from: from, to: to, PathQuery(maximumHops: maximum))
      guard case .path(let ids) = distance else { return (distance, [User]()) }
      return (distance, try view.users(ids).compactMap(\.self))
    }
    try StoreQuery.write(arguments, text: text(distance, path, maximum)) { writer in
      writer.member("value", orNull: distance.hops)
      writer.member("complete", distance != .gaveUp)
      writer.array("path", path) { $0.user($1) }
    }
    return distance.hops == nil ? 1 : 0
  }

  private static func text(_ distance: ShortestPath, _ path: [User], _ maximum: Int) -> String {
    switch distance {
    case .path: path.map { "\(printable($0.username))  (user \($0.id.rawValue))\n" }.joined(separator: "  follows ")
    case .unreachable: "no path of at most \(counted(maximum, "follow"))\n"
    case .gaveUp: "gave up after \(grouped(SocialGraph.Limits.followCount)) follows: there may be a path\n"
    }
  }
}
