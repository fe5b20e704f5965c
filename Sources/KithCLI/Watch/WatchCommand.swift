import Kith

/// `kith watch`: prints changes or answers while another process writes the store.
enum WatchCommand {
  static let from = Option("--from", "N", "changes: the first number to print (default: the next change)")
  static let viewer = Option("--as", "USER", "the viewer")
  private static let count = Option("--count", "N", "ends after N lines")
  private static let every = Option("--every", "MS", "the polling interval, 1 to 60,000 (default 20)")

  private static let kinds = ["changes", "user", "likes", "followers", "timeline", "search"]

  static let command = Command(
    name: "watch",
    summary: "prints the changes of a store, or a live answer, as JSON Lines while another process writes it",
    positionals: [
      Positional("STORE", "a store directory; only read, without a lock; not with --log", isOptional: true),
      Positional(
        "WHAT", "changes (the default), user, likes, followers, timeline or search", isOptional: true,
        choices: kinds),
      Positional("SUBJECT", "the user, the post (likes) or the text (search)", isOptional: true),
    ],
    options: [from, viewer, .limit, count, every, .compactLists, .compressTexts, .uniqueNames] + ReplicaAccess.options,
    notes: [
      "A change is printed as its request in kith query, with its \"sequence\". {\"missed\":[a,b]} replaces changes "
        + "that the journals no longer hold. An answer is printed as by kith query, now and whenever it changes. "
        + "USER is \(UserArgument.help).",
      "It polls the journal (write-ahead log) that the store's writer appends to: a change is seen when it is "
        + "written, just before it is synced. A store with durability memory has no journal to watch. Inside the "
        + "writing process, use the request watch of kith query, or SocialGraph.values in Swift.",
      "With --log it is a replica of a graph that several hosts share, and prints what is in the log. It goes on "
        + "through a failover. Where its snapshot begins after what was printed last, {\"missed\":[a,b]} says so.",
    ],
    examples: [
      "watch ./store", "watch ./store changes --from 1 --count 10", "watch ./store timeline ann --limit 5",
      "watch ./store likes 17", "watch ./store search ann --as 42",
      "watch --log postgres://a,b,c/social timeline ann",
    ],
    isEndless: true, run: run)

