/// All posts by row, and their order. Newest first means createdAt descending, then id descending. A removed post keeps
/// its row and id, without an author, and in a graph with a schema its time.
struct PostTable: ~Copyable, Sendable {
  /// The lists of adjacent authors in a block of `byAuthor`.
  static let authorsPerBlock = 16
  /// The words of a row of `texts`: the reference, and the time.
  static let wordsPerRow = 2

  private(set) var identifiers: IdentifierTable
  private(set) var authors: Column<UInt32>
  /// The texts and the times: see `time`.
  private(set) var texts: TextColumn
  /// All posts, oldest first, as list 0.
  private(set) var all: PackedLists<UInt32>
  /// The posts of each user, oldest first.
  private(set) var byAuthor: PackedLists<UInt32>
  /// The coarse time of each user's newest post, 0 for none: four bytes per author, which a timeline reads first.
  private(set) var newest: Column<UInt32>
  /// The index of posts by word.
  private(set) var index: PostIndex
  /// The number of posts that are not removed.
  private(set) var count: Int
  /// The first row that is in no list yet, during a bulk insertion; nil without one.
  private var firstUnlisted: Optional<UInt32>
  /// Payloads, flags and times of edits; nil before the first.
  private(set) var host: Optional<Box<HostColumns>>

  init() {
    identifiers = IdentifierTable()
    authors = Column()
    texts = TextColumn(wordsPerRow: Self.wordsPerRow)
    newest = Column()
    index = PostIndex()
    all = PackedLists(listsPerBlock: 1)
    all.appendList()
    byAuthor = PackedLists(listsPerBlock: Self.authorsPerBlock)
    count = 0
    firstUnlisted = nil
    host = nil
  }

  private init(
    identifiers: consuming IdentifierTable, authors: consuming Column<UInt32>, texts: consuming TextColumn,
    all: consuming PackedLists<UInt32>, byAuthor: consuming PackedLists<UInt32>, newest: consuming Column<UInt32>,
    index: PostIndex, count: Int, firstUnlisted: UInt32?, host: Box<HostColumns>?
  ) {
    self.identifiers = identifiers
    self.authors = authors
    self.texts = texts
    self.all = all
    self.byAuthor = byAuthor
    self.newest = newest
    self.index = index
    self.count = count
    self.firstUnlisted = firstUnlisted
    self.host = host
  }

  mutating func pin() -> PostTable {
    PostTable(
      identifiers: identifiers.pin(), authors: authors.pin(), texts: texts.pin(), all: all.pin(),
      byAuthor: byAuthor.pin(), newest: newest.pin(), index: index, count: count,
      firstUnlisted: firstUnlisted, host: host.map { Box($0.value.pin()) })
  }

  /// The number of rows, including those of removed posts.
  var rowCount: Int { identifiers.count }

  @inline(__always)
  func isLive(_ row: UInt32) -> Bool { authors[row] != PostIndex.noAuthor }

  /// When a post was created, in milliseconds since 1970; 0 for a removed one in a graph without a schema.
  @inline(__always)
  func time(_ row: UInt32) -> Int64 { texts.time(of: Int(row)) }

  /// The row of a post; nil if there is no such post or it was removed.
  @inline(__always)
  func row(of id: PostID) -> UInt32? {
    guard let row = identifiers.row(of: id.rawValue), isLive(row) else { return nil }
    return row
  }

  // MARK: - Changing

  mutating func appendAuthor() {
    byAuthor.appendList()
    newest.append(0)
  }

  /// Appends a post whose id is known to be free. Returns the row.
  /// - Parameter signature: of the author's name.
  mutating func append(
    id: Int64, author: UInt32, signature: NameSignature, time: Int64, text: Span<UInt8>
  ) -> UInt32 {
    let row = UInt32(identifiers.count)
    identifiers.append(id)
    authors.append(author)
    texts.append(text)
    texts.setTime(time, of: Int(row))
    if firstUnlisted == nil { list(row, PostKey(time: time, id: UInt64(bitPattern: id)), author) }
    index.append(row, author: author, signature: signature, time: time, text: text)
    count += 1
    return row
  }

