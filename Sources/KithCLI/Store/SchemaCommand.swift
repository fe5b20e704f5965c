import Kith

/// `kith schema`: shows what a store declares, or declares more.
enum SchemaCommand {
  static let command = Command(
    name: "schema",
    summary: "shows the relations that a store declares, or declares those of a file",
    positionals: [
      Positional(
        "STORE", "a store directory or a snapshot, only read without FILE; with FILE created if there is none"),
      Positional(
        "FILE", "a schema file, - for standard input: what the store lacks of it is declared", isOptional: true),
    ],
    options: [.json],
    notes: [
      "A schema file is {\"relations\":[…],\"userKinds\":[…]}, the second with names, and only where there "
        + "are kinds of users beside user. A relation has a name, from and to (user or post), and where wanted "
        + "isTimed (of posts), visibility (everyone, ends or source), isEndedBy (a list of relations), endsWith (a "
        + "relation), hides (a list of timeline, reposts, incoming), entersTimelines, isThread and grantsAccess.",
      "Nothing that is declared is ever altered or removed: a relation that was declared with other facts is refused, "
        + "and nothing of the file is then declared.",
      "Exit status: 0 if the store has a schema, 1 if it has none, 2 for a file or a store that cannot be used.",
    ],
    examples: ["schema ./store", "schema ./store schema.json", "schema ./store --json > schema.json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let store = arguments.positionals[0]
    let graph: SocialGraph
    if let file = arguments.positional(1) {
      let schema = try SchemaFile.read(file)
      graph = try StoreAccess.open(store, access: .readWrite, schema: schema)
    } else {
      graph = try StoreAccess.open(store, access: .readOnly)
    }
    let declared = graph.read { ($0.schema, $0.edgeCounts) }
    try StoreAccess.close(graph)
    guard let schema = declared.0 else {
      if arguments.flag(.json) { try Console.write(Array("null\n".utf8)) } else { try Console.write("no schema\n") }
      return 1
    }
    if arguments.flag(.json) {
      try Console.write(schema.file)
    } else {
      var table = Table([.left, .right, .whole])
      for (relation, count) in zip(schema.relations, declared.1) {
        table.add(relation.name, grouped(count), relation.facts)
      }
      var text = schema.relations.isEmpty ? "a schema without relations\n" : table.text()
      if !schema.userKinds.isEmpty { text += "  kinds of users: \(schema.userKinds.joined(separator: ", "))\n" }
      try Console.write(text)
    }
    return 0
  }
}

extension Relation {
  /// The facts in words: those of the description, without the name.
  fileprivate var facts: String { String(description.dropFirst(name.count + 2).dropLast()) }
}

extension GraphView {
  /// The number of edges of each declared relation, in the order of the schema.
  fileprivate var edgeCounts: [Int] { (schema?.relations ?? []).map { (try? edgeCount($0)) ?? 0 } }
}
