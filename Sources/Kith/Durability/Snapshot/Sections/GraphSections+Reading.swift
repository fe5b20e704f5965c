/// Builds a graph from sections. Every count, range, order and rule is checked before it is relied on.
extension GraphSections {
  /// Builds the graph from its sections, on all cores.
  /// - Parameters:
  ///   - byteLimit: the most memory that the graph may take, by its `GraphEstimate`.
  ///   - isOwn: as there.
  /// - Throws: `corrupt`, with the section and the reason; `limitExceeded`.
  /// - Complexity: O(graph · log longest list). Memory: the graph, and per core some megabytes, a word per user, and a
  ///   sixteenth of a relation's edges, at most eight million of them or, if these are more, a part in 48.
  static func state(
    from source: some SectionSource & Sendable, sequence: UInt64, byteLimit: Int = .max, isOwn: Bool = false,
    form: GraphForm = .plain, workers: Int = SystemDisk.coreCount
  ) throws(KithError) -> GraphState {
    var estimate = try GraphEstimate(of: source, byteLimit: byteLimit, form: form, isOwn: isOwn)
    let lengths = try source.section(nameLengths).decodedUInt32(count: try rowCount(userIDs, source))
    let userCount = lengths.reduce(0) { $0 + ($1 > 0 ? 1 : 0) }
    try estimate.note(users: userCount)
    var users = UserTable()
    users.beginRestoring(
      try identifiers(userIDs, source, count: lengths.count) { lengths[$0] > 0 }, liveCount: userCount)
    var liveCount = 0
    var authors = try authors(source, users: lengths, counting: &liveCount)
    try estimate.note(posts: liveCount)
    let ends = EdgeEnds(
      nameLengths: lengths, userCount: userCount, authors: authors.pin(), postCount: liveCount, ids: users.pinIDs())
    var state = GraphState(form: form.lists)
    var others = GraphState(form: form.lists)
    // Tasks that depend only on which rows are live. The first takes one core, and so begins first.
    try Parallel.together(4, workers: workers) { (lane) throws(KithError) in
      switch lane {
      case 0: try restoreNames(source, lengths: lengths, ends, to: &users)
      case 1:
        state.follows = try edges(
          RelationKind.follow.sections, to: .user, source, ends, order: ends.ids, form: form.lists, workers: workers)
      case 2:
        state.posts = try posts(source, authors: &authors, authorCount: lengths.count, liveCount: liveCount, form)
      default:
        for kind in RelationKind.allCases where kind != .follow {
          var edges = try edges(
            kind.sections, to: kind.facts.target, source, ends, order: ends.ids, form: form.lists, workers: workers)
          others.modify(kind) { swap(&$0, &edges) }
        }
      }
    }
    for kind in RelationKind.allCases where kind != .follow {
      others.modify(kind) { other in state.modify(kind) { swap(&$0, &other) } }
    }
    swap(&state.users, &users)
    try restoreDeclared(from: source, ends, to: &state, workers: workers)
    try restoreHost(from: source, ends, to: &state)
    state.popularity = Popularity(state.follows)
    state.countCards()
    state.sequence = sequence
    try checkBlocks(state, source)
    return state
  }

  // MARK: - Users

  /// The ids of all rows of a column.
  private static func identifiers(
    _ column: SectionID, _ source: some SectionSource, count: Int, isLive: (Int) -> Bool
  ) throws(KithError) -> IdentifierTable {
    let section = try source.section(column)
    var identifiers = IdentifierTable()
    try section.forEachInt64(count: count) { (id) throws(KithError) in
      if id < 1 { throw section.corrupt("id \(id) is not positive") }
      if !isLive(identifiers.count) { return identifiers.appendRemoved(id) }
      // Ascending ids, the usual case, need no lookup.
      if id <= identifiers.highest, identifiers.row(of: id) != nil { throw twice(id, section) }
      identifiers.append(id)
    }
    if let id = identifiers.settleRemoved() { throw twice(id, section) }
    return identifiers
  }

