/// The index plan: candidates from the rarest words and from authors.
extension PostQueryExecutor {
  /// The most users by name that a selective term may match. A term that matches more is not used, as long as another
  /// one is selective.
  private static let maximumUserCount = 256
  /// The most followees whose posts are gathered. With more, the author of each candidate is looked up among the
  /// followees.
  private static let maximumFolloweeCount = 4_096
  /// The candidates of a segment that do not match before the users of a term that many names contain are gathered.
  private static let rejectionLimit = 64
  /// The users gathered then, for each document that would be read otherwise: reading one costs as much as finding
  /// a dozen users.
  private static let usersPerDocument = 12
  /// The documents whose authors are tested in the time that walking a post of an author takes.
  private static let documentsPerPost = 2
  /// Posts scanned before users are gathered without a bound.
  private static let scanLimit = 4_096
  /// The scan continues, by a filter, if the texts of at least one in this many of the next posts contain the words.
  private static let filteredSparsity = 64

  /// A driving term: a word that does not occur in the requested author's name.
  private struct DrivingTerm {
    /// Its number among the terms, and the bytes of its loose key.
    let term: Int
    let byteCount: Int
    /// Whether there are words to look up in the dictionaries. A post must contain all of them.
    let hasWords: Bool
    /// The users whose name contains the term; nil if there are too many.
    var authors: [UInt32]?
    /// The same users in a filter, where they are too many but were gathered; and the limit of the last attempt.
    var manyAuthors: RowBloomFilter?
    var gatheredLimit = 0

    /// Whether its users are in neither form.
    var isUngathered: Bool { authors == nil && manyAuthors == nil }

    /// Whether the term is selective.
    var isSelective: Bool { authors != nil && hasWords }
  }

  /// Finds the matches that the scan has not reached.
  mutating func searchIndex(_ state: borrowing GraphState) throws(KithError) {
    var filter = PostFilter(terms)
    // If few names contain the words, nothing but their postings need be read.
    let areRare = beginsWithIndex(state)
    var drivingTerms: [DrivingTerm] = []
    if areRare, try !find(&drivingTerms, &filter, state) { return }
    var isDense = false
    if !areRare || drivingTerms.contains(where: { !$0.isSelective }) {
      try advance(&filter, state)
      isDense = author == nil && among == nil && filter.isDense(Self.filteredSparsity)
      if isDense, try walk(state, &filter, atMost: Self.scanLimit) { return }
      if !areRare, try !find(&drivingTerms, &filter, state) { return }
    }
    let authorFilter = authorFilter(state)
    if authorFilter == nil && !drivingTerms.contains(where: { $0.isSelective }) {
      if !isDense, try walk(state, &filter, atMost: Self.scanLimit) { return }
      // The longest word is usually the rarest.
      guard let index = drivingTerms.firstIndex(where: { $0.hasWords }) else {
        _ = try walk(state, atLeast: .max)
        return
      }
      drivingTerms[index].authors = try users(named: terms.queries[drivingTerms[index].term], limit: .max, state)
    }
    offerEdited(state)
    state.posts.index.forEachMemtable { search(in: $0, drivingTerms, authorFilter, state) }
    var windows = PostWindows()
    for entry in state.posts.index.segments.reversed() where budget.canContinue {
      found.settle()
      try search(in: entry.segment, &drivingTerms, authorFilter, &filter, &windows, state)
    }
    try budget.check()
  }

  /// Offers the posts whose text is another than the indexed one: the index does not find them by it.
  private mutating func offerEdited(_ state: borrowing GraphState) {
    if state.posts.index.hasNoEdits { return }
    for row in state.posts.index.editedRows {
      offer(row, state)
      if !budget.takeStep() { return }
    }
    offeredEdited = true
  }

  /// Finds the driving terms, the longest first, and the users whose names contain them. The longest word is usually
  /// the rarest: if it is nowhere, the others are not looked up.
  /// - Returns: false if a term is in no name and in no text, so that no post matches.
  private mutating func find(
    _ drivingTerms: inout [DrivingTerm], _ filter: inout PostFilter, _ state: borrowing GraphState
  ) throws(KithError) -> Bool {
    // Words that occur in the author's own name need no search.
    let wanted = if let author { missing(terms.all, inNameOf: author, state) } else { terms.all }
    drivingTerms.reserveCapacity(terms.queries.count)
    for index in terms.queries.indices where wanted >> UInt64(index) & 1 == 1 {
      drivingTerms.append(
        DrivingTerm(term: index, byteCount: terms.queries[index].loose.count, hasWords: filter.hasWords(index)))
    }
    drivingTerms.sort { $0.byteCount > $1.byteCount }
    for index in drivingTerms.indices {
      let term = drivingTerms[index].term
      let users = author == nil ? try users(named: terms.queries[term], limit: Self.maximumUserCount, state) : []
      if let users, users.isEmpty, isInNoText(term, &filter, state) { return false }
      drivingTerms[index].authors = users
    }
    return true
  }