  /// Adds a post to the lists.
  private mutating func list(_ row: UInt32, _ key: PostKey, _ author: UInt32) {
    all.insert(row, in: 0, at: place(of: key, in: all, list: 0))
    // The time of the author's last post, which is scattered in memory, is read only if the coarse one ties.
    let (time, own) = (Self.coarse(key.time), Int(author))
    let isNewest = time > newest[author]
    byAuthor.insert(
      row, in: own, at: isNewest ? byAuthor.endPosition(of: own) : place(of: key, in: byAuthor, list: own))
    if isNewest { newest[author] = time }
  }

  /// Prefetches what adding a post reads of its author.
  @inline(__always)
  func prefetchAuthor(_ author: UInt32) {
    newest.prefetch(Int(author))
    byAuthor.prefetchHead(of: Int(author))
  }

  /// Sets the signature of a user's new name.
  mutating func setSignature(_ signature: NameSignature, of author: UInt32) {
    index.setSignature(signature, of: author, authors)
  }

  /// The position at which to insert a post: nearly always the end.
  func place(
    of key: PostKey, in lists: borrowing PackedLists<UInt32>, list: Int
  ) -> PackedLists<UInt32>.Position {
    let end = lists.endPosition(of: list)
    guard let (last, _) = lists.element(before: end, of: list), !isBefore(last, key) else { return end }
    return lists.partitionPoint(of: list) { isBefore($0, key) }
  }

  /// - Parameter keepingTime: whether its time stays, for places in lists that name it; else it becomes 0.
  mutating func remove(_ row: UInt32, keepingTime: Bool = false) {
    let author = authors[row]
    let key = key(row)
    removeFromOrder(row, key, author)
    if let (last, _) = byAuthor.element(before: byAuthor.endPosition(of: Int(author)), of: Int(author)) {
      newest[author] = Self.coarse(time(last))
    } else {
      newest[author] = 0
    }
    authors[row] = PostIndex.noAuthor
    if !keepingTime { texts.setTime(0, of: Int(row)) }
    texts.clear(Int(row))
    host?.value.clear(row)
    index.remove(row)
    count -= 1
  }

  // MARK: - Editing

  /// Replaces the text of a post.
  mutating func setText(_ text: Span<UInt8>, of row: UInt32) {
    texts.set(Int(row), text)
    index.edit(row)
  }

  /// What the host keeps, made by its first use.
  mutating func useHost() -> Box<HostColumns> {
    if let host { return host }
    let made = Box(HostColumns())
    host = made
    return made
  }

  private mutating func removeFromOrder(_ row: UInt32, _ key: PostKey, _ author: UInt32) {
    let place = all.partitionPoint(of: 0) { isBefore($0, key) }
    if let (found, position) = all.element(atOrAfter: place, of: 0), found == row { all.remove(from: 0, at: position) }
    let own = byAuthor.partitionPoint(of: Int(author)) { isBefore($0, key) }
    if let (found, position) = byAuthor.element(atOrAfter: own, of: Int(author)), found == row {
      byAuthor.remove(from: Int(author), at: position)
    }
  }

  /// Compresses the texts, and those of all posts to come.
  /// Does nothing if they are compressed already.
  mutating func compressTexts(windowByteCount: Int = TextCompressor.windowByteCount) {
    if !texts.isCompressing { texts.compress(windowByteCount: windowByteCount) }
  }

  // MARK: - Indexing

  /// Sets the kind of index. Existing posts are indexed by compactions.
  mutating func keepIndex(_ kind: SocialGraph.PostIndexing) { index.reset(kind, rowCount: rowCount) }

  /// Begins a bulk insertion whose posts are listed afterwards. Until then no list may be read, and no post removed.
  mutating func deferLists() { if firstUnlisted == nil { firstUnlisted = UInt32(rowCount) } }

