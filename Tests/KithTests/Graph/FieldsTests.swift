import Testing

@testable import Kith

/// Payloads, flags and edits. The model plays them at random (`ModelTests`); here are their limits and what it cannot
/// see.
@Suite struct FieldsTests {
  private static let empty = SocialGraph.Schema()
  // Named, because the leak checker does not find a reference in a change.
  private static let long = PostFields(payload: [UInt8](repeating: 7, count: SocialGraph.Limits.payloadByteCount))
  private static let tooLong = PostFields(
    payload: [UInt8](repeating: 7, count: SocialGraph.Limits.payloadByteCount + 1))
  private static let timed = PostFields(flags: 1, editedAt: 5)

  @Test("Without a schema no fields are taken, and no text is edited")
  func withoutSchema() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    let post = try graph.addPost("hello", by: ann)
    #expect(throws: KithError.noSchema) { try graph.addUser("bob", fields: UserFields(flags: 0)) }
    #expect(throws: KithError.noSchema) { try graph.addPost("x", by: ann, fields: Self.timed) }
    #expect(throws: KithError.noSchema) { try graph.editPost(post, text: "hello") }
    #expect(throws: KithError.noSchema) { try graph.editUser(ann, UserFields()) }
  }

  @Test("Limits are refused, and the longest payload is kept")
  func limits() throws {
    let graph = SocialGraph(schema: Self.empty)
    let ann = try graph.addUser("ann")
    let post = try graph.addPost("hello", by: ann, fields: Self.long)
    let count = SocialGraph.Limits.payloadByteCount
    #expect(throws: KithError.invalidRequest(.payloadByteCount(count + 1))) {
      try graph.editPost(post, fields: Self.tooLong)
    }
    #expect(throws: KithError.invalidRequest(.payloadByteCount(count + 1))) {
      try graph.editUser(ann, UserFields(payload: Self.tooLong.payload))
    }
    #expect(throws: KithError.textTooLong(byteCount: 65_536)) {
      try graph.editPost(post, text: String(repeating: "x", count: 65_536))
    }
    #expect(throws: KithError.invalidRequest(.editTimeUnused)) { try graph.editPost(post, fields: Self.timed) }
    try graph.read { (view) throws(KithError) in
      let shown = try view.adding(ResultDetails(includesPayloads: true), to: view.post(post))
      #expect(shown.payload == Self.long.payload && shown.editedAt == nil)
    }
  }

  private static func lookedUp(
    _ read: Read, _ view: borrowing GraphView
  ) throws(KithError) -> (user: User?, post: Post?) {
    guard case .lookup(let found) = try read.answer(view) else { return (nil, nil) }
    return (found.users[0], found.posts[0])
  }

  @Test("Payloads are in the answers of every read that asks for them, a lookup's, too")
  func payloads() throws {
    let graph = SocialGraph(schema: Self.empty)
    let ann = try graph.addUser("ann", fields: UserFields(payload: [1, 2]))
    let post = try graph.addPost("hello", by: ann, fields: PostFields(payload: [3]))
    let details = ResultDetails(includesPayloads: true)
    try graph.read { (view) throws(KithError) in
      let lookup = Read.lookup(users: [ann], posts: [post], as: nil, includesAuthors: true)
      let bare = try Self.lookedUp(lookup, view), detailed = try Self.lookedUp(.adding(details, to: lookup), view)
      #expect(bare.user != nil && bare.post != nil && bare.user?.payload == nil && bare.post?.payload == nil)
      #expect(detailed.user?.payload == [1, 2] && detailed.post?.payload == [3])
    }
  }

  @Test("An edited text is found where the index has the old one: in a memtable, a segment, and during a compaction")
  func search() throws {
    let graph = SocialGraph(schema: Self.empty)
    let ann = try graph.addUser("ann")
    func found(_ word: String) throws -> [PostID] {
      try graph.read { (view) throws(KithError) in try view.searchPosts(word, PostQuery(limit: 1_000)).map(\.id) }
    }
    for number in 1...6_000 {
      try graph.addPost("harbour \(number) lights", by: ann, createdAt: Timestamp(Int64(number)))
    }
    try graph.editPost(10, text: "a zebra", fields: PostFields(editedAt: 1))
    graph.settlePosts()
    try graph.editPost(20, text: "a zebra", fields: PostFields(editedAt: 1))
    try graph.editPost(5_999, text: "a zebra", fields: PostFields(editedAt: 1))
    #expect(try found("zebra") == [5_999, 20, 10] && found("20").contains(20) == false)
    #expect(try found("5999") == [] && found("lights 1000") == [1_000])
    try graph.editPost(20, text: "harbour 20 lights", fields: PostFields(editedAt: 2))
    let (zebra, twenty) = (try found("zebra"), try found("20 lights"))
    #expect(zebra == [5_999, 10] && twenty.contains(20), "\(zebra) \(twenty.count) \(twenty.suffix(6))")
    // So many that the segment is built again.
    for number in 1_001...1_400 {
      try graph.editPost(PostID(Int64(number)), text: "a quagga", fields: PostFields(editedAt: 3))
    }
    graph.settlePosts()
    #expect(try found("quagga").count == 400 && found("zebra") == [5_999, 10])
    try graph.removePost(10)
    #expect(try found("zebra") == [5_999])
    #expect(graph.read { $0.verify() } == [])
  }

  @Test("Edits without end take no memory without end")
  func manyEdits() throws {
    let graph = SocialGraph(schema: Self.empty)
    let ann = try graph.addUser("ann")
    let post = try graph.addPost("hello", by: ann)
    func byteCount() -> Int { graph.read { $0.memoryReport().byteCount } }
    let before = byteCount()
    for number in 0..<4_000 {
      let fields = PostFields(payload: [UInt8](repeating: UInt8(number % 251), count: 3_000))
      try graph.editPost(post, text: "text \(number)", fields: fields)
    }
    #expect(byteCount() - before < 8 << 20)
  }

  @Test("Pages whose texts were replaced are used again, and few texts that are left keep none for long")
  func replacedTexts() {
    var column = TextColumn()
    let (long, short) = ([UInt8](repeating: 1, count: 65_535), [UInt8](repeating: 2, count: 200))
    column.append(long.span)
    for _ in 0..<20_000 { column.append(short.span) }
    var random = SeededRandom(seed: 3)
    for number in 0..<6_000 {
      // Bytes change, so that each write is one.
      var text = number % 2 == 0 ? long : short
      text[0] = UInt8(number % 256)
      column.set(number % 2 == 0 ? 0 : 1 + random.below(20_000), text.span)
    }
    #expect(column.memoryByteCount < 20 << 20)
    #expect(column.pageNumberCount < 30)
    #expect(column.checkInvariants("texts") == [])
  }

  @Test("A post that is removed before it is in a segment is no edited one any more")
  func removedEdit() throws {
    let graph = SocialGraph(schema: Self.empty)
    let post = try graph.addPost("hello", by: graph.addUser("ann"))
    try graph.editPost(post, text: "harbour")
    #expect(graph.read { !$0.state.posts.index.hasNoEdits })
    try graph.removePost(post)
    #expect(graph.read { $0.state.posts.index.hasNoEdits })
  }

  @Test("A batch that no frame of a journal could hold is refused")
  func longBatch() throws {
    let graph = SocialGraph(schema: Self.empty)
    let post = try graph.addPost("hello", by: graph.addUser("ann"))
    let texts = ["a", "b"].map { String(repeating: $0, count: 65_535) }
    let payload = [UInt8](repeating: 1, count: 65_535)
    #expect(throws: KithError.invalidRequest(.batchTooLong(byteLimit: SocialGraph.Limits.batchByteCount))) {
      try graph.batch { batch throws(KithError) in
        for number in 0..<SocialGraph.Limits.batchCount {
          try batch.apply(.editPost(post, text: texts[number % 2], fields: PostFields(payload: payload)))
        }
      }
    }
    #expect(try graph.read { try $0.post(post).text } == "hello")
  }

  @Test("A live page follows edits of what it shows, and of what it does not show yet")
  func live() throws {
    let graph = SocialGraph(schema: Self.empty)
    let ann = try graph.addUser("ann")
    let post = try graph.addPost("hello", by: ann)
    let search = PostsByWords(text: "harbour", query: PostQuery())
    let dependencies = graph.read { view in
      (try? view.searchPosts("harbour")).map { search.dependencies(of: $0) } ?? []
    }
    var touched: [QueryDependency] = []
    AppliedChange(change: .editPost(post, text: "harbour"), knownAuthor: ann).forEachTouched { touched.append($0) }
    #expect(!Set(touched).isDisjoint(with: dependencies))
    touched = []
    AppliedChange(change: .editUser(ann, UserFields(flags: 1)), knownAuthor: nil).forEachTouched { touched.append($0) }
    #expect(touched.contains(.user(ann)))
  }
}
