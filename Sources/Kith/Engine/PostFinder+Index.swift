/// Asking the index: which posts may answer, told by the rarest words and by authors.
extension PostFinder {
  /// Words of a dictionary, and people by name, that one word of a search may lead to; more of them are not narrow
  /// enough to be worth gathering, as long as another word is.
  private static let maximumMatchCount = 256
  /// Followees whose posts are gathered; of more, every post is asked whether its author is followed.
  private static let maximumFolloweeCount = 4_096
  /// Posts looked at before people are gathered without a bound.
  private static let patience = 4_096

  /// One word that is not in the name of everybody asked for.
  private struct Lead {
    let query: NameQuery
    /// What the dictionaries are asked for: all of them.
    let words: [NameQuery]
    /// People with it in their name; nil for too many.
    var authors: [UInt32]?

    /// Whether it can narrow a search down.
    var isNarrow: Bool { authors != nil && !words.isEmpty }
  }

  /// Finds what the walk left to be found.
  mutating func askIndex(_ state: borrowing GraphState) throws(KithError) {
    var leads = try leads(state)
    let writers = writers(state)
    if writers == nil && !leads.contains(where: { $0.isNarrow }) {
      guard try !walk(state, atLeast: Self.patience) else { return }
      // The longest word is mostly the rarest.
      guard let index = leads.firstIndex(where: { !$0.words.isEmpty }) else {
        _ = try walk(state, atLeast: .max)
        return
      }
      leads[index].authors = try people(named: leads[index].query, limit: .max, state)
    }
    for head in state.posts.index.heads.reversed() { look(in: head, leads, writers, state) }
    var windows = PostWindows()
    for entry in state.posts.index.segments.reversed() where !work.isCancelled {
      found.settle()
      look(in: entry.segment, leads, writers, &windows, state)
    }
    if work.isCancelled { throw .cancelled }
  }

  /// The words to be led by, the longest first.
  private mutating func leads(_ state: borrowing GraphState) throws(KithError) -> [Lead] {
    // Words in the author's own name need not be looked for.
    let wanted = if let author { missing(terms.all, inNameOf: author, state) } else { terms.all }
    var leads: [Lead] = []
    for (index, query) in terms.queries.enumerated() where wanted >> UInt64(index) & 1 == 1 {
      let people = author == nil ? try people(named: query, limit: Self.maximumMatchCount, state) : []
      leads.append(Lead(query: query, words: Words.queries(of: query.loose), authors: people))
    }
    return leads.sorted { $0.query.loose.count > $1.query.loose.count }
  }

  /// The only ones whose posts are asked for; nil for everybody, or too many.
  private func writers(_ state: borrowing GraphState) -> [UInt32]? {
    if let author { return [author] }
    guard let among, state.follows.targetCount(among) <= Self.maximumFolloweeCount else { return nil }
    var followees: [UInt32] = []
    state.follows.forward.forEachRun(of: Int(among)) { elements in
      for index in elements.indices { followees.append(Relation.target(elements[index])) }
    }
    return followees
  }

  private func people(
    named query: NameQuery, limit: Int, _ state: borrowing GraphState
  ) throws(KithError) -> [UInt32]? {
    var rows: [UInt32] = []
    let search = NameSearch(query: query, limit: 1)
    let end = state.users.search.search(search, names: state.users.names) { row in
      if rows.count == limit { return .stop }
      rows.append(row)
      return .leaveOut
    }.end
    if end == .cancelled { throw .cancelled }
    return end == .stopped ? nil : rows
  }

  private mutating func look(in head: PostHead, _ leads: [Lead], _ writers: [UInt32]?, _ state: borrowing GraphState) {
    var blocks = head.blocks
    if let writers { blocks &= head.blocks(by: writers) }
    /// Which grams a post must hold, but for the blocks with posts of people by that name.
    var wanted: [(grams: [UInt32], authorBlocks: UInt64)] = []
    for lead in leads where blocks != 0 {
      guard let authors = lead.authors else { continue }
      let authorBlocks = head.blocks(by: authors)
      blocks &= head.blocks(holding: lead.query.grams) | authorBlocks
      wanted.append((lead.query.grams, authorBlocks))
    }
    while blocks != 0 {
      let block = 63 - blocks.leadingZeroBitCount
      blocks &= ~(1 << UInt64(block))
      if head.newestTime(in: block) < found.bound.time { continue }
      var posts = UInt64.max >> UInt64(64 - RecentTexts.textsPerBlock)
      for (grams, authorBlocks) in wanted where authorBlocks >> UInt64(block) & 1 == 0 {
        posts &= head.posts(of: block, holding: grams)
      }
      while posts != 0 {
        let post = 63 - posts.leadingZeroBitCount
        posts &= ~(1 << UInt64(post))
        if let row = head.row(post, of: block) { offer(row, state) }
      }
      if !work.goesOn() { return }
    }
  }

  private mutating func look(
    in segment: PostSegment, _ leads: [Lead], _ writers: [UInt32]?, _ windows: inout PostWindows,
    _ state: borrowing GraphState
  ) {
    guard let newest = segment.newest, let oldest = segment.oldest, newest > found.bound, oldest < high else { return }
    let first = segment.firstDocument(before: high)
    if first == segment.firstDocument(before: found.bound) { return lookAtEach(in: segment, from: first, state) }
    guard var sets = sets(in: segment, leads, writers, state) else { return }
    let bound = found.bound
    var takenCount = 0
    var work = work
    windows.forEachDocument(
      inAll: &sets, of: segment, from: first, state.posts, &work
    ) { document in
      let row = segment.order[document]
      if offer(row, state) { takenCount += 1 }
      // From here on all are older.
      return takenCount < limit && (!state.posts.isLive(row) || state.posts.key(row) > bound)
    }
    self.work = work
  }

  /// Looks at the few posts of a segment that are new enough: it costs less than to ask for their words.
  private mutating func lookAtEach(in segment: PostSegment, from first: Int, _ state: borrowing GraphState) {
    let bound = found.bound
    for document in first..<segment.order.count {
      let row = segment.order[document]
      if !state.posts.isLive(row) { continue }
      if state.posts.key(row) <= bound || !work.goesOn() { return }
      offer(row, state)
    }
  }

  /// Sets of documents that all answers in a segment are in, the smallest first; nil when it has none.
  private mutating func sets(
    in segment: PostSegment, _ leads: [Lead], _ writers: [UInt32]?, _ state: borrowing GraphState
  ) -> [PostSet]? {
    var sets: [PostSet] = []
    if let writers { sets.append(PostSet(authors: writers, in: segment, before: high, state.posts)) }
    for lead in leads {
      guard let authors = lead.authors else { continue }
      for query in lead.words {
        guard let words = segment.words.matches(of: query, limit: Self.maximumMatchCount, &work) else { continue }
        sets.append(PostSet(words, authors: authors, in: segment, before: high, state.posts))
        if sets[sets.count - 1].isEmpty { return nil }
      }
    }
    if sets.isEmpty, let lead = leads.first(where: { $0.isNarrow }),
      let words = segment.words.matches(of: lead.words[0], limit: .max, &work)
    {
      sets.append(PostSet(words, authors: lead.authors ?? [], in: segment, before: high, state.posts))
    }
    sets.sort { $0.documentCount < $1.documentCount }
    // To walk through a large set costs more than to look at the posts that a small one leaves.
    guard let smallest = sets.first?.documentCount else { return nil }
    sets.removeAll { $0.walkedCount > 32 * (smallest + 32) }
    return smallest == 0 ? nil : sets
  }
}