  /// Restores the names of all users, and their search index.
  private static func restoreNames(
    _ source: some SectionSource, lengths: [UInt32], _ ends: borrowing EdgeEnds, to users: inout UserTable
  ) throws(KithError) {
    try restoreKinds(from: source, ends, to: &users)
    try restoreDisplayNames(from: source, ends, to: &users)
    let section = try source.section(nameBytes)
    let bytes = try section.decodedBytes(count: lengths.reduce(0) { $0 + Int($1) })
    var start = 0
    for row in lengths.indices where lengths[row] > 0 {
      let end = start + Int(lengths[row])
      let name = bytes.span.extracting(start..<end)
      start = end
      let kind = users.kind(of: UInt32(row))
      let holder = try checkName(name, kind, of: users.identifiers.ids[row], users, section)
      users.restore(UInt32(row), name: name)
      if let holder { users.notePair(UInt32(row), holder) }
    }
    users.buildSearch()
  }

  /// Checks a name. Returns the user with the same name after NFC, which older releases allowed.
  private static func checkName(
    _ name: Span<UInt8>, _ kind: UInt8, of id: Int64, _ users: borrowing UserTable, _ section: Section
  ) throws(KithError) -> UInt32? {
    guard isUTF8(name) else { throw section.corrupt("the name of user \(id) is not UTF-8") }
    do throws(KithError) { try GraphState.checkName(name) } catch {
      throw section.corrupt("the name of user \(id): \(error.description)")
    }
    guard let holder = users.row(named: name, ofKind: kind) else { return nil }
    guard users.mayShare(name, with: holder) else { throw section.corrupt("the name of user \(id) stands twice") }
    return holder
  }

  /// The number of rows of a column of ids. Too large a number is rejected before anything is allocated.
  private static func rowCount(_ ids: SectionID, _ source: some SectionSource) throws(KithError) -> Int {
    let (head, contentByteCount, place) = try source.find(ids)
    guard head.elementCount <= UInt64(min(contentByteCount, SocialGraph.Limits.rowCount)) else {
      throw place.corrupt("section \(ids): \(head.elementCount) rows are too many")
    }
    return Int(head.elementCount)
  }

  private static func twice(_ id: Int64, _ section: Section) -> KithError { section.corrupt("id \(id) stands twice") }

  // MARK: - Posts

  private static func posts(
    _ source: some SectionSource, authors: inout Column<UInt32>, authorCount: Int, liveCount: Int,
    _ form: GraphForm
  ) throws(KithError) -> PostTable {
    let count = authors.count
    let identifiers = try identifiers(postIDs, source, count: count) { authors[$0] != PostIndex.noAuthor }
    var texts = try texts(source, authors: authors)
    let (timeSection, keepsTimes) = (try source.section(postTimes), source.has(schema))
    var row = 0
    try timeSection.forEachInt64(count: count) { (time) throws(KithError) in
      if time < 0 { throw timeSection.corrupt("\(time) is before 1970") }
      // Without a schema a removed post keeps none.
      if time > 0, keepsTimes || authors[row] != PostIndex.noAuthor { texts.setTime(time, of: row) }
      row += 1
    }
    // Here, while the lists of edges are not yet built, the plain texts beside the compressed ones do not matter.
    if form.compressesTexts { texts.compress() }
    return PostTable(
      identifiers: identifiers, authors: authors.pin(), texts: texts, authorCount: authorCount, liveCount: liveCount)
  }

  /// The rows of all authors.
  /// - Parameter liveCount: incremented for each post that has an author.
  private static func authors(
    _ source: some SectionSource, users lengths: [UInt32], counting liveCount: inout Int
  ) throws(KithError) -> Column<UInt32> {
    let count = try rowCount(postIDs, source)
    let section = try source.section(postAuthors)
    var authors = Column<UInt32>()
    authors.grow(to: count, filledWith: PostIndex.noAuthor)
    var row = 0
    try section.forEachUInt32(count: count) { (stored) throws(KithError) in
      defer { row += 1 }
      if stored == 0 { return }
      let author = stored - 1
      guard author < lengths.count && lengths[Int(author)] > 0 else {
        throw section.corrupt("post row \(row) has the author \(author), who is not there")
      }
      authors[row] = author
      liveCount += 1
    }
    return authors
  }

