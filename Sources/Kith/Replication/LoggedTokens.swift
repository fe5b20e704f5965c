/// The results of the requests that had a token, for a day of the log's time: a request that is repeated, by whatever
/// host, gets the first result and has no effect.
///
/// It follows from the records alone, so it is equal on all replicas; snapshots have it. A request that is refused is
/// not kept: it had no effect, and its repetition is validated again.
package struct LoggedTokens: Hashable, Sendable {
  /// How long a result is kept, in milliseconds.
  package static let retention: Int64 = 86_400_000
  /// The most results that are kept. Beyond it the oldest are dropped, of groups all at once.
  package static let limit = 1 << 20
  /// The section of a snapshot. A store that is made from the snapshot does without it.
  static let section = SectionID("LGTK")

  private struct Item: Hashable {
    let token: UInt128
    let at: Timestamp
    let results: [ChangeResult]
  }

  /// From the oldest on; those before `first` are dropped.
  private var items: [Item] = []
  private var first = 0
  /// The index in `items` by token, plus what was removed at its front.
  private var places: [UInt128: Int] = [:]
  private var removedCount = 0
  private var resultCount = 0

  package init() {}

  /// The tokens that are known.
  package var count: Int { places.count }

  /// The results of the request with a token; nil if it is not known.
  package subscript(token: UInt128) -> [ChangeResult]? { places[token].map { items[$0 - removedCount].results } }

  /// Keeps the results of a request.
  /// - Precondition: the token is not known, and no later time was noted.
  /// - Complexity: amortized O(results)
  mutating func note(_ token: UInt128, _ results: [ChangeResult], at time: Timestamp) {
    places[token] = removedCount + items.count
    items.append(Item(token: token, at: time, results: results))
    resultCount += results.count
    while resultCount > Self.limit { dropFirst() }
  }

  /// Drops what is older than a day at a time.
  mutating func forget(before time: Timestamp) {
    // A snapshot can hold any times, whose difference need not be a number of 64 bits.
    while first < items.count, items[first].at < time,
      time.rawValue &- items[first].at.rawValue > Self.retention || time.rawValue &- items[first].at.rawValue < 0
    {
      dropFirst()
    }
  }

  private mutating func dropFirst() {
    resultCount -= items[first].results.count
    places[items[first].token] = nil
    first += 1
    if first == items.count || first > items.count / 2 {
      items.removeFirst(first)
      removedCount += first
      first = 0
    }
  }

  // Equal for equal contents, whatever was dropped before.

  package static func == (left: Self, right: Self) -> Bool { left.items[left.first...] == right.items[right.first...] }

  package func hash(into hasher: inout Hasher) { hasher.combine(items[first...]) }

  // MARK: - Encoding

  /// The bytes of an item without its results, and of a result.
  private static let itemByteCount = 16 + 8 + 4
  private static let resultByteCount = 8 + 1 + 8

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let changed = Flags(rawValue: 1)
    static let user = Flags(rawValue: 2)
    static let post = Flags(rawValue: 4)
  }

  /// Each item: token, time, number of results; each result: sequence number, flags, the id of what was added, or 0.
  var encoded: [UInt8] {
    var writer = ByteWriter(
      reserving: (items.count - first) * Self.itemByteCount + resultCount * Self.resultByteCount)
    for item in items[first...] {
      writer.append(UInt64(truncatingIfNeeded: item.token))
      writer.append(UInt64(truncatingIfNeeded: item.token >> 64))
      writer.append(item.at.rawValue)
      writer.append(UInt32(item.results.count))
      for result in item.results {
        var flags: Flags = result.didChange ? .changed : []
        if result.user != nil { flags.insert(.user) }
        if result.post != nil { flags.insert(.post) }
        writer.append(result.sequence)
        writer.append(flags.rawValue)
        writer.append(result.user?.rawValue ?? result.post?.rawValue ?? 0)
      }
    }
    return writer.bytes
  }

  /// Reads what `encoded` wrote; any other bytes are refused.
  /// - Throws: `corrupt`.
  init(decoding bytes: [UInt8], file: String) throws(KithError) {
    var reader = ByteReader(bytes, file: file)
    while reader.remaining > 0 {
      let start = reader.position
      let (low, high) = (try reader.readUInt64(), try reader.readUInt64())
      let token = UInt128(high) << 64 | UInt128(low)
      let at = Timestamp(try reader.readInt64())
      let count = Int(try reader.readUInt32())
      guard count <= reader.remaining / Self.resultByteCount, count <= Self.limit - resultCount else {
        throw reader.corrupt("\(count) results of a token are too many", at: start)
      }
      guard places[token] == nil, at.rawValue >= items.last?.at.rawValue ?? 0 else {
        throw reader.corrupt("a token stands twice, or after a later one", at: start)
      }
      var results: [ChangeResult] = []
      results.reserveCapacity(count)
      for _ in 0..<count { results.append(try Self.result(&reader)) }
      note(token, results, at: at)
    }
  }

  private static func result(_ reader: inout ByteReader) throws(KithError) -> ChangeResult {
    let start = reader.position
    let sequence = try reader.readUInt64()
    let flags = Flags(rawValue: try reader.readUInt8())
    let id = try reader.readInt64()
    let hasID = !flags.isDisjoint(with: [.user, .post])
    guard flags.rawValue < 8, !flags.isSuperset(of: [.user, .post]), hasID ? id > 0 : id == 0 else {
      throw reader.corrupt("no result of a change is like that", at: start)
    }
    return ChangeResult(
      sequence: sequence, didChange: flags.contains(.changed), user: flags.contains(.user) ? UserID(id) : nil,
      post: flags.contains(.post) ? PostID(id) : nil)
  }

  /// Writes the section, if there is anything to write.
  func write(to sink: some SectionSink) throws(KithError) {
    let bytes = encoded
    if bytes.isEmpty { return }
    let head = SectionHead(
      id: Self.section, encoding: .bytes, isCritical: false, elementCount: UInt64(bytes.count))
    let size = SnapshotFormat.frameContentByteCount
    try sink.append(head, level: 1, pieceCount: (bytes.count + size - 1) / size) { piece in
      ColumnPiece(content: Array(bytes[piece * size..<min(bytes.count, (piece + 1) * size)]))
    }
  }

  // MARK: - Invariants

  /// What is wrong with it; nothing if it is sound.
  func checkInvariants() -> [String] {
    var problems: [String] = []
    if places.count != items.count - first { problems.append("\(places.count) places of \(items.count - first) items") }
    for (index, item) in items.enumerated().dropFirst(first) {
      if places[item.token] != index + removedCount { problems.append("item \(index) is not where its token says") }
      if index > first, items[index - 1].at > item.at { problems.append("item \(index) is before an earlier one") }
    }
    if resultCount != items[first...].reduce(0, { $0 + $1.results.count }) { problems.append("the results miscount") }
    if resultCount > Self.limit { problems.append("more results than are kept") }
    return problems
  }
}
