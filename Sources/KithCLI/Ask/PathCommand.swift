import Kith

/// `kith path`: a shortest way from one user to another.
enum PathCommand {
  private static let most = Option("--max", "N", "at most so many follows (6 without it)")

  static let command = Command(
    name: "path",
    summary: "shows a shortest way from one user to another along follows",
    positionals: [
      Positional("STORE", "a store directory or a snapshot; only read"),
      Positional("FROM", UserReference.help),
      Positional("TO", "another one"),
    ],
    options: [most, .json],
    notes: ["Exit status: 0 found; 1 there is no way, or the search gave up; 2 wrong usage or cannot open."],
    examples: ["path ./store ann bob", "path ./store 1 42 --max 3 --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let maximum = Int(try arguments.integer(most, in: 0...Int64(Int32.max)) ?? 6)
    let graph = try StoreAccess.open(arguments.positionals[0], access: .readOnly)
    let (distance, way) = try graph.read { (view) throws(CommandFailure) in
      let from = try UserReference.resolve(arguments.positionals[1], in: view)
      let to = try UserReference.resolve(arguments.positionals[2], in: view)
      do throws(KithError) {
        let distance = try view.distance(from: from, to: to, DistanceOptions(maximumHops: maximum))
        guard case .path(let ids) = distance else { return (distance, [User]()) }
        return (distance, try view.users(ids).compactMap(\.self))
      } catch {
        throw .no(error.description)
      }
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("value", orNull: distance.hops)
        writer.member("complete", distance != .gaveUp)
        writer.name("path")
        writer.array(way) { $0.user($1) }
      }
    } else {
      try Console.write(text(distance, way, maximum))
    }
    return distance.hops == nil ? 1 : 0
  }

  private static func text(_ distance: Distance, _ way: [User], _ maximum: Int) -> String {
    switch distance {
    case .path: way.map { "\(printable($0.username))  (user \($0.id.rawValue))\n" }.joined(separator: "  follows ")
    case .unreachable: "no way of at most \(grouped(maximum)) follow\(maximum == 1 ? "" : "s")\n"
    case .gaveUp: "gave up after \(grouped(Limits.followCount)) follows: there may be a way\n"
    }
  }
}