  private static func texts(
    _ source: some SectionSource, authors: borrowing Column<UInt32>
  ) throws(KithError) -> TextColumn {
    let lengthSection = try source.section(textLengths)
    let lengths = try lengthSection.decodedUInt32(count: authors.count)
    for row in lengths.indices
    where lengths[row] > SocialGraph.Limits.textByteCount || (lengths[row] > 0 && authors[row] == PostIndex.noAuthor) {
      throw lengthSection.corrupt("a text of \(lengths[row]) bytes in row \(row)")
    }
    let (head, contentByteCount, place) = try source.find(textBytes)
    try head.check(lengths.reduce(0) { $0 + Int($1) }, encodings: [.bytes], place)
    guard UInt64(contentByteCount) == head.elementCount else {
      throw place.corrupt("section \(textBytes): \(contentByteCount) bytes are not \(head.elementCount) elements")
    }
    var texts = TextAssembly(lengths: lengths, wordsPerRow: PostTable.wordsPerRow, place: place)
    try source.forEachFrame(of: textBytes) { (frame) throws(KithError) in try texts.take(frame) }
    return texts.finish()
  }

  // MARK: - Edges

  /// The rows that can be the ends of an edge.
  struct EdgeEnds: ~Copyable, Sendable {
    /// The byte counts of the names of users; 0 for a removed one.
    let nameLengths: [UInt32]
    let userCount: Int
    /// The authors of posts.
    let authors: Column<UInt32>
    let postCount: Int
    /// The ids of users, by which sources are ordered.
    let ids: RowIDs

    func count(_ end: Relation.End) -> Int {
      switch end {
      case .user: nameLengths.count
      case .post: authors.count
      }
    }

    /// Whether any row was removed.
    func hasGone(_ end: Relation.End) -> Bool {
      switch end {
      case .user: userCount < nameLengths.count
      case .post: postCount < authors.count
      }
    }

    @inline(__always)
    func isGone(_ row: UInt32, _ end: Relation.End) -> Bool {
      switch end {
      case .user: nameLengths[Int(row)] == 0
      case .post: authors[row] == PostIndex.noAuthor
      }
    }
  }

  /// Builds one relation.
  static func edges(
    _ sections: EdgeSections, from sourceEnd: Relation.End = .user, to targetEnd: Relation.End,
    _ source: some SectionSource, _ ends: borrowing EdgeEnds, order: borrowing some SourceOrder & ~Copyable,
    form: ListForm = .plain,
    workers: Int
  ) throws(KithError) -> Adjacency {
    let (sourceCount, targetCount) = (ends.count(sourceEnd), ends.count(targetEnd))
    let (isToPosts, isLoop, hasGone) = (targetEnd == .post, sourceEnd == targetEnd, ends.hasGone(targetEnd))
    guard sections.areExpected(in: source) else {
      return Adjacency(sourceCount: sourceCount, targetCount: targetCount, form: form, hasSparseTargets: isToPosts)
    }
    let degrees = try source.section(sections.degrees).decodedUInt32(count: sourceCount)
    let (head, _, place) = try source.find(sections.targets)
    for row in degrees.indices where degrees[row] > 0 && ends.isGone(UInt32(row), sourceEnd) {
      throw place.corrupt("section \(head.id): removed row \(row) has edges")
    }
    try head.check(nil, encodings: [.listPlanes], place)
    let targets = try ByteStreamSplitDecoder<UInt32>(head, source.framed(sections.targets), place)
    try targets.checkSum(of: degrees)
    let seconds = try sections.seconds.map { (id) throws(KithError) in
      let (head, _, place) = try source.find(id)
      try head.check(targets.elementCount, encodings: [.planes], place)
      return try ByteStreamSplitDecoder<UInt32>(head, source.framed(id), place)
    }
    let buffers = Pool<WorkBuffer<UInt32>>()
    let relation = try Adjacency(
      degrees: degrees, targetCount: targetCount, workers: workers, order: order, form: form,
      hasSparseTargets: isToPosts, boundsGroups: isToPosts && source.has(schema)
    ) { (sources, elements, edges) throws(KithError) in
      let buffer = buffers.take() ?? WorkBuffer()
      defer { buffers.put(buffer) }
      try buffer.lend(elements.count) { (coded) throws(KithError) in
        try targets.decodeLists(
          sources, elements, degrees: degrees, below: UInt32(targetCount), into: &edges, using: &coded)
        guard let seconds else { return }
        try seconds.gather(elements, into: &coded)
        for index in edges.indices { edges[index] |= UInt64(coded[index]) }
      }
      if isLoop || hasGone {
        var index = 0
        for row in sources {
          for _ in 0..<degrees[row] {
            let target = Adjacency.target(edges[index])
            if hasGone && ends.isGone(target, targetEnd) {
              throw place.corrupt("section \(head.id): row \(row) points at removed row \(target)")
            }
            if isLoop && Int(target) == row {
              throw place.corrupt("section \(head.id): row \(row) points at itself")
            }
            index += 1
          }
        }
      }
    }
    try targets.checkHash()
    try seconds?.checkHash()
    return relation
  }

