import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// What an explorer answers, without a server.
@Suite struct ExplorerTests {
  private static func change(_ number: Int) -> Change { .addUser(id: nil, username: "user \(number)") }

  @Test("The log keeps the newest changes")
  func log() {
    var log = ChangeLog()
    #expect(log.changes(after: 0).isEmpty)
    for first in stride(from: 1, to: 5_001, by: 100) {
      log.add((first..<first + 100).map(Self.change), first: UInt64(first))
    }
    #expect(log.changes(after: 4_990).map(\.sequence) == Array(4_991...5_000))
    #expect(log.changes(after: 0).count == ChangeLog.limit)
    #expect(log.changes(after: 0).last?.change == Self.change(5_000))
    #expect(log.changes(after: 5_000).isEmpty)
    log.add((0..<10_000).map(Self.change), first: 5_001)
    #expect(log.changes(after: 0).map(\.sequence) == Array(13_977...15_000))
  }

  @Test("A client is sent at most so many changes a second, and every other one is counted")
  func allowance() {
    var (log, allowance, text) = (ChangeLog(), ChangeAllowance(after: 10), "")
    log.add((11..<311).map(Self.change), first: 11)
    for _ in 0..<3 {
      text += String(decoding: allowance.events(log.changes(after: allowance.sequence), last: 310), as: UTF8.self)
    }
    #expect(text.components(separatedBy: "event: change").count == ChangeAllowance.countPerSecond + 1)
    #expect(allowance.sequence == 310)
    Thread.sleep(forTimeInterval: 1.1)
    // Changes that the log does not have are counted, too.
    let later = String(decoding: allowance.events([], last: 400), as: UTF8.self)
    #expect(later == "event: skipped\ndata: {\"count\":100}\n\n")
    #expect(allowance.sequence == 400)
  }

  @Test("A neighbourhood is the same as found by queries of one user at a time")
  func neighbourhood() throws {
    let graph = SocialGraph()
    for number in 0..<60 { _ = try graph.addUser("user \(number)") }
    for number in 0..<240 {
      let (one, other) = (UserID(Int64(number * 7 % 60 + 1)), UserID(Int64(number * number * 13 % 60 + 1)))
      if one != other { try graph.follow(other, as: one) }
    }
    let pin = graph.pin()
    for hops in 1...2 {
      let found = try Neighbourhood(of: UserID(14), hops: hops, limit: 1_000, in: pin.view)
      var distances: [UserID: Int] = [UserID(14): 0]
      for distance in 1...hops {
        for user in distances.filter({ $0.value == distance - 1 }).keys {
          let list = ListQuery(limit: 100)
          let near = try pin.view.followers(of: user, list).map(\.id) + pin.view.followees(of: user, list).map(\.id)
          for other in near where distances[other] == nil { distances[other] = distance }
        }
      }
      let ids = found.nodes.compactMap { pin.view.user(at: $0.row) }
      #expect(Dictionary(uniqueKeysWithValues: zip(ids, found.nodes.map(\.distance))) == distances)
      #expect(found.nodes.map(\.distance) == found.nodes.map(\.distance).sorted())
      #expect(!found.isTruncated)
      var edgeCount = 0
      for one in ids {
        for other in ids where try one != other && pin.view.isFollowing(other, as: one) { edgeCount += 1 }
      }
      #expect(found.edges.count == edgeCount)
      for edge in found.edges { #expect(try pin.view.isFollowing(ids[edge.target], as: ids[edge.source])) }
      #expect(found.foundCount == ids.count && !found.isCut)
      let cut = try Neighbourhood(of: UserID(14), hops: hops, limit: 4, in: pin.view)
      // Of two hops, the second has its part of the nodes, however many there are at the first.
      let kept = hops == 1 ? found.nodes.prefix(4) : found.nodes.prefix(3)
      #expect(cut.nodes.count == 4 && cut.nodes.prefix(kept.count).map(\.row) == kept.map(\.row))
      #expect(cut.nodes.map(\.distance) == (hops == 1 ? [0, 1, 1, 1] : [0, 1, 1, 2]))
      #expect(cut.isTruncated && cut.foundCount > 4)
      // No more follows are read than allowed, whatever the length of a list; each may lead to one user.
      for readLimit in 0...4 {
        let short = try Neighbourhood(of: UserID(14), hops: hops, limit: 1_000, readLimit: readLimit, in: pin.view)
        #expect(short.nodes.count <= 1 + hops * readLimit)
        #expect(short.isTruncated || short.nodes.map(\.row) == found.nodes.map(\.row))
        #expect(short.isTruncated || readLimit > 0)
        #expect(Set(short.nodes.map(\.row)).isSubset(of: found.nodes.map(\.row)))
      }
    }
  }

  @Test("A cancelled restore throws, and past states are the least recently used ones closed")
  func past() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "kith-past-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let graph = try SocialGraph.open(path)
    _ = try graph.addUser("ann")
    try graph.close()
    let store = try ExploredStore(path)
    defer { store.close() }
    let cancelled = ReadControl()
    cancelled.cancel()
    let now = Timestamp.now().rawValue
    // Times later than now are refused.
    while Timestamp.now().rawValue < now + 2 { Thread.sleep(forTimeInterval: 0.001) }
    #expect(throws: KithError.cancelled) { try store.openPast(at: now, cancelled) }
    #expect(store.past(at: now) == nil)
    for time in now...now + 1 {
      #expect(try store.openPast(at: time, ReadControl()).read { view in view.counts.users } == 1)
    }
    #expect(store.past(at: now) != nil)
    _ = try store.openPast(at: now + 2, ReadControl())
    #expect(store.past(at: now) != nil && store.past(at: now + 1) == nil && store.past(at: now + 2) != nil)
    #expect(throws: KithError.self) { try store.openPast(at: 1, ReadControl()) }
  }

  @Test("The description of the interface is JSON, and every reference in it leads to a schema")
  func openAPI() throws {
    let document = try #require(try JSONSerialization.jsonObject(with: Data(OpenAPI.bytes)) as? [String: Any])
    let paths = try #require(document["paths"] as? [String: Any])
    #expect(Set(paths.keys) == Set(Endpoint.allCases.map { Endpoint.prefix + $0.rawValue }))
    let components = try #require(document["components"] as? [String: Any])
    let schemas = try #require(components["schemas"] as? [String: Any])
    let text = String(decoding: OpenAPI.bytes, as: UTF8.self)
    for part in text.components(separatedBy: "#/components/schemas/").dropFirst() {
      #expect(schemas[String(part.prefix { $0.isLetter })] != nil)
    }
  }
}
