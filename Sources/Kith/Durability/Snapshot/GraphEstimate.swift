/// An estimate of the memory that the graph of a snapshot will take, from counts alone. It bounds restoring before
/// anything is built.
///
/// The tables of a snapshot contain the numbers of rows, names, texts and edges, but not how many users and posts were
/// removed. So the estimate begins with the minimum, no live rows, and is refined when the small columns have been
/// read. It is not below what the graph takes, and at most twice that, apart from a megabyte (`RestoreLimitTests`).
///
/// Compressed texts and compact lists can take far less than counts tell. A store's own limit bounded them as they
/// were, so there they count with the fewest bytes that they can take.
struct GraphEstimate: Sendable {
  /// A row of a removed user or post: the id (8), its entry in the list of removed rows (4), and for a post its entry
  /// in the post index (4). All other columns share pages among adjacent removed rows.
  static let rowByteCount = 16
  /// A live user: entries in the indexes of ids and names (12 each), in the name search (10), and the newest post (4).
  static let userByteCount = 28 + NameIndex.entryByteCount
  /// Per byte of a name: the name, its key, and the grams of the key.
  static let nameByteFactor = 1 + NameIndex.nameByteFactor
  /// A live post: entries in the index of ids (12) and in the post index (5), and positions in two orders (9).
  static let postByteCount = 26
  /// Per byte of a text, in hundredths: the text, and its words in the post index.
  static let textByteHundredths = 160
  /// The same of a compressed text at its shortest, without words.
  static let compressedTextByteHundredths = 100 * TextCompressor.fewestBits / TextCompressor.mostBits
  /// Per byte of a payload, in hundredths: the end of a page is lost that the next one does not fit.
  static let payloadByteHundredths = 110
  /// The memory of an empty graph.
  static let baseByteCount = 1 << 20

  /// Rows, including those of removed users and posts.
  private var userRows = 0
  private var postRows = 0
  /// Users and posts known to be live.
  private var users = 0
  private var posts = 0
  private var nameByteCount = 0
  private var textByteCount = 0
  /// Whether removed posts keep their times, and whether posts have parents.
  private var (keepsTimes, hasParents) = (false, false)
  private var edges: [(source: Relation.End, target: Relation.End, count: Int)] = []
  /// What the host keeps.
  private var hostByteCount = 0
  private let byteLimit: Int
  private let form: GraphForm
  private let isOwn: Bool
  private let path: String

  /// Starts the estimate from the tables.
  /// - Parameter isOwn: whether the limit is that of the store that wrote them.
  /// - Throws: `limitExceeded` if that already exceeds the limit; `system` if this machine lacks the memory.
  init(
    of source: some SectionSource, byteLimit: Int, form: GraphForm = .plain, isOwn: Bool = false
  ) throws(KithError) {
    self.byteLimit = byteLimit
    self.form = form
    self.isOwn = isOwn
    path = source.path
    userRows = try Self.count(GraphSections.userIDs, source)
    nameByteCount = try Self.count(GraphSections.nameBytes, source)
    postRows = try Self.count(GraphSections.postIDs, source)
    textByteCount = try Self.count(GraphSections.textBytes, source)
    for kind in RelationKind.allCases where kind.sections.areExpected(in: source) {
      edges.append((.user, kind.facts.target, try Self.count(kind.sections.targets, source)))
    }
    (keepsTimes, hasParents) = (source.has(GraphSections.schema), source.has(GraphSections.postParents))
    for (id, rows, width) in [
      (GraphSections.userPayloadLengths, userRows, 8), (GraphSections.postPayloadLengths, postRows, 8),
      (GraphSections.postFlags, postRows, 2), (GraphSections.postEditTimes, postRows, 8),
      (GraphSections.postAudiences, postRows, 1),
    ] where source.has(id) {
      hostByteCount += Self.column(rows, of: rows, width: width)
    }
    for id in [GraphSections.userPayloadBytes, GraphSections.postPayloadBytes] where source.has(id) {
      hostByteCount += try Self.count(id, source) / 100 * Self.payloadByteHundredths
    }
    for (number, relation) in (try GraphSections.declared(in: source)?.relations ?? []).enumerated() {
      let sections = EdgeSections(ofDeclared: Relation.builtIn.count + number)
      guard sections.areExpected(in: source) else { continue }
      edges.append((relation.source, relation.target, try Self.count(sections.targets, source)))
    }
    try check()
    // Pages are allocated one by one, where failure cannot be reported. So all of them are requested at once before.
    // Texts are plain until they are compressed.
    guard PagePool.canProvide(byteCount(fewest: false)) else {
      throw .system(errno: SystemError.outOfMemory, call: "mmap", path: path)
    }
  }

  /// An element takes at least one byte. A table that claims more is rejected when the column is decoded.
  private static func count(_ id: SectionID, _ source: some SectionSource) throws(KithError) -> Int {
    let (head, contentByteCount, _) = try source.find(id)
    return Int(min(head.elementCount, UInt64(contentByteCount)))
  }

  /// Sets the number of live users.
  /// - Throws: `limitExceeded`.
  mutating func note(users: Int) throws(KithError) {
    self.users = users
    try check()
  }