  /// Checks that no edge that a block ends exists across a block.
  private static func checkBlocks(
    _ state: borrowing GraphState, _ source: some SectionSource
  ) throws(KithError) {
    let section = RelationKind.block.sections.targets
    for row in 0..<UInt32(state.users.rowCount) {
      for other in state.blocks.targets(of: row) {
        for kind in RelationKind.allCases
        where kind.facts.isEndedByBlock && (state[kind].contains(row, other) || state[kind].contains(other, row)) {
          throw try source.find(section).place.corrupt(
            "section \(section): a \(kind.facts.name) crosses the block of \(other) by \(row)")
        }
      }
    }
  }

  // MARK: - Declared relations

  /// The schema of a snapshot; nil if it has none.
  /// - Throws: `corrupt`.
  static func declared(in source: some SectionSource) throws(KithError) -> SocialGraph.Schema? {
    guard source.has(schema) else { return nil }
    let section = try source.section(schema)
    try section.head.check(section.content.count, encodings: [.bytes], section.place)
    var reader = ByteReader(section.content, file: section.place.file, at: section.place.offset)
    let declared = try SchemaCoding.read(&reader)
    guard reader.remaining == 0 else { throw section.corrupt("\(reader.remaining) bytes follow the schema") }
    return declared
  }

  /// Restores the schema, if there is one, and the edges of its relations.
  static func restoreDeclared(
    from source: some SectionSource & Sendable, _ ends: borrowing EdgeEnds, to state: inout GraphState, workers: Int
  ) throws(KithError) {
    guard let declared = try declared(in: source) else { return }
    let section = try source.section(schema)
    do throws(KithError) {
      if let table = try state.relations.adding(declared) { state.relations = table }
    } catch {
      throw section.corrupt("the schema: \(error.description)")
    }
    for relation in state.relations.declared {
      guard let kind = relation.kind else { continue }
      let sections = EdgeSections(ofDeclared: Int(kind.number))
      guard sections.areExpected(in: source) else { continue }
      let (from, to, form) = (relation.source, relation.target, state.follows.form)
      let index =
        switch from {
        case .user: try edges(sections, to: to, source, ends, order: ends.ids, form: form, workers: workers)
        case .post where relation.hasTime:
          try edges(
            sections, from: from, to: to, source, ends, order: state.posts.identifiers.ids, form: form,
            workers: workers)
        case .post:
          try edges(
            sections, from: from, to: to, source, ends, order: state.posts, form: form, workers: workers)
        }
      state.declared.add(index, for: relation, kind)
    }
    try restoreThreads(from: source, to: &state)
    let problems = state.checkDeclaredEdges(PassControl())
    if let problem = problems.first { throw section.corrupt(problem) }
    if state.declared.uses.contains(where: { state.relations[$0.kind].entersTimelines }) {
      state.declared.set(EntryLists(state))
    }
  }

  /// Restores the parents of posts, if there are replies.
  private static func restoreThreads(
    from source: some SectionSource, to state: inout GraphState
  ) throws(KithError) {
    guard let thread = state.relations.thread, source.has(postParents) else { return }
    let section = try source.section(postParents)
    var parents = Column<UInt32>()
    parents.grow(to: state.posts.rowCount, filledWith: ThreadTable.none)
    var row: UInt32 = 0
    try section.forEachUInt32(count: state.posts.rowCount) { (stored) throws(KithError) in
      defer { row += 1 }
      if stored == 0 { return }
      guard stored <= row else { throw section.corrupt("post row \(row) replies to \(stored - 1), which came later") }
      parents[row] = stored - 1
    }
    state.use(thread)
    state.declared.restore(ThreadTable(parents: parents, state.posts))
  }

  // MARK: - Bytes

  static func isUTF8(_ bytes: Span<UInt8>) -> Bool { Folding.isASCII(bytes) || String.fromUTF8(bytes) != nil }
}
