import Testing

@testable import Kith

/// Whom suggestions leave out, and that a live query hears of it.
@Suite struct SuggestionTests {
  /// 1 follows 2, who follows 3, 4 and 5.
  private static func network() throws -> SocialGraph {
    let graph = SocialGraph()
    for name in ["ann", "bob", "cem", "dee", "eve"] { try graph.addUser(name) }
    try graph.follow(2, as: 1)
    for target in [3, 4, 5] as [UserID] { try graph.follow(target, as: 2) }
    return graph
  }

  private static func suggested(_ graph: SocialGraph, _ query: SuggestionQuery = SuggestionQuery()) throws -> [UserID] {
    try graph.read { (view) throws(KithError) in try view.suggestions(for: 1, query).map(\.user.id) }
  }

  @Test("Whom the user mutes is not suggested; whom others mute, and who mutes the user, is")
  func mutes() throws {
    let graph = try Self.network()
    #expect(try Self.suggested(graph) == [3, 4, 5])
    try graph.mute(3, as: 1)
    #expect(try Self.suggested(graph) == [4, 5] && Self.suggested(graph, SuggestionQuery(limit: 1)) == [4])
    try graph.mute(4, as: 2)
    try graph.mute(1, as: 5)
    #expect(try Self.suggested(graph) == [4, 5])
    // A followee who is muted still counts among those who follow.
    try graph.mute(2, as: 1)
    #expect(try Self.suggested(graph) == [4, 5])
    try graph.unmute(3, as: 1)
    #expect(try Self.suggested(graph) == [3, 4, 5])
  }

  @Test("Also with ids that do not ascend, and with compact lists")
  func descendingIDs() throws {
    for compact in [false, true] {
      let graph = SocialGraph(options: SocialGraph.Options { $0.compactLists = compact })
      for id in [9, 8, 7, 6] as [UserID] { try graph.addUser("user \(id)", id: id) }
      try graph.follow(8, as: 9)
      for target in [6, 7] as [UserID] { try graph.follow(target, as: 8) }
      try graph.mute(6, as: 9)
      let found = try graph.read { (view) throws(KithError) in try view.suggestions(for: 9).map(\.user.id) }
      #expect(found == [7])
    }
  }

  @Test("A live query of suggestions runs again after a mute and its end")
  func live() throws {
    let graph = try Self.network()
    let watched = LiveSubscription<Page<Suggestion>, KithError>(graph, .suggestions(for: 1))
    func answer() throws -> [UserID]? { try watched.askIfTold()?.map(\.user.id) }
    #expect(try answer() == [3, 4, 5])
    try graph.mute(3, as: 2)
    #expect(try answer() == nil, "another's mute is not the user's")
    try graph.mute(3, as: 1)
    #expect(try answer() == [4, 5])
    try graph.unmute(3, as: 1)
    #expect(try answer() == [3, 4, 5])
  }
}