  /// Whether no text contains a term, by the index alone. If one may, the matches in the newest segment that has any
  /// are kept, and the search begins with them.
  private mutating func isInNoText(_ term: Int, _ filter: inout PostFilter, _ state: borrowing GraphState) -> Bool {
    state.posts.index.hasNoEdits && !state.posts.index.memtables(mayHold: terms.queries[term])
      && state.posts.index.segments.reversed().allSatisfy { entry in
        filter.matches(of: term, in: entry.segment, &budget).contains { $0?.isEmpty == true }
      }
  }

  /// The only authors whose posts can match; nil for all users, or too many.
  private func authorFilter(_ state: borrowing GraphState) -> [UInt32]? {
    if let author { return [author] }
    guard let among, state.follows.targetCount(among) <= Self.maximumFolloweeCount else { return nil }
    return state.follows.targets(of: among)
  }

  private mutating func users(
    named query: NameQuery, limit: Int, _ state: borrowing GraphState
  ) throws(KithError) -> [UInt32]? {
    var rows: [UInt32] = []
    budget.beginPlan(limit: limit)
    for kind in state.users.kindsInUse {
      var query = query
      query.names = state.users.namesSearched(ofKind: kind, ofUsernames: true)
      _ = state.users.find(NameSearch(query: query, limit: 1), ofKind: kind, &budget) { row, _ in
        rows.append(row)
        return nil
      }
    }
    try budget.check()
    defer { budget.beginPlan() }
    return budget.canContinue ? rows : nil
  }

  private mutating func search(
    in memtable: borrowing PostMemtable, _ drivingTerms: [DrivingTerm], _ authorFilter: [UInt32]?,
    _ state: borrowing GraphState
  ) {
    var blocks = memtable.blocks
    if let authorFilter { blocks &= memtable.blocks(by: authorFilter) }
    /// For each term: the grams that a post must contain, and the blocks exempt from that because the term is in an
    /// author's name; there, the signatures of the names decide.
    var wanted: [(grams: [UInt32], signature: NameSignature, authorBlocks: UInt64)] = []
    for term in drivingTerms where blocks != 0 {
      let authorBlocks = if let authors = term.authors { memtable.blocks(by: authors) } else { ~UInt64(0) }
      let grams = terms.queries[term.term].grams
      blocks &= memtable.blocks(holding: grams) | authorBlocks
      wanted.append((grams, terms.signature(ofWord: term.term), authorBlocks))
    }
    while blocks != 0 {
      let block = 63 - blocks.leadingZeroBitCount
      blocks &= ~(1 << UInt64(block))
      if memtable.newestTime(in: block) < found.bound.time { continue }
      var posts = UInt64.max >> UInt64(64 - RecentTexts.textsPerBlock)
      for (grams, signature, authorBlocks) in wanted where posts != 0 {
        var texts = memtable.posts(of: block, holding: grams)
        if authorBlocks >> UInt64(block) & 1 == 1 { texts |= memtable.posts(of: block, by: signature) }
        posts &= texts
      }
      while posts != 0 {
        let post = 63 - posts.leadingZeroBitCount
        posts &= ~(1 << UInt64(post))
        if let row = memtable.row(post, of: block) { offer(row, state) }
      }
      if !budget.takeStep() { return }
    }
  }

