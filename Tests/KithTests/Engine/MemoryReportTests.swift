import Foundation
import Testing

@testable import Kith

/// The reported bytes of a graph.
@Suite struct MemoryReportTests {
  /// Users who follow twenty others each and write ten posts each.
  private static func fill(_ graph: SocialGraph, userCount: Int) throws {
    let ids = try (0..<userCount).map { try graph.addUser("somebody \($0)") }
    for (index, user) in ids.enumerated() {
      for step in 1...20 { try graph.follow(ids[(index + step * step) % userCount], as: user, at: 0) }
      for number in 0..<10 {
        let post = try graph.addPost("post \(number) of user \(index), as long as posts are in the middle", by: user)
        try graph.like(post, as: ids[(index * 7 + number) % userCount])
      }
    }
  }

  @Test("The size of a component is the sum of its structures")
  func componentSizes() throws {
    let graph = SocialGraph()
    try Self.fill(graph, userCount: 500)
    let report = graph.read { $0.memoryReport() }
    #expect(report.units.map(\.name) == ["user", "post", "follow", "like"])
    #expect(report.units.map(\.count) == [500, 5_000, 10_000, 5_000])
    let others = report.entries.filter { ["blocks", "mutes", "marks", "timelineHints"].contains($0.name) }
    #expect(report.units.reduce(0) { $0 + $1.byteCount } + others.reduce(0) { $0 + $1.byteCount } == report.byteCount)
    #expect(SocialGraph().read { $0.memoryReport() }.units.allSatisfy { $0.bytesEach == nil })
  }

  @Test("A relation without edges takes at most a byte for two users, and one edge at most 64 KB")
  func emptyRelations() throws {
    let graph = SocialGraph()
    let ids = try (0..<20_000).map { try graph.addUser("somebody \($0)") }
    func byteCounts() -> [Int] {
      graph.read { view in
        let entries = view.memoryReport().entries
        return RelationKind.allCases.map { kind in
          entries.reduce(0) { $1.name == kind.plural ? $0 + $1.byteCount : $0 }
        }
      }
    }
    let empty = byteCounts()
    #expect(empty.count == 4 && empty.allSatisfy { 0 < $0 && $0 <= ids.count / 2 })
    try graph.mute(ids[19_999], as: ids[10_000])
    try graph.block(ids[0], as: ids[1])
    let small = byteCounts()
    #expect(zip(small, empty).allSatisfy { $0 - $1 <= 64 << 10 } && small != empty)
    #expect(graph.read { $0.state.checkInvariants() } == [])
  }

  @Test("Memory of a graph returns to the system when the graph is released")
  func releasedMemory() async {
    await #expect(processExitsWith: .success) {
      let most = try MemoryReportTests.mostTaken()
      // Background compaction and indexing end a little later.
      for _ in 0..<1_000 where PagePool.byteCounts.taken > 0 { try await Task.sleep(for: .milliseconds(10)) }
      let left = PagePool.byteCounts
      precondition(most > 4 << 20 && left.taken == 0 && left.mapped <= 2 << 20, "of \(most) bytes \(left) are left")
    }
  }

  /// The bytes that the pages of a graph take; the graph is released afterwards.
  private static func mostTaken() throws -> Int {
    let graph = SocialGraph()
    try fill(graph, userCount: 3_000)
    return PagePool.byteCounts.taken
  }

  #if os(Linux)
    /// The bytes of memory of this process.
    private static func residentByteCount() throws -> Int {
      let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
      return (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// What the system gave, and what the report says of it, without the first graph of the process.
    private static func given(userCount: Int) throws -> (given: Int, said: Int, free: Int) {
      let graph = SocialGraph()
      try fill(graph, userCount: 2_000)
      let (before, first) = (try residentByteCount(), graph.read { $0.memoryReport() })
      precondition(first.byteCount > 0 && first.freePageByteCount >= 0, "a graph takes memory")
      // Without the index of posts: its builder leaves freed memory in the allocator.
      let other = SocialGraph(options: SocialGraph.Options { $0.postIndex = .off })
      try fill(other, userCount: userCount)
      let given = try residentByteCount() - before
      let report = other.read { $0.memoryReport() }
      return (given, report.byteCount, report.freePageByteCount - first.freePageByteCount)
    }

    @Test("Reported memory and the free pages are what the system gave, within a fortieth and two huge pages")
    func reportedMemory() async {
      await #expect(processExitsWith: .success) {
        let (given, said, free) = try MemoryReportTests.given(userCount: 30_000)
        let most = given / 40 + (2 << 21)
        precondition(abs(given - said - free) < most, "the system gave \(given), the report says \(said) + \(free)")
        print("given", given, "said", said, "free", free)
      }
    }
  #endif
}