  /// The source of lines: returns false when there is nothing new.
  protocol Watched {
    mutating func printNext() throws(CommandFailure) -> Bool
    /// Frees what it holds beside memory.
    func end()
  }

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    ByteStream.ignoreBrokenPipes()
    let pause = Int32(try arguments.integer(every, in: 1...60_000) ?? 20)
    var left = try arguments.integer(count, in: 1...Int64.max) ?? .max
    var watched: any Watched
    if ReplicaAccess.isMeant(arguments) {
      watched = try WatchedReplica(arguments)
    } else {
      guard arguments.positional(0) != nil else { throw arguments.misuse("STORE is missing: a directory, or --log") }
      let what = arguments.positional(1) ?? "changes"
      guard kinds.contains(what) else {
        throw arguments.misuse("\(what) cannot be watched: \(alternatives(kinds)) is needed")
      }
      watched = what == "changes" ? try WatchedChanges(arguments) : try WatchedAnswer(arguments, what)
    }
    defer { watched.end() }
    while left > 0 {
      if try watched.printNext() {
        left -= 1
      } else if ByteStream.output.waitForHangUp(milliseconds: pause) {
        break
      }
    }
    return 0
  }

  /// Refuses the options of a graph in memory where there is none, or another command's.
  static func refuseForms(_ arguments: Arguments, _ reason: String) throws(CommandFailure) {
    for option in [Option.compactLists, .compressTexts, .uniqueNames] where arguments.flag(option) {
      throw arguments.misuse("\(option.name): \(reason)")
    }
  }

  static func attempt<R>(_ body: () throws(KithError) -> R) throws(CommandFailure) -> R {
    do throws(KithError) { return try body() } catch { throw .no(error.sentence) }
  }

  /// Prints one line. A reader that has closed its end is no failure.
  static func line(_ content: (inout JSONWriter) -> Void) throws(CommandFailure) {
    var writer = JSONWriter()
    writer.object(content)
    writer.newline()
    do throws(ByteStream.Failure) {
      try ByteStream.output.write(writer.bytes)
    } catch {
      if error.isBrokenPipe { leave(with: 0) }
      throw .no("\(error)")
    }
  }

  static func missed(_ range: ClosedRange<UInt64>) throws(CommandFailure) {
    try line { writer in
      writer.array("missed", [range.lowerBound, range.upperBound]) { $0.integer($1) }
    }
  }

  // MARK: - Changes

  private struct WatchedChanges: Watched {
    func end() {}

    var follower: StoreFollower
    /// Changes of one frame that are not printed yet, the last first.
    var waiting: [(change: Change, sequence: UInt64)] = []

    init(_ arguments: Arguments) throws(CommandFailure) {
      guard arguments.positional(2) == nil, !arguments.flag(viewer), !arguments.flag(.limit) else {
        throw arguments.misuse("changes are watched as a whole: no subject, no --as, no --limit")
      }
      try WatchCommand.refuseForms(arguments, "changes are read from the journal")
      let store = arguments.positionals[0]
      let first = try arguments.integer(from, in: 1...Int64.max)
      do throws(KithError) {
        let next = if let first { UInt64(first) } else { (try StoreTools.list(store).lastSequence ?? 0) + 1 }
        follower = try StoreFollower(store, from: next)
      } catch {
        throw .usage(error.sentence)
      }
    }

    mutating func printNext() throws(CommandFailure) -> Bool {
      if let (change, sequence) = waiting.popLast() {
        try line { change.write(to: &$0, sequence: sequence) }
        return true
      }
      switch try attempt({ () throws(KithError) in try follower.next() }) {
      case .nothing: return false
      case .missed(let range):
        try missed(range)
        return true
      case .changes(let changes, let first):
        waiting = changes.enumerated().map { ($1, first + UInt64($0)) }.reversed()
        return try printNext()
      }
    }
  }

  // MARK: - Answers

  private struct WatchedAnswer: Watched {
    func end() {}

    let store: String
    let request: Request
    let open: () throws(CommandFailure) -> SocialGraph
    var graph: SocialGraph
    var follower: StoreFollower
    var subscription: LiveSubscription<[UInt8], KithError>
    /// What was printed last.
    var printed: [UInt8] = []

    init(_ arguments: Arguments, _ what: String) throws(CommandFailure) {
      if arguments.flag(from) { throw arguments.misuse("--from is for changes") }
      let (store, options) = (arguments.positionals[0], try arguments.graphOptions())
      open = { () throws(CommandFailure) in try StoreAccess.open(store, access: .readOnly, options) }
      graph = try open()
      request = try graph.read { (view) throws(CommandFailure) in
        try WatchCommand.request(arguments, what, arguments.positional(2), view)
      }
      subscription = try Self.subscription(request, graph)
      follower = try Self.follower(store, graph)
      self.store = store
    }

    private static func subscription(
      _ request: Request, _ graph: SocialGraph
    ) throws(CommandFailure) -> LiveSubscription<[UInt8], KithError> {
      let question = try attempt { () throws(KithError) in
        try graph.read { (view) throws(KithError) in try request.liveQuery(view) }
      }
      return LiveSubscription(graph, question)
    }

    private static func follower(_ store: String, _ graph: SocialGraph) throws(CommandFailure) -> StoreFollower {
      do throws(KithError) {
        return try StoreFollower(store, from: graph.read { view in view.sequence } + 1)
      } catch {
        throw .usage(error.sentence)
      }
    }

    mutating func printNext() throws(CommandFailure) -> Bool {
      while true {
        if let members = try attempt({ () throws(KithError) in try subscription.askIfTold() }), members != printed {
          printed = members
          let sequence = graph.read { view in view.sequence }
          try line { writer in
            writer.member("sequence", sequence)
            writer.source(members[...])
          }
          return true
        }
        switch try attempt({ () throws(KithError) in try follower.next() }) {
        case .nothing: return false
        case .missed:
          // An import, or an older journal that was removed: a snapshot has these changes.
          graph = try open()
          subscription = try Self.subscription(request, graph)
          follower = try Self.follower(store, graph)
        case .changes(let changes, _): try attempt { () throws(KithError) in try graph.follow(changes) }
        }
      }
    }
  }

  /// The request of `kith query` for an answer.
  static func request(
    _ arguments: Arguments, _ what: String, _ subject: String?, _ view: borrowing GraphView
  ) throws(CommandFailure) -> Request {
    guard let subject else { throw arguments.misuse("the SUBJECT of \(what) is missing") }
    func member(_ name: String, _ value: JSONValue) -> JSONMember {
      JSONMember(name: name, value: value, source: 0..<0)
    }
    func user(_ text: String) throws(CommandFailure) -> JSONValue {
      .integer(try UserArgument.resolve(text, in: view).rawValue)
    }
    var members: [JSONMember] = []
    switch what {
    case "user", "timeline", "followers":
      members = [member("op", .string(what)), member("user", try user(subject))]
    case "likes":
      guard let post = Int64(subject) else { throw arguments.misuse("\(subject) is not the id of a post") }
      members = [member("op", .string("likers")), member("post", .integer(post))]
    case "search": members = [member("op", .string("users")), member("query", .string(subject))]
    default: throw arguments.misuse("\(what) cannot be watched")
    }
    if let text = arguments.value(viewer) { members.append(member("as", try user(text))) }
    if let limit = try arguments.integer(.limit, in: 1...Int64(SocialGraph.Limits.pageCount)) {
      members.append(member("limit", .integer(limit)))
    }
    do throws(RequestError) { return try Request(members) } catch { throw .no(error.sentence) }
  }
}
