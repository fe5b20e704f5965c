import Kith

/// `kith diff`: what differs between two instants of a store.
enum DiffCommand {
  private static let from = Option("--from", "TIME", "the earlier instant", isRequired: true)
  private static let to = Option("--to", "TIME", "the later instant (default now)")
  private static let limit = Option("--limit", "N", "at most N items of each list, 0 to 1,000 (default 10)")

  static let command = Command(
    name: "diff",
    summary: "shows what changed in a store between two instants: who joined, left and was renamed, posts, edges",
    positionals: [Positional("STORE", "a store directory, also one in use; only read")],
    options: [from, to, limit, .json, .compactLists, .compressTexts],
    notes: [
      """
      Both states are restored in memory, as kith restore --at-time does, and compared. What came and went between the
      two is not seen. Users are listed by id, the highest first; posts and edges by time, the newest first.
      """,
      """
      TIME is as in lists, such as 2026-02-28T23:59:07Z, or a day, 2026-02-28, which means its start; without an offset
      it is UTC. kith list shows which times a store leads to.
      """,
      "Exit status: 0 something differs; 1 nothing does; 2 wrong usage or cannot open.",
    ],
    examples: [
      "diff ./store --from 2026-02-01", "diff ./store --from 2026-02-01 --to 2026-03-01 --limit 100 --json",
    ],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let start = try time(from, arguments) ?? Timestamp(0)
    let end = try time(to, arguments)
    if let end, end < start { throw arguments.misuse("--to is before --from") }
    let limit = Int(try arguments.integer(limit, in: 0...1_000) ?? 10)
    let options = try arguments.graphOptions()
    let store = arguments.positionals[0]
    let pins = (
      try open(store, .time(start), options).pin(), try open(store, end.map { .time($0) } ?? .newest, options).pin()
    )
    let found: GraphDifference
    do throws(KithError) {
      found = try GraphDifference(from: pins.0.view, to: pins.1.view, limit: limit)
    } catch {
      throw .no(error.sentence)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("from", start.rawValue)
        writer.member("to", orNull: end?.rawValue)
        found.writeMembers(to: &writer)
      }
    } else {
      let (before, after) = (pins.0.view.sequence, pins.1.view.sequence)
      try Console.write(
        """
        \(start.text) to \(end?.text ?? "now") (UTC), changes \(grouped(before)) to \(grouped(after))
        \(found.text)
        """)
    }
    return found.isEmpty ? 1 : 0
  }

  private static func time(_ option: Option, _ arguments: Arguments) throws(CommandFailure) -> Timestamp? {
    guard let text = arguments.value(option) else { return nil }
    guard let time = parseTime(text, missingMilliseconds: 0) else {
      throw arguments.misuse("\(option.name) \(text): a time such as 2026-02-28T23:59:07Z, or a day, is needed")
    }
    return Timestamp(time)
  }

  private static func open(
    _ store: String, _ target: RecoveryTarget, _ options: SocialGraph.Options
  ) throws(CommandFailure) -> SocialGraph {
    do throws(KithError) {
      return try DiskProgress.show(
        "reading", of: DiskProgress.byteCount(of: store, .newest), ending: "building the index of names"
      ) { () throws(KithError) in try SocialGraph.read(store, at: target, options: options, control: ReadControl()) }
    } catch {
      throw .usage(error.advised(for: store))
    }
  }
}

extension GraphDifference {
  fileprivate var isEmpty: Bool {
    joined.count + left.count + renamed.count + posted.count + removedPosts.count == 0 && edges.isEmpty
  }

  /// Lists with headings; of each, what is not shown is counted.
  fileprivate var text: String {
    if isEmpty { return "no difference\n" }
    var text = Self.part("joined", joined) { [$0.id.description, printable($0.username)] }
    text += Self.part("left", left) { [$0.id.description, printable($0.username)] }
    text += Self.part("renamed", renamed) {
      [$0.id.description, "\(printable($0.before)) → \(printable($0.username))"]
    }
    text += Self.part("posts", posted) { $0.cells }
    text += Self.part("removed posts", removedPosts) { $0.cells }
    for lists in edges {
      text += Self.part("\(lists.relation), new", lists.added) { $0.cells }
      text += Self.part("\(lists.relation), ended", lists.ended) { $0.cells }
    }
    return text
  }

  private static func part<Item>(_ heading: String, _ list: List<Item>, cells: (Item) -> [String]) -> String {
    if list.count == 0 { return "" }
    var table = Table([.whole, .left, .left])
    for item in list.items { table.add(cells: cells(item)) }
    let more = list.count - list.items.count
    return Color.bold("\n\(heading): \(grouped(list.count))") + "\n" + table.text()
      + (more > 0 ? "  and \(grouped(more)) more\n" : "")
  }
}

extension GraphDifference.ShownPost {
  fileprivate var cells: [String] { [createdAt.text, printable(author.username), printable(text).shortened(to: 100)] }
}

extension GraphDifference.Edge {
  fileprivate var cells: [String] {
    func words(_ end: GraphDifference.End) -> String {
      switch end {
      case .user(let user): printable(user.username)
      case .post(let post): "post \(post.id) of \(printable(post.author.username))"
      }
    }
    return [time?.text ?? "", "\(words(source)) → \(words(target))"]
  }
}
