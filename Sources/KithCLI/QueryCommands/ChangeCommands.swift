import Foundation
import Kith

/// `kith add` and `kith edit`: one user or one post.
enum ChangeCommands {
  /// What a change is of.
  private enum Subject: String, CaseIterable { case user, post }

  private static let what = Positional("WHAT", "user or post", choices: Subject.allCases.map(\.rawValue))
  private static let store = Positional("STORE", "a store directory, which no other process has open for writing")

  private static let id = Option("--id", "N", "the id; without it, one that is free")
  private static let author = Option("--by", "USER", "the author of the post")
  private static let reply = Option("--reply", "POST", "the post that it replies to, in a store that declares replies")
  private static let time = Option("--at", "TIME", "when the post was written, or edited; without it, now")
  private static let username = Option("--username", "NAME", "the new username")
  private static let text = Option("--text", "TEXT", "the new text of the post")
  private static let kind = Option("--kind", "NAME", "the kind of the user, which the store declares")
  private static let displayName = Option("--display-name", "NAME", "the name that is shown; \"\" for none")
  private static let payload = Option("--payload", "FILE", "the bytes of a file as the payload; - for standard input")
  private static let flags = Option("--flags", "MASK", "the sixteen flags, 0 to 65535")
  private static let isPrivate = Option(
    "--private", "WORD", "yes: only followers see the posts of the user; or no", choices: ["yes", "no"])
  private static let audience = Option(
    "--audience", "WHICH", "who may see the post: \(alternatives(Audience.allCases.map(\.rawValue)))",
    choices: Audience.allCases.map(\.rawValue))

  private static let ofUsers = [username, kind, displayName, isPrivate]
  private static let ofPosts = [author, reply, time, text, audience]
  private static let fields =
    "Payloads, flags, display names, audiences and replies need a store with a schema: see "
    + "kith schema."
  private static let status = "Exit status: 0 changed; 1 refused, or nothing to change; 2 wrong usage or cannot open."

  static let add = Command(
    name: "add", summary: "adds a user or a post to a store",
    positionals: [store, what, Positional("TEXT", "the username, or the text of the post")],
    options: [id, author, reply, time, kind, displayName, payload, flags, isPrivate, audience, .uniqueNames, .json],
    notes: ["USER is \(UserArgument.help).", fields, status],
    examples: [
      "add ./store user ann", "add ./store user bob --display-name \"Bob Berg\" --payload avatar.png",
      "add ./store post \"first snow\" --by ann", "add ./store post \"here, too\" --by bob --reply 1 --json",
    ]
  ) { (arguments) throws(CommandFailure) in
    try run(arguments) { (subject, graph) throws(CommandFailure) in [try added(subject, arguments, graph)] }
  }

  static let edit = Command(
    name: "edit", summary: "changes what a store keeps with a user or a post",
    positionals: [store, what, Positional("SUBJECT", "the user, or the id of the post")],
    options: [username, text, time, displayName, payload, flags, isPrivate, audience, .uniqueNames, .json],
    notes: ["A user is \(UserArgument.help).", "What is not given stays.", fields, status],
    examples: [
      "edit ./store user ann --username anna", "edit ./store user 42 --display-name \"\" --private yes",
      "edit ./store post 17 --text \"first snow!\"",
    ]
  ) { (arguments) throws(CommandFailure) in
    try run(arguments) { (subject, graph) throws(CommandFailure) in try edits(subject, arguments, graph) }
  }

  // MARK: - The changes

  private static func added(
    _ subject: Subject, _ arguments: Arguments, _ graph: SocialGraph
  ) throws(CommandFailure) -> Change {
    let text = arguments.positionals[2]
    let wanted = try arguments.integer(id, in: 1...Int64.max)
    switch subject {
    case .user: return .addUser(id: wanted.map { UserID($0) }, username: text, fields: try userFields(arguments))
    case .post:
      guard let name = arguments.value(author) else { throw arguments.misuse("a post needs its author: --by USER") }
      let author: UserID = try resolve(name, graph)
      var edges: [PostEdge] = []
      if let parent = try arguments.integer(reply, in: 1...Int64.max) {
        guard let thread = graph.read({ $0.schema?.relations.first { $0.isThread } }) else {
          throw .no("the store declares no relation that makes threads, so that no post replies; see kith schema")
        }
        edges.append(PostEdge(thread, to: PostID(parent)))
      }
      return .addPost(
        id: wanted.map { PostID($0) }, by: author, text: text, createdAt: try time(arguments), edges: edges,
        fields: try postFields(arguments))
    }
  }