  /// Sets the number of live posts.
  /// - Throws: `limitExceeded`.
  mutating func note(posts: Int) throws(KithError) {
    self.posts = posts
    try check()
  }

  private func check() throws(KithError) {
    if byteCount <= byteLimit { return }
    throw .limitExceeded(.estimatedMemory(path: path, byteLimit: byteLimit, byteCount: byteCount))
  }

  /// The estimate so far.
  var byteCount: Int { byteCount(fewest: isOwn) }

  private func byteCount(fewest: Bool) -> Int {
    var total = Self.baseByteCount + hostByteCount + (userRows + postRows) * Self.rowByteCount
    total += users * Self.userByteCount + nameByteCount * Self.nameByteFactor
    total += Self.column(users, of: userRows, width: 8 * UserCard.wordsPerRow)
    total += Self.column(users, of: userRows, width: 4)
    let textHundredths = fewest && form.compressesTexts ? Self.compressedTextByteHundredths : Self.textByteHundredths
    total += posts * Self.postByteCount + textByteCount / 100 * textHundredths
    total += Self.column(keepsTimes ? postRows : posts, of: postRows, width: 8 * PostTable.wordsPerRow)
    if hasParents {
      total += 2 * Self.column(postRows, of: postRows, width: 4)
      total += PackedLists<UInt32>.byteCount(posts, of: postRows, perBlock: ThreadTable.rootsPerBlock, bits: 32)
    }
    total += Self.column(posts, of: postRows, width: 4)
    total += PackedLists<UInt32>.byteCount(posts, of: userRows, perBlock: PostTable.authorsPerBlock, bits: 32)
    for (source, target, count) in edges {
      let (sources, targets) = (source == .user ? userRows : postRows, target == .user ? userRows : postRows)
      let isSparse = target == .post
      var (out, back) = (UInt64.bitWidth, UInt32.bitWidth)
      if form.lists == .compact {
        // A row takes at most as many bits as the number of rows, a time 32; all the same take none.
        out = fewest ? 0 : Int.bitWidth - targets.leadingZeroBitCount + 32
        back = fewest ? 0 : Int.bitWidth - sources.leadingZeroBitCount
      }
      total += PackedLists<UInt64>.byteCount(
        count, of: sources, perBlock: Adjacency.sourcesPerBlock(form.lists), bits: out)
      total += PackedLists<UInt32>.byteCount(
        count, of: targets, perBlock: Adjacency.targetsPerBlock(form.lists, isSparse: isSparse), bits: back)
      total += min(count, 1) * (form.lists == .compact ? targets / 8 : targets)
    }
    return total
  }

  /// A column with this many nonempty rows. Empty pages are shared.
  private static func column(_ written: Int, of rows: Int, width: Int) -> Int {
    let pageByteCount = Column<UInt64>.pageByteCount
    return min(written, rows * width / pageByteCount + 1) * (pageByteCount + TLSFAllocator.lineByteCount)
  }
}

/// The limit of the memory of a snapshot's graph, checked against its `GraphEstimate`.
enum RestoreLimit: Sendable {
  /// An external file: its size bounds its graph, unless the host allows more.
  case outside(allowedByteCount: Int?)
  /// The process's own store: the limit of `SocialGraph.Options` (`maximumByteCount`), nil for none. The exact size is
  /// checked when the graph is built. Before that, only a size far beyond is rejected, since the estimate may be too
  /// high.
  case ownStore(maximumByteCount: Int?)

  /// An external file is always allowed this much.
  static let leastByteCount = 1 << 30
  /// The allowance per byte of an external file. Graphs take up to about fifteen times the size of their snapshots; a
  /// malicious file could take a hundred thousand times.
  static let byteCountPerFileByte = 200
  /// How far a graph may exceed the limit of its own store when it is opened, as a share and in bytes. It was accepted:
  /// the limit is exceeded by what one change adds, and structures that are built may be larger than those that grew.
  static let openingShare = 8
  static let openingMargin = 2 << 20
  /// How far an estimate may exceed the true size: a factor and a margin in bytes.
  static let estimateFactor = 2
  static let estimateMargin = 64 << 20

  /// The most bytes of a graph that is opened with a limit.
  static func openedByteCount(_ maximum: Int) -> Int {
    let (byteCount, overflows) = maximum.addingReportingOverflow(maximum / openingShare + openingMargin)
    return overflows ? .max : byteCount
  }

  var isOwnStore: Bool { if case .ownStore = self { true } else { false } }

  /// The limit in bytes for a file of a given size.
  func byteCount(fileByteCount: Int64) -> Int {
    switch self {
    case .outside(let allowed):
      let (byteCount, overflows) = Int(fileByteCount).multipliedReportingOverflow(by: Self.byteCountPerFileByte)
      return max(Self.leastByteCount, overflows ? .max : byteCount, allowed ?? 0)
    case .ownStore(let maximum):
      guard let maximum else { return .max }
      let (byteCount, overflows) = Self.openedByteCount(maximum).multipliedReportingOverflow(by: Self.estimateFactor)
      return overflows ? .max : byteCount + min(Self.estimateMargin, .max - byteCount)
    }
  }
}