  /// Lists the posts of a bulk insertion: one by one if they are few, else by building all lists.
  /// - Complexity: O(posts of the insertion), if nearly all are newer than the others.
  mutating func endDeferringLists() {
    guard let first = firstUnlisted else { return }
    firstUnlisted = nil
    if (rowCount - Int(first)) * Self.rebuildShare < rowCount {
      for row in first..<UInt32(rowCount) { list(row, key(row), authors[row]) }
    } else if first < rowCount {
      listAll(authorCount: byAuthor.count, expectedCount: count)
    }
  }

  /// The bytes that the posts of a bulk insertion will take in the order, and in the lists of their authors.
  var deferredByteCount: Int { firstUnlisted.map { (rowCount - Int($0)) * MemoryLayout<UInt32>.stride } ?? 0 }

  /// The bytes of the index; during a bulk insertion, what it will take.
  var indexByteCount: Int {
    if !index.isDeferred { return index.byteCount }
    return max(index.byteCount, count * PostIndex.postByteCount + texts.liveByteCount / PostIndex.textShare)
  }

  /// All lists are built again if at least one in this many of the posts is not listed.
  private static let rebuildShare = 8

  /// Begins a bulk insertion: its posts are indexed afterwards.
  mutating func deferIndex() { index.beginBulk() }
  mutating func endDeferringIndex() { index.endBulk() }

  /// Whether a compaction of the index may be due. Reading it resets it.
  mutating func takeCompactionMayBeDue() -> Bool {
    defer { index.compactionMayBeDue = false }
    return index.compactionMayBeDue
  }

  /// Begins the compaction of some rows.
  mutating func beginCompaction(of rows: Range<UInt32>) -> PostCompaction {
    PostCompaction(
      rows: rows, editCount: index.editCount, keepsDocuments: index.kind == .textsAndAuthors,
      ids: identifiers.pinIDs(), authors: authors.pin(), texts: texts.pin())
  }

  /// The rows of an author's posts, oldest first.
  func rows(of author: UInt32) -> [UInt32] {
    var rows: [UInt32] = []
    for run in 0..<byAuthor.runCount(of: Int(author)) {
      let span = byAuthor.run(run, of: Int(author))
      for index in span.indices { rows.append(span[index]) }
    }
    return rows
  }
}

extension PostTable: SegmentedIndex {
  mutating func beginCompaction(besides running: [Range<UInt32>]) -> PostCompaction? {
    index.dueRows(of: rowCount, besides: running).map { beginCompaction(of: $0) }
  }

  mutating func install(_ segment: PostSegment?, of compaction: PostCompaction) -> PostIndex.Replaced {
    segment.map {
      index.install($0, of: compaction.rows, editCount: compaction.editCount, rowCount: rowCount)
    } ?? PostIndex.Replaced()
  }
}

// MARK: - Whole tables

extension PostTable {
  /// Builds a table from the columns of a snapshot. A removed post has no author.
  /// - Parameter liveCount: the number of posts that are not removed.
  /// - Complexity: O(posts); O(posts · log posts) for those out of order.
  init(
    identifiers: consuming IdentifierTable, authors: consuming Column<UInt32>, texts: consuming TextColumn,
    authorCount: Int, liveCount: Int
  ) {
    self.init()
    self.identifiers = identifiers
    self.authors = authors
    self.texts = texts
    listAll(authorCount: authorCount, expectedCount: liveCount)
  }

  /// Builds all lists.
  private mutating func listAll(authorCount: Int, expectedCount: Int) {
    var order: [UInt32] = []
    order.reserveCapacity(expectedCount)
    var isInOrder = true
    var last = PostKey(time: .min, id: 0)
    for row in 0..<UInt32(rowCount) where isLive(row) {
      let key = key(row)
      if key < last { isInOrder = false }
      last = key
      order.append(row)
    }
    if !isInOrder { order.sort { key($0) < key($1) } }
    count = order.count
    all = PackedLists(listsPerBlock: 1, degrees: [UInt32(order.count)], elements: order)
    sortByAuthor(order, authorCount: authorCount)
  }

