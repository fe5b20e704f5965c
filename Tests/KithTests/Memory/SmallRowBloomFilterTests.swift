import Testing

@testable import Kith

@Suite struct SmallRowBloomFilterTests {
  @Test("Rows of the set always pass, and few others", arguments: [0, 1, 20, SmallRowBloomFilter.maximumRowCount])
  func rows(count: Int) {
    var random = SeededRandom(seed: UInt64(count) + 1)
    let rows = (0..<count).map { _ in UInt32(random.below(1 << 30)) }
    let others = (0..<1_000).map { _ in UInt32(random.below(1 << 30)) }.filter { !rows.contains($0) }
    let elements = rows.map { UInt64($0) << 32 | 7 }
    SmallRowBloomFilter.lend(targets: elements.span) { filter in
      var (held, passed) = (0, 0)
      for row in rows where filter.mayContain(row) { held += 1 }
      for row in others where filter.mayContain(row) { passed += 1 }
      #expect(held == rows.count && passed <= 1_000 * count / 400)
    }
  }

  @Test("A viewer's likes are right in pages of any length, of few and of many", arguments: [1, 20, 64, 65, 300])
  func likes(count: Int) throws {
    let graph = SocialGraph()
    let (viewer, author) = (try graph.addUser("viewer"), try graph.addUser("author"))
    let posts = try (0..<400).map { try graph.addPost("post \($0)", by: author) }
    var random = SeededRandom(seed: UInt64(count))
    var liked: Set<PostID> = []
    while liked.count < count {
      let post = posts[random.below(posts.count)]
      if liked.insert(post).inserted { _ = try graph.like(post, as: viewer) }
    }
    for limit in [1, 7, 20, 400] {
      let wanted = Array(posts.suffix(limit))
      let found = try graph.read { try $0.posts(wanted, as: viewer) }
      #expect(found.map { $0?.isLikedByViewer } == wanted.map { liked.contains($0) }, "\(limit) posts")
    }
  }
}
