import Foundation
import Kith

/// The graph of an example: the store named on the command line, or a small one in memory.
public enum Sample {
  /// The graph, and who is at the screen: `STORE NAME` of the command line, or the sample and ann.
  public static func open() async throws -> (graph: SocialGraph, me: UserID) {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first else {
      let graph = try await graph()
      return (graph, try user("ann", in: graph))
    }
    let graph = try await SocialGraph.open(path, options: .example)
    return (graph, try user(arguments.dropFirst().first ?? "ann", in: graph))
  }

  /// The id of a user.
  public static func user(_ name: String, in graph: SocialGraph) throws -> UserID {
    guard let id = graph.read({ $0.findUser(named: name) }) else { throw KithError.unknownUsername(name) }
    return id
  }

  /// The lines of a text file.
  public static func lines(of path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// The path of a sample file of this package.
  public static func path(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../data/\(name)").path
  }

  /// Nine people, whom they follow, and what they wrote, one post a minute.
  private static func graph() async throws -> SocialGraph {
    let graph = SocialGraph(options: .example)
    try await graph.batch { batch in
      for name in names { try batch.addUser(name) }
      for (user, targets) in follows {
        for target in targets { try batch.follow(id(of: target, in: batch), as: id(of: user, in: batch)) }
      }
      for (minute, (author, text)) in posts.enumerated() {
        try batch.addPost(text, by: id(of: author, in: batch), createdAt: Timestamp(Int64(minute) * 60_000))
      }
    }
    return graph
  }

  private static func id(of name: String, in batch: borrowing SocialGraph.Batch) throws -> UserID {
    guard let id = batch.findUser(named: name) else { throw KithError.unknownUsername(name) }
    return id
  }

  private static let names = ["ann", "Anna", "bob", "Bobby", "Hannah", "Joanna", "Julian", "Susanne", "Zoë"]

  private static let follows: KeyValuePairs = [
    "ann": ["bob", "Hannah", "Zoë"], "bob": ["ann", "Zoë"], "Bobby": ["bob"], "Hannah": ["ann", "Anna", "bob", "Zoë"],
    "Joanna": ["Susanne", "Zoë"], "Julian": ["Zoë"], "Zoë": ["Hannah"],
  ]

  private static let posts: KeyValuePairs = [
    "bob": "The kettle is on.", "Zoë": "Snow on the hills this morning.", "Julian": "I post, and have no followers.",
    "Hannah": "Two trains late, one book read.", "ann": "Back from the lake.", "Zoë": "The snow is gone again.",
    "bob": "Who wants the last cake?", "Hannah": "I want the last cake.",
  ]
}