  /// Builds the lists of all authors from the order of all posts.
  private mutating func sortByAuthor(_ order: [UInt32], authorCount: Int) {
    var degrees = [UInt32](repeating: 0, count: authorCount)
    if order.isEmpty {
      byAuthor = PackedLists(listsPerBlock: Self.authorsPerBlock, degrees: degrees, elements: [])
      newest = Column()
      return newest.grow(to: authorCount, filledWith: 0)
    }
    for row in order { degrees[Int(authors[row])] += 1 }
    var next = [Int](repeating: 0, count: authorCount)
    var start = 0
    for author in 0..<authorCount {
      next[author] = start
      start += Int(degrees[author])
    }
    var rows = [UInt32](repeating: 0, count: order.count)
    var newestTimes = [UInt32](repeating: 0, count: authorCount)
    for row in order {
      let author = Int(authors[row])
      rows[next[author]] = row
      next[author] += 1
      newestTimes[author] = Self.coarse(time(row))
    }
    byAuthor = PackedLists(listsPerBlock: Self.authorsPerBlock, degrees: degrees, elements: rows)
    newest = Column()
    newest.grow(to: authorCount, filledWith: 0)
    for author in newestTimes.indices where newestTimes[author] > 0 { newest[author] = newestTimes[author] }
  }

  /// Whether every post is in its lists: no bulk insertion goes on.
  var isListing: Bool { firstUnlisted == nil }

  /// Checks that the lists hold all posts and no others, in whatever order, by sums of hashes.
  func checkSums() -> [String] {
    var (live, listed, ordered): (UInt64, UInt64, UInt64) = (0, 0, 0)
    for row in 0..<UInt32(rowCount) where isLive(row) { live &+= Hashing.hash(authors[row], row) }
    for author in 0..<byAuthor.count {
      byAuthor.forEachRun(of: author) { rows in
        for index in rows.indices { listed &+= Hashing.hash(UInt32(author), rows[index]) }
      }
    }
    all.forEachRun(of: 0) { rows in
      for index in rows.indices { ordered &+= Hashing.hash(authors[rows[index]], rows[index]) }
    }
    return (live == listed ? [] : ["posts: the lists by author hold other posts than there are"])
      + (live == ordered ? [] : ["posts: the order holds other posts than there are"])
  }

  func checkInvariants(_ control: PassControl) -> [String] {
    if !isListing { return ["posts: rows wait to be listed"] }
    var problems = identifiers.checkInvariants("posts") + texts.checkInvariants("texts")
    problems += all.checkInvariants("all posts") + byAuthor.checkInvariants("posts by author")
    var live = 0
    for row in 0..<UInt32(rowCount) where isLive(row) { live += 1 }
    var listed = 0
    for author in 0..<byAuthor.count {
      problems += checkOrder(
        byAuthor, list: author, "posts of row \(author)", author: UInt32(author), control)
      if control.isCancelled { return problems }
      let end = byAuthor.endPosition(of: author)
      let last = byAuthor.element(before: end, of: author).map { Self.coarse(time($0.0)) } ?? 0
      if newest[author] != last { problems.append("posts: the newest of row \(author) is noted wrongly") }
      listed += byAuthor.count(of: author)
    }
    problems += checkOrder(all, list: 0, "all posts", author: nil, control)
    problems += index.checkInvariants(self, control)
    if let host { problems += host.value.checkInvariants("posts", rowCount: rowCount) { isLive($0) } }
    if live != count || all.count(of: 0) != count || listed != count {
      problems.append("posts: \(count) counted, \(live) live, \(all.count(of: 0)) in order, \(listed) by author")
    }
    return problems
  }

  private func checkOrder(
    _ lists: borrowing PackedLists<UInt32>, list: Int, _ name: String, author: UInt32?, _ control: PassControl
  ) -> [String] {
    var problems: [String] = []
    var previous: PostKey?
    for run in 0..<lists.runCount(of: list) {
      let rows = lists.run(run, of: list)
      for index in rows.indices {
        if !control.visit() { return problems }
        let key = key(rows[index])
        if let previous, previous >= key { problems.append("\(name): post \(key.id) is out of order") }
        if let author, authors[rows[index]] != author { problems.append("\(name): post \(key.id) is another's") }
        if !isLive(rows[index]) { problems.append("\(name): post \(key.id) is removed") }
        previous = key
      }
    }
    return problems
  }
}
