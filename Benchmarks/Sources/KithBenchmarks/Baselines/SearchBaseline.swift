import CBaseline

/// The names as an index on bare arrays for the baseline in C; they are never freed.
///
/// Each `unsafe` here copies an array into memory that is never freed, or lends it to one call of the baseline, which
/// reads inside the offsets that were made here.
@safe struct SearchBaseline {
  private var graph = unsafe baseline_graph()
  private var names = unsafe baseline_names()
  private let people = UnsafeMutablePointer<baseline_person>.allocate(capacity: Self.maximumLimit)
  private let bytes: UnsafeMutablePointer<CChar>
  private let ranks = UnsafeMutablePointer<UInt32>.allocate(capacity: 3 * Self.maximumLimit)

  static let maximumLimit = 1_000

  init(_ network: Network, order: [(folded: [UInt8], name: [UInt8], user: Int)]) {
    let exact = Texts(network.names)
    unsafe bytes = .allocate(capacity: Self.maximumLimit * exact.longest)
    var followerCounts = [UInt32](repeating: 0, count: network.userCount)
    for followee in network.followees.elements { followerCounts[Int(followee)] += 1 }
    var postOffsets = [UInt32](repeating: 0, count: network.userCount + 1)
    for author in network.authors { postOffsets[Int(author) + 1] += 1 }
    for user in 0..<network.userCount { postOffsets[user + 1] += postOffsets[user] }
    unsafe graph.followee_offsets = lasting(network.followees.offsets)
    unsafe graph.followees = lasting(network.followees.elements)
    unsafe graph.post_offsets = lasting(postOffsets)
    unsafe graph.name_offsets = lasting(exact.offsets.map { UInt32($0) })
    unsafe graph.names = lasting(exact.bytes)

    var keyOffsets: [UInt32] = [0]
    var keys: [CChar] = []
    for name in order {
      keys.append(contentsOf: name.folded.map { CChar(bitPattern: $0) })
      keyOffsets.append(UInt32(keys.count))
    }
    let index = GramLists(order.map(\.folded))
    unsafe names.count = UInt32(order.count)
    unsafe names.key_offsets = lasting(keyOffsets)
    unsafe names.keys = lasting(keys)
    unsafe names.users = lasting(order.map { UInt32($0.user) })
    unsafe names.follower_counts = lasting(followerCounts)
    unsafe names.table_size = UInt32(index.tableGrams.count)
    unsafe names.table_grams = lasting(index.tableGrams)
    unsafe names.table_lists = lasting(index.tableLists)
    unsafe names.list_offsets = lasting(index.offsets)
    unsafe names.ranks = lasting(index.ranks)
  }

  /// Writes a page to the baseline's own memory; returns its length.
  /// - Parameter query: folded.
  @inline(__always)
  func page(_ query: [UInt8], prefix: Bool, viewer: Int, limit: Int) -> Int {
    unsafe withUnsafePointer(to: graph) { graph in
      unsafe withUnsafePointer(to: names) { names in
        unsafe query.withUnsafeBytes { query in
          let text = unsafe query.baseAddress?.assumingMemoryBound(to: CChar.self)
          let (length, viewer, limit) = (UInt32(query.count), UInt32(viewer), UInt32(limit))
          return prefix
            ? unsafe Int(baseline_prefix(graph, names, text, length, viewer, limit, people, bytes))
            : unsafe Int(baseline_search(graph, names, text, length, viewer, limit, people, bytes))
        }
      }
    }
  }

  /// The users of a page, and whether the viewer follows them.
  func users(_ query: [UInt8], prefix: Bool, viewer: Int, limit: Int) -> [(user: Int, following: Bool)] {
    (0..<page(query, prefix: prefix, viewer: viewer, limit: limit)).map { place in
      let person = unsafe people[place]
      return unsafe (Int(person.id) - 1, person.following)
    }
  }

  /// The same page of a fuzzy search, for an ASCII query: one edit from four letters on, two from eight.
  func fuzzyPage(_ query: [UInt8], viewer: Int, limit: Int) -> Int {
    let edits = query.count < 4 ? 0 : query.count < 8 ? 1 : 2
    return unsafe withUnsafePointer(to: graph) { graph in
      unsafe withUnsafePointer(to: names) { names in
        unsafe query.withUnsafeBytes { query in
          unsafe Int(
            baseline_fuzzy(
              graph, names, query.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(query.count), UInt32(edits),
              UInt32(viewer), UInt32(limit), ranks, people, bytes))
        }
      }
    }
  }

  func fuzzyUsers(_ query: [UInt8], _ viewer: Int, _ limit: Int) -> [Int] {
    (0..<fuzzyPage(query, viewer: viewer, limit: limit)).map { place in unsafe Int(people[place].id) - 1 }
  }
}

/// The ranks of the names that contain each gram of one, two or three bytes.
private struct GramLists {
  private(set) var tableGrams: [UInt32] = []
  private(set) var tableLists: [UInt32] = []
  private(set) var offsets: [UInt32] = [0]
  private(set) var ranks: [UInt32] = []

  init(_ names: [[UInt8]]) {
    var lists: [UInt32: UInt32] = [:]
    var counts: [UInt32] = []
    var last: [UInt32] = []  // by list: the rank after the last one that was counted, or dealt
    for (rank, name) in names.enumerated() {
      Self.forEachGram(of: name) { gram in
        if let list = lists[gram] {
          if last[Int(list)] != UInt32(rank + 1) { counts[Int(list)] += 1 }
          last[Int(list)] = UInt32(rank + 1)
        } else {
          lists[gram] = UInt32(counts.count)
          counts.append(1)
          last.append(UInt32(rank + 1))
        }
      }
    }
    for count in counts { offsets.append((offsets.last ?? 0) + count) }
    ranks = Array(repeating: 0, count: Int(offsets.last ?? 0))
    last = Array(repeating: 0, count: counts.count)
    var next = offsets
    for (rank, name) in names.enumerated() {
      Self.forEachGram(of: name) { gram in
        guard let list = lists[gram].map({ Int($0) }), last[list] != UInt32(rank + 1) else { return }
        last[list] = UInt32(rank + 1)
        ranks[Int(next[list])] = UInt32(rank)
        next[list] += 1
      }
    }
    var size = 2
    while size < lists.count * 2 { size *= 2 }
    tableGrams = Array(repeating: 0, count: size)
    tableLists = Array(repeating: 0, count: size)
    for (gram, list) in lists {
      var index = Int((gram &* 0x9E37_79B1) >> 7) & (size - 1)
      while tableGrams[index] != 0 { index = (index + 1) & (size - 1) }
      tableGrams[index] = gram
      tableLists[index] = list
    }
  }

  private static func forEachGram(of name: [UInt8], _ body: (UInt32) -> Void) {
    for start in name.indices {
      var gram: UInt32 = 0
      for index in start..<min(start + 3, name.count) {
        gram = gram << 8 | UInt32(name[index])
        body(gram)
      }
    }
  }
}