  private static func edits(
    _ subject: Subject, _ arguments: Arguments, _ graph: SocialGraph
  ) throws(CommandFailure) -> [Change] {
    var changes: [Change] = []
    switch subject {
    case .user:
      let user: UserID = try resolve(arguments.positionals[2], graph)
      if let name = arguments.value(username) { changes.append(.renameUser(user, to: name)) }
      let fields = try userFields(arguments)
      if fields != UserFields() { changes.append(.editUser(user, fields)) }
    case .post:
      guard let post = Int64(arguments.positionals[2]) else {
        throw arguments.misuse("\(arguments.positionals[2]) is not the id of a post")
      }
      var fields = try postFields(arguments)
      fields.editedAt = try time(arguments)
      let text = arguments.value(text)
      if text != nil || fields != PostFields() { changes.append(.editPost(PostID(post), text: text, fields: fields)) }
    }
    if changes.isEmpty { throw arguments.misuse("nothing is given to change") }
    return changes
  }

  private static func userFields(_ arguments: Arguments) throws(CommandFailure) -> UserFields {
    UserFields(
      kind: arguments.value(kind), displayName: arguments.value(displayName), payload: try payload(arguments),
      flags: try mask(arguments),
      isPrivate: try word(isPrivate, arguments).map { $0 == "yes" })
  }

  private static func postFields(_ arguments: Arguments) throws(CommandFailure) -> PostFields {
    PostFields(
      payload: try payload(arguments), flags: try mask(arguments), audience: try arguments.choice(audience))
  }

  // MARK: - Values

  private static func word(_ option: Option, _ arguments: Arguments) throws(CommandFailure) -> String? {
    guard let word = arguments.value(option) else { return nil }
    guard option.choices.contains(word) else {
      throw arguments.misuse("\(option.name) \(word): \(alternatives(option.choices)) is needed")
    }
    return word
  }

  private static func mask(_ arguments: Arguments) throws(CommandFailure) -> UInt16? {
    try arguments.integer(flags, in: 0...Int64(UInt16.max)).map { UInt16(truncatingIfNeeded: $0) }
  }

  private static func time(_ arguments: Arguments) throws(CommandFailure) -> Timestamp? {
    guard let text = arguments.value(time) else { return nil }
    guard let time = parseTime(text, missingMilliseconds: 0) ?? Int64(text) else {
      throw arguments.misuse("--at \(text): a time such as 2026-02-28T23:59:07Z, or milliseconds since 1970")
    }
    return Timestamp(time)
  }

  private static func payload(_ arguments: Arguments) throws(CommandFailure) -> [UInt8]? {
    guard let path = arguments.value(payload) else { return nil }
    do {
      let file =
        path == ByteStream.sign ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      // With one byte more than are kept, the graph refuses them.
      return Array(try file.read(upToCount: SocialGraph.Limits.payloadByteCount + 1) ?? Data())
    } catch {
      throw .usage("\(path): cannot be read: \(error.localizedDescription)")
    }
  }

  private static func resolve(_ name: String, _ graph: SocialGraph) throws(CommandFailure) -> UserID {
    try StoreQuery.failing { try graph.read { view in try UserArgument.resolve(name, in: view) as UserID } }
  }

  // MARK: - Running

  private static func apply(_ changes: [Change], to graph: SocialGraph) throws(CommandFailure) -> [ChangeAnswer] {
    do throws(KithError) {
      return try graph.batch { (batch) throws(KithError) in
        try changes.map { (change) throws(KithError) in
          let applied = try batch.apply(change)
          return try batch.read { (view) throws(KithError) in try ChangeAnswer(applied, view) }
        }
      }
    } catch .inBatch(_, let error) {
      throw .no(error.sentence)
    } catch {
      throw .no(error.sentence)
    }
  }

  private static func run(
    _ arguments: Arguments,
    _ changes: (Subject, SocialGraph) throws(CommandFailure) -> [Change]
  ) throws(CommandFailure) -> Int32 {
    guard let subject = Subject(rawValue: arguments.positionals[1]) else {
      throw arguments.misuse("\(arguments.positionals[1]): user or post is needed")
    }
    for option in subject == .user ? ofPosts : ofUsers where arguments.value(option) != nil {
      throw arguments.misuse("\(option.name) is not of a \(subject)")
    }
    let graph = try StoreAccess.openExisting(arguments.positionals[0], try arguments.graphOptions())
    let wanted = try changes(subject, graph)
    let answers = try apply(wanted, to: graph)
    try StoreAccess.close(graph)
    let changed = answers.contains { $0.isChange }
    try StoreQuery.write(arguments, text: answers.last?.text(changed) ?? "") { writer in
      answers.last?.write(changed, to: &writer)
    }
    return changed ? 0 : 1
  }
}

extension ChangeAnswer {
  fileprivate var isChange: Bool { if case .changed(let changed) = outcome { changed } else { true } }

  fileprivate func text(_ changed: Bool) -> String {
    switch outcome {
    case .user(let user): "added user \(user.id.rawValue), \(printable(user.username))\n"
    case .post(let post): "added post \(post.id.rawValue)\n"
    default: changed ? "changed\n" : "nothing to change\n"
    }
  }

  fileprivate func write(_ changed: Bool, to writer: inout JSONWriter) {
    switch outcome {
    case .user(let user): writer.object("user") { user.write(to: &$0) }
    case .post(let post): writer.object("post") { post.write(to: &$0) }
    default: writer.member("changed", changed)
    }
    writer.member("sequence", sequence)
  }
}
