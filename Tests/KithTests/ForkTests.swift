import Testing

@testable import Kith

@Suite("Forks") struct ForkTests {
  @Test("A graph and its fork go their own ways, and outlive each other") func ways() throws {
    var graph = try SampleGraph(userCount: 40, seed: 3).graph
    let before = graph.read { $0.counts }
    let fork = graph.fork()
    let (one, other) = (try graph.addUser("one"), try fork.addUser("another"))
    try graph.follow(one, try #require(graph.read { $0.user(at: 2) }))
    try fork.addPost(by: other, "hello")
    #expect(graph.read { $0.findUser(named: "another") } == nil)
    #expect(fork.read { $0.findUser(named: "one") } == nil)
    #expect(graph.read { $0.counts.follows } == before.follows + 1)
    #expect(fork.read { $0.counts.follows } == before.follows)
    #expect(fork.read { $0.counts.posts } == before.posts + 1)
    #expect(graph.read { $0.verify() } == [] && fork.read { $0.verify() } == [])
    graph = fork.fork()
    try graph.remove(other)
    #expect(graph.read { $0.verify() } == [] && fork.read { $0.verify() } == [])
    #expect(fork.read { $0.counts.posts } == before.posts + 1)
  }
}