  private mutating func search(
    in segment: PostSegment, _ drivingTerms: inout [DrivingTerm], _ authorFilter: [UInt32]?,
    _ filter: inout PostFilter, _ windows: inout PostWindows, _ state: borrowing GraphState
  ) throws(KithError) {
    guard let newest = segment.newest, let oldest = segment.oldest, newest > found.bound, oldest < high else { return }
    var first = segment.firstDocument(before: high)
    if first == segment.firstDocument(before: found.bound) { return scanEach(in: segment, from: first, state) }
    var (takenCount, rejectedCount, last) = (0, 0, -1)
    while var sets = sets(in: segment, drivingTerms, authorFilter, &filter, state) {
      // Documents to read at most, where that is worth gathering users.
      var unread: Int?
      let documentCount = sets[0].documentCount
      var budget = budget
      windows.forEachDocument(
        inAll: &sets, of: segment, from: first, limit: limit - takenCount, state.posts, &budget
      ) { document in
        if document <= last { return limit - takenCount }
        last = document
        let row = segment.order[document]
        // All following posts are older.
        if state.posts.isLive(row) && state.posts.key(row) <= found.bound { return 0 }
        if offer(row, state) { takenCount += 1 } else { rejectedCount += 1 }
        if rejectedCount == Self.rejectionLimit, drivingTerms.contains(where: { $0.isUngathered }) {
          rejectedCount += 1
          unread = documentCount
          return 0
        }
        return limit - takenCount
      }
      self.budget = budget
      guard let unread else { return }
      try gatherUsers(of: &drivingTerms, unread: unread, in: segment, state)
      first = last & ~63
    }
  }

  /// For each term that too many users' names contain, gathers these users, up to a limit. Their posts are walked if
  /// they are few beside the documents left to read; otherwise the authors of those are tested.
  private mutating func gatherUsers(
    of drivingTerms: inout [DrivingTerm], unread documentCount: Int, in segment: PostSegment,
    _ state: borrowing GraphState
  ) throws(KithError) {
    let limit = documentCount * Self.usersPerDocument
    for index in drivingTerms.indices where drivingTerms[index].isUngathered {
      if limit < 4 * drivingTerms[index].gatheredLimit { continue }
      drivingTerms[index].gatheredLimit = limit
      guard let users = try users(named: terms.queries[drivingTerms[index].term], limit: limit, state) else { continue }
      let postCount = users.reduce(0) { $0 + state.posts.byAuthor.count(of: Int($1)) }
      // Those in the segment, if its share of them is that of all posts.
      let expectedCount = postCount * segment.order.count / max(1, state.posts.all.count(of: 0))
      if expectedCount * Self.documentsPerPost <= documentCount {
        drivingTerms[index].authors = users
        continue
      }
      var filter = RowBloomFilter()
      filter.clear(forCount: users.count)
      for user in users { filter.insert(user) }
      drivingTerms[index].manyAuthors = filter
    }
  }

  /// Scans the few posts of a segment that are new enough. Cheaper than reading the posting lists of the terms.
  private mutating func scanEach(in segment: PostSegment, from first: Int, _ state: borrowing GraphState) {
    for document in first..<segment.order.count {
      let row = segment.order[document]
      if !state.posts.isLive(row) { continue }
      if state.posts.key(row) <= found.bound || !budget.takeStep() { return }
      offer(row, state)
    }
  }

  /// The sets of documents in a segment whose intersection contains all matches, smallest first; nil if there is no
  /// match.
  private mutating func sets(
    in segment: PostSegment, _ drivingTerms: [DrivingTerm], _ authorFilter: [UInt32]?, _ filter: inout PostFilter,
    _ state: borrowing GraphState
  ) -> [PostSet]? {
    var sets: [PostSet] = []
    if let authorFilter { sets.append(PostSet(authors: authorFilter, in: segment, before: high, state.posts)) }
    for term in drivingTerms where !term.isUngathered {
      for case let words? in filter.matches(of: term.term, in: segment, &budget) {
        if let authors = term.authors {
          sets.append(PostSet(words, authors: authors, in: segment, before: high, state.posts))
        } else if let manyAuthors = term.manyAuthors {
          sets.append(PostSet(words, manyAuthors: manyAuthors))
        }
        if sets[sets.count - 1].isEmpty { return nil }
      }
    }
    if sets.allSatisfy({ $0.documentCount == .max }) { sets = [] }  // they only restrict others
    if sets.isEmpty, let term = drivingTerms.first(where: { $0.isSelective }),
      let words = segment.words.matches(of: filter.firstWord(of: term.term), limit: .max, &budget)
    {
      sets.append(PostSet(words, authors: term.authors ?? [], in: segment, before: high, state.posts))
    }
    sets.sort { $0.documentCount < $1.documentCount }
    // Enumerating a large set costs more than testing the posts that a small set leaves.
    guard let smallest = sets.first?.documentCount else { return nil }
    sets.removeAll { $0.walkedCount > 32 * (smallest + 32) }
    return smallest == 0 ? nil : sets
  }
}
