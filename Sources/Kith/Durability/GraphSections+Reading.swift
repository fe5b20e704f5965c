/// From sections to a graph. Every count, range, order and rule is checked before it is relied on.
extension GraphSections {
  /// The graph that sections hold, built on all cores. Errors: `corrupt`, with the section and what is wrong.
  /// - Complexity: O(graph · log longest list). Memory: the graph, the columns of one relation, and buffers of a few
  ///   megabytes a core.
  static func state(
    from source: some SectionSource & Sendable, sequence: UInt64, workers: Int = SystemDisk.coreCount
  ) throws(KithError) -> GraphState {
    let users = try users(source)
    var state = GraphState()
    var search = NameIndex()
    // Three things that need nothing but the users; each of them is the work of about one core.
    try Parallel.forEach(3) { (lane) throws(KithError) in
      switch lane {
      case 0: state.follows = try edges(source, follows, users: users, workers: workers)
      case 1: state.posts = try posts(source, users: users)
      default: search.rebuild(names: users.names)
      }
    }
    state.likes = try likes(source, users: users, posts: state.posts, workers: workers)
    state.blocks = try edges(source, blocks, users: users, workers: workers)
    state.mutes = try edges(source, mutes, users: users, workers: workers)
    state.users = users
    state.users.adopt(search)
    state.popularity = Popularity(state.follows)
    state.sequence = sequence
    try checkBlocks(state, source)
    return state
  }

  // MARK: - Users

  /// All users, without the index that searches them.
  private static func users(_ source: some SectionSource) throws(KithError) -> UserTable {
    let idSection = try source.section(userIDs)
    let ids = try idSection.decodedInt64()
    guard ids.count <= Limits.rowCount else { throw idSection.corrupt("\(ids.count) rows are too many") }
    let lengths = try source.section(nameLengths).decodedUInt32(count: ids.count)
    let byteSection = try source.section(nameBytes)
    let bytes = try byteSection.decodedBytes(count: lengths.reduce(0) { $0 + Int($1) })
    var users = UserTable()
    users.deferSearch()
    var start = 0
    for row in ids.indices {
      if ids[row] < 1 { throw idSection.corrupt("id \(ids[row]) is not positive") }
      if users.identifiers.row(of: ids[row]) != nil { throw idSection.corrupt("id \(ids[row]) stands twice") }
      let end = start + Int(lengths[row])
      let name = bytes.span.extracting(start..<end)
      start = end
      if name.isEmpty {
        users.appendRemoved(id: ids[row])
        continue
      }
      guard isUTF8(name) else { throw byteSection.corrupt("the name of user \(ids[row]) is not UTF-8") }
      do throws(KithError) { try GraphState.checkName(name) } catch {
        throw byteSection.corrupt("the name of user \(ids[row]): \(error.description)")
      }
      if users.row(named: name) != nil { throw byteSection.corrupt("the name of user \(ids[row]) stands twice") }
      _ = users.append(id: ids[row], name: name)
    }
    return users
  }

  // MARK: - Posts

  private static func posts(
    _ source: some SectionSource, users: borrowing UserTable
  ) throws(KithError) -> PostTable {
    let idSection = try source.section(postIDs)
    guard idSection.elementCount <= UInt64(Limits.rowCount) else {
      throw idSection.corrupt("\(idSection.elementCount) rows are too many")
    }
    var identifiers = IdentifierTable()
    try idSection.forEachInt64 { (id) throws(KithError) in
      if id < 1 { throw idSection.corrupt("id \(id) is not positive") }
      // Ascending ids, the rule, need no look.
      if id <= identifiers.highest, identifiers.row(of: id) != nil { throw idSection.corrupt("id \(id) stands twice") }
      identifiers.append(id)
    }
    let count = identifiers.count
    let authorSection = try source.section(postAuthors)
    var authors = Column<UInt32>()
    try authorSection.forEachUInt32(count: count) { (stored) throws(KithError) in
      let author = stored &- 1
      guard author == PostTable.nobody || (author < users.rowCount && users.isLive(author)) else {
        throw authorSection.corrupt("post row \(authors.count) has the author \(author), who is not there")
      }
      authors.append(author)
    }
    let timeSection = try source.section(postTimes)
    var times = Column<Int64>()
    try timeSection.forEachInt64(count: count) { (time) throws(KithError) in
      if time < 0 { throw timeSection.corrupt("\(time) is before 1970") }
      times.append(time)
    }
    let texts = try texts(source, authors: authors)
    return PostTable(
      identifiers: identifiers, authors: authors, times: times, texts: texts, authorCount: users.rowCount)
  }

