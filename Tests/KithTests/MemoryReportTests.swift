import Testing

@testable import Kith

#if canImport(Glibc)
  import Glibc
#endif

/// The bytes that a graph says it takes.
@Suite struct MemoryReportTests {
  /// Users who follow twenty others each and write ten posts each.
  private static func fill(_ graph: SocialGraph, userCount: Int) throws {
    let ids = try (0..<userCount).map { try graph.addUser("somebody \($0)") }
    for (index, user) in ids.enumerated() {
      for step in 1...20 { try graph.follow(user, ids[(index + step * step) % userCount], at: 0) }
      for number in 0..<10 {
        let post = try graph.addPost(by: user, "post \(number) of user \(index), as long as posts are in the middle")
        try graph.like(ids[(index * 7 + number) % userCount], post)
      }
    }
  }

  @Test func `units are what their structures take together`() throws {
    let graph = SocialGraph()
    try Self.fill(graph, userCount: 500)
    let report = graph.read { $0.memoryReport() }
    #expect(report.units.map(\.name) == ["user", "post", "follow", "like"])
    #expect(report.units.map(\.count) == [500, 5_000, 10_000, 5_000])
    let others = report.entries.filter { ["blocks", "mutes", "marks"].contains($0.name) }
    #expect(report.units.reduce(0) { $0 + $1.byteCount } + others.reduce(0) { $0 + $1.byteCount } == report.byteCount)
    #expect(SocialGraph().read { $0.memoryReport() }.units.allSatisfy { $0.bytesEach == nil })
  }

  #if canImport(Glibc)
    @Test func `a graph takes what it says, up to a twentieth, of what the allocator gave`() async {
      await #expect(processExitsWith: .success) {
        let before = unsafe mallinfo2()
        let graph = SocialGraph()
        try Self.fill(graph, userCount: 20_000)
        let after = unsafe mallinfo2()
        let given = Int(after.uordblks + after.hblkhd) - Int(before.uordblks + before.hblkhd)
        let said = graph.read { $0.memoryReport() }.byteCount
        precondition(abs(given - said) < given / 20, "the allocator gave \(given) bytes, the report says \(said)")
      }
    }
  #endif
}
