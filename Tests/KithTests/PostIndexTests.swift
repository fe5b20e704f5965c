import Foundation
import Testing

@testable import Kith

/// The index of posts against the same graph without one, which looks at every post.
@Suite struct PostIndexTests {
  private static func number(_ name: String, else value: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? value
  }

  /// Questions in all; `KITH_POST_QUESTIONS` asks for more or fewer.
  private static let questionCount = number("KITH_POST_QUESTIONS", else: 2_400)
  private static let seed = UInt64(number("KITH_POST_SEED", else: 1))

  @Test(
    "Random questions are answered as by a scan, at every shape of the index, while posts, names and blocks change",
    arguments: [PostIndexing.textsAndAuthors, .texts], [0, 3, 40])
  func churn(kind: PostIndexing, freezing: Int) throws {
    var world = try PostWorld(seed: Self.seed * 100 + UInt64(freezing), kind)
    try world.fill(1_500)
    let steps = Self.questionCount / 6
    for step in 1...steps {
      for _ in 0..<3 { try world.change() }
      // From one segment for every few posts to none but those that fall due.
      if freezing > 0 && step % freezing == 0 { world.freeze() }
      if step % 50 == 0 { world.settle() }
      try world.compareOne()
      if step % (steps / 3) == 0 { try world.checkInvariants() }
    }
  }

  @Test("A pinned view finds the posts of its own instant")
  func pins() throws {
    var world = try PostWorld(seed: 7, .textsAndAuthors)
    try world.fill(600)
    for _ in 0..<6 {
      let pins = world.pin()
      for _ in 0..<40 { try world.change() }
      world.freeze()
      world.settle()
      for _ in 0..<15 {
        try world.compareOne(in: pins)
        try world.compareOne()
      }
    }
  }

  @Test("What was restored is found while its index is built beside a writer, and after")
  func restoring() throws {
    var world = try PostWorld(seed: 8, .textsAndAuthors)
    try world.fill(3_000)
    for _ in 0..<3 {
      try world.restore()
      var count = 0
      while !world.isIndexed || count < 40 {
        try world.change()
        try world.compareOne()
        count += 1
      }
      try world.checkInvariants()
    }
  }

  @Test("Posts that come all at once are searched one by one until they are indexed")
  func bulk() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    try graph.addPost(by: ann, "before the snow")
    try graph.bulk { (batch) throws(KithError) in
      for number in 0..<3_000 {
        try batch.apply(.addPost(id: nil, author: ann, text: "flake \(number)", createdAt: Timestamp(Int64(number))))
      }
    }
    try graph.addPost(by: ann, "after the snow")
    func find(_ query: String) throws -> [PostID] { try graph.read { try $0.searchPosts(query) }.map(\.id) }
    #expect(try find("snow") == [3_002, 1] && find("lake 2999") == [3_001])
    graph.settlePosts()
    #expect(graph.read { $0.isPostSearchIndexed })
    #expect(try find("snow") == [3_002, 1] && find("lake 2999") == [3_001] && find("ann 1234") == [1_236])
    #expect(graph.read { $0.verify() }.isEmpty)
  }

  @Test("A segment of posts that are mostly removed is built anew without them")
  func removal() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    for number in 0..<400 { try graph.addPost(by: ann, "word\(number) and more") }
    graph.freezePosts()
    for number in 1...300 { try graph.apply(.removePost(PostID(Int64(number)))) }
    #expect(try graph.read { try $0.searchPosts("word1") }.allSatisfy { $0.id.rawValue > 300 })
    graph.settlePosts()
    // It may have been built anew before the last of them was removed.
    #expect(graph.read { $0.state.posts.index.segments.reduce(0) { $0 + $1.segment.order.count } } < 200)
    #expect(try graph.read { try $0.searchPosts("word399") }.map(\.id) == [400])
    #expect(graph.read { $0.verify() }.isEmpty)
  }

  @Test("Segments grow geometrically as posts come, and every post is found")
  func growth() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    for number in 0..<18_000 { try graph.addPost(by: ann, "n\(number)") }
    graph.settlePosts()
    let index = graph.read { $0.state.posts.index }
    #expect(index.isWhole && index.segments.count <= 5 && index.heads.count <= PostIndex.headsPerSegment)
    for number in stride(from: 0, to: 18_000, by: 997) {
      let found = try graph.read { try $0.searchPosts("n\(number)", PostSearch(limit: 1_000)) }.map(\.id.rawValue)
      #expect(found.last == Int64(number + 1))
    }
  }

  @Test("Without an index nothing is kept, and answers are the same")
  func off() throws {
    let graph = SocialGraph(options: Options(postIndex: .off))
    try graph.addPost(by: graph.addUser("ann"), "snow")
    graph.settlePosts()
    #expect(try graph.read { try $0.searchPosts("now") }.count == 1)
    #expect(graph.read { !$0.isPostSearchIndexed && $0.state.posts.index.byteCount == 0 })
  }
}

extension SocialGraph {
  /// Builds what is due, here and now.
  func settlePosts() {
    while let build = withPosts({ $0.beginBuild() }) {
      let segment = build.segment()
      withPosts { _ = $0.adopt(segment) }
    }
  }

  /// Makes one segment of the rows behind the last one.
  func freezePosts() {
    withPosts { posts in
      let start = posts.index.segments.last?.segment.rows.upperBound ?? 0
      let segment = posts.build(of: start..<UInt32(posts.rowCount)).segment()
      _ = posts.adopt(segment)
    }
  }
}
