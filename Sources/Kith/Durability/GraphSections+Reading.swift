/// From sections to a graph. Every count, range, order and rule is checked before it is relied on.
extension GraphSections {
  /// The graph that sections hold. Errors: `corrupt`, with the section and what is wrong.
  /// - Complexity: O(graph · log longest list).
  static func state(from sections: [Section], sequence: UInt64, file: String) throws(KithError) -> GraphState {
    let reader = SectionReader(sections: sections, file: file)
    var state = GraphState()
    state.users = try users(reader)
    let userCount = state.users.rowCount
    state.posts = try posts(reader, users: state.users)
    let postCount = state.posts.rowCount
    state.follows = try edges(reader, follows, users: state.users, targetCount: userCount, allowsSelf: false) {
      state.users.isLive($0)
    }
    state.popularity = Popularity(state.follows)
    state.likes = try edges(reader, likes, users: state.users, targetCount: postCount, allowsSelf: true) {
      state.posts.isLive($0)
    }
    state.blocks = try edges(reader, blocks, users: state.users, targetCount: userCount, allowsSelf: false) {
      state.users.isLive($0)
    }
    state.mutes = try edges(reader, mutes, users: state.users, targetCount: userCount, allowsSelf: false) {
      state.users.isLive($0)
    }
    try checkBlocks(state, reader)
    state.sequence = sequence
    return state
  }

  /// Sections by name.
  private struct SectionReader {
    let sections: [Section]
    let file: String

    func section(_ id: SectionID) throws(KithError) -> Section {
      guard let section = sections.first(where: { $0.id == id }) else {
        throw .corrupt(file: file, offset: 0, reason: "section \(id) is missing")
      }
      return section
    }
  }

  // MARK: - Users

  private static func users(_ reader: SectionReader) throws(KithError) -> UserTable {
    let idSection = try reader.section(userIDs)
    let ids = try idSection.decodedInt64()
    guard ids.count <= Limits.rowCount else { throw idSection.corrupt("\(ids.count) rows are too many") }
    let lengths = try reader.section(nameLengths).decodedUInt32(count: ids.count)
    let byteSection = try reader.section(nameBytes)
    let bytes = try byteSection.decodedBytes(count: sum(lengths))
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
    users.buildSearch()
    return users
  }

  // MARK: - Posts

  private static func posts(_ reader: SectionReader, users: borrowing UserTable) throws(KithError) -> PostTable {
    let idSection = try reader.section(postIDs)
    let ids = try idSection.decodedInt64()
    guard ids.count <= Limits.rowCount else { throw idSection.corrupt("\(ids.count) rows are too many") }
    let authorSection = try reader.section(postAuthors)
    let authors = try authorSection.decodedUInt32(count: ids.count).map { $0 &- 1 }
    for (row, author) in authors.enumerated() where author != PostTable.nobody {
      guard author < users.rowCount, users.isLive(author) else {
        throw authorSection.corrupt("post \(ids[row]) has the author \(author), who is not there")
      }
    }
    let timeSection = try reader.section(postTimes)
    let times = try timeSection.decodedInt64(count: ids.count)
    if let time = times.first(where: { $0 < 0 }) { throw timeSection.corrupt("\(time) is before 1970") }
    let texts = try texts(reader, authors: authors)
    try checkUnique(ids, idSection)
    return PostTable(ids: ids, authors: authors, times: times, texts: texts, authorCount: users.rowCount)
  }

  private static func texts(_ reader: SectionReader, authors: [UInt32]) throws(KithError) -> TextColumn {
    let lengthSection = try reader.section(textLengths)
    let lengths = try lengthSection.decodedUInt32(count: authors.count)
    let byteSection = try reader.section(textBytes)
    let bytes = try byteSection.decodedBytes(count: sum(lengths))
    var texts = TextColumn()
    var start = 0
    for row in lengths.indices {
      let length = Int(lengths[row])
      guard length <= Limits.textByteCount, length == 0 || authors[row] != PostTable.nobody else {
        throw lengthSection.corrupt("a text of \(length) bytes in row \(row)")
      }
      let text = bytes.span.extracting(start..<start + length)
      guard isUTF8(text) else { throw byteSection.corrupt("the text of row \(row) is not UTF-8") }
      texts.append(text)
      start += length
    }
    return texts
  }

  /// Positive, and each once. Ascending ids, the rule, need no table.
  private static func checkUnique(_ ids: [Int64], _ section: Section) throws(KithError) {
    if let id = ids.first(where: { $0 < 1 }) { throw section.corrupt("id \(id) is not positive") }
    if zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }) { return }
    let sorted = ids.sorted()
    for (left, right) in zip(sorted, sorted.dropFirst()) where left == right {
      throw section.corrupt("id \(left) stands twice")
    }
  }

  // MARK: - Edges

  /// One relation.
  /// - Parameter isThere: whether a target is not removed.
  private static func edges(
    _ reader: SectionReader, _ ids: EdgeSections, users: borrowing UserTable, targetCount: Int, allowsSelf: Bool,
    isThere: (UInt32) -> Bool
  ) throws(KithError) -> Relation {
    let degrees = try reader.section(ids.degrees).decodedUInt32(count: users.rowCount)
    let section = try reader.section(ids.targets)
    let rows = try section.decodedLists(degrees: degrees.span, below: UInt32(targetCount))
    var seconds: [UInt32]?
    if let id = ids.seconds { seconds = try reader.section(id).decodedUInt32(count: rows.count) }
    var elements: [UInt64] = []
    elements.reserveCapacity(rows.count)
    var index = 0
    for source in 0..<UInt32(degrees.count) {
      for _ in 0..<degrees[Int(source)] {
        if !users.isLive(source) { throw section.corrupt("removed row \(source) has edges") }
        if !isThere(rows[index]) { throw section.corrupt("row \(source) points at removed row \(rows[index])") }
        if !allowsSelf && rows[index] == source { throw section.corrupt("row \(source) points at itself") }
        elements.append(UInt64(rows[index]) << 32 | UInt64(seconds?[index] ?? 0))
        index += 1
      }
    }
    return Relation(degrees: degrees, elements: elements, targetCount: targetCount, ids: users.identifiers.ids)
  }

  /// No follow crosses a block.
  private static func checkBlocks(_ state: borrowing GraphState, _ reader: SectionReader) throws(KithError) {
    for row in 0..<state.users.rowCount {
      for run in 0..<state.blocks.forward.runCount(of: row) {
        let elements = state.blocks.forward.run(run, of: row)
        for index in elements.indices {
          let other = Relation.target(elements[index])
          if state.follows.contains(UInt32(row), other) || state.follows.contains(other, UInt32(row)) {
            throw try reader.section(blocks.targets).corrupt("a follow crosses the block of \(other) by \(row)")
          }
        }
      }
    }
  }

  // MARK: - Bytes

  private static func sum(_ lengths: [UInt32]) -> Int { lengths.reduce(0) { $0 + Int($1) } }

  private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    if Folding.isASCII(bytes) { return true }
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count)
    for index in bytes.indices { copy.append(bytes[index]) }
    return String(validating: copy, as: UTF8.self) != nil
  }
}