  private static func texts(
    _ source: some SectionSource, authors: borrowing Column<UInt32>
  ) throws(KithError) -> TextColumn {
    let lengthSection = try source.section(textLengths)
    let lengths = try lengthSection.decodedUInt32(count: authors.count)
    for row in lengths.indices
    where lengths[row] > Limits.textByteCount || (lengths[row] > 0 && authors[row] == PostTable.nobody) {
      throw lengthSection.corrupt("a text of \(lengths[row]) bytes in row \(row)")
    }
    let (head, contentByteCount, place) = try source.find(textBytes)
    try head.check(lengths.reduce(0) { $0 + Int($1) }, encodings: [.bytes], place)
    guard UInt64(contentByteCount) == head.elementCount else {
      throw place.corrupt("section \(textBytes): \(contentByteCount) bytes are not \(head.elementCount) elements")
    }
    var texts = TextAssembly(lengths: lengths, place: place)
    try source.forEachFrame(of: textBytes) { (frame) throws(KithError) in try texts.take(frame) }
    return texts.finish()
  }

  // MARK: - Edges

  /// A relation between users.
  private static func edges(
    _ source: some SectionSource, _ ids: EdgeSections, users: borrowing UserTable, workers: Int
  ) throws(KithError) -> Relation {
    try edges(
      source, ids, users: users, targetCount: users.rowCount, workers: workers, allowsSelf: false,
      hasGone: users.count < users.rowCount
    ) { !users.isLive($0) }
  }

  private static func likes(
    _ source: some SectionSource, users: borrowing UserTable, posts: borrowing PostTable, workers: Int
  ) throws(KithError) -> Relation {
    try edges(
      source, likes, users: users, targetCount: posts.rowCount, workers: workers, allowsSelf: true,
      hasGone: posts.count < posts.rowCount
    ) { !posts.isLive($0) }
  }

  /// One relation.
  /// - Parameters:
  ///   - hasGone: whether any target was removed.
  ///   - isGone: whether this one was.
  private static func edges(
    _ source: some SectionSource, _ ids: EdgeSections, users: borrowing UserTable, targetCount: Int, workers: Int,
    allowsSelf: Bool, hasGone: Bool, isGone: @Sendable (UInt32) -> Bool
  ) throws(KithError) -> Relation {
    let degrees = try source.section(ids.degrees).decodedUInt32(count: users.rowCount)
    let section = try source.section(ids.targets)
    for row in degrees.indices where degrees[row] > 0 && !users.isLive(UInt32(row)) {
      throw section.corrupt("removed row \(row) has edges")
    }
    let targets = try section.listDecoder()
    try targets.checkSum(of: degrees)
    let seconds: PlaneDecoder<UInt32>? =
      if let id = ids.seconds { try source.section(id).planeDecoder(count: targets.elementCount) } else { nil }
    return try Relation(
      degrees: degrees, targetCount: targetCount, workers: workers, ids: users.identifiers.ids
    ) { (sources, elements, buffer) throws(KithError) in
      try targets.decodeLists(sources, elements, degrees: degrees, below: UInt32(targetCount), into: &buffer)
      if !allowsSelf || hasGone {
        var index = 0
        for row in sources {
          for _ in 0..<degrees[row] {
            let target = Relation.target(buffer[index])
            if hasGone && isGone(target) { throw section.corrupt("row \(row) points at removed row \(target)") }
            if !allowsSelf && Int(target) == row { throw section.corrupt("row \(row) points at itself") }
            index += 1
          }
        }
      }
      guard let seconds else { return }
      var coded: [UInt32] = []
      seconds.gather(elements, into: &coded)
      for index in coded.indices { buffer[index] |= UInt64(coded[index]) }
    }
  }

  /// No follow crosses a block.
  private static func checkBlocks(
    _ state: borrowing GraphState, _ source: some SectionSource
  ) throws(KithError) {
    for row in 0..<state.users.rowCount {
      for run in 0..<state.blocks.forward.runCount(of: row) {
        let elements = state.blocks.forward.run(run, of: row)
        for index in elements.indices {
          let other = Relation.target(elements[index])
          if state.follows.contains(UInt32(row), other) || state.follows.contains(other, UInt32(row)) {
            throw try source.find(blocks.targets).place.corrupt(
              "section \(blocks.targets): a follow crosses the block of \(other) by \(row)")
          }
        }
      }
    }
  }

  // MARK: - Bytes

  static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    if Folding.isASCII(bytes) { return true }
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count)
    for index in bytes.indices { copy.append(bytes[index]) }
    return String(validating: copy, as: UTF8.self) != nil
  }
}
