import CBaseline

/// The network as bare arrays for the baseline in C; they are never freed.
///
/// Each `unsafe` here copies an array into memory that is never freed, or lends it to one call of the baseline, which
/// reads inside the offsets that were made here.
@safe struct TimelineBaseline {
  private var graph = unsafe baseline_graph()
  private let entries = UnsafeMutablePointer<baseline_entry>.allocate(capacity: Int(BASELINE_LIMIT))
  private let bytes: UnsafeMutablePointer<CChar>
  private let marks: UnsafeMutablePointer<UInt16>
  private let met: UnsafeMutablePointer<UInt32>
  /// By post: its place in the order of (time, id).
  let ranks: [UInt32]

  init(_ network: Network) {
    unsafe marks = .allocate(capacity: network.userCount)
    unsafe marks.initialize(repeating: 0, count: network.userCount)
    unsafe met = .allocate(capacity: network.userCount + 1)
    let postCount = network.authors.count
    // The rank of a post is its place in the order of (time, id).
    let order = (0..<postCount).sorted { (network.times[$0], $0) < (network.times[$1], $1) }
    var ranks = [UInt32](repeating: 0, count: postCount)
    for (rank, post) in order.enumerated() { ranks[post] = UInt32(rank) }
    self.ranks = ranks

    var byAuthor = [[UInt32]](repeating: [], count: network.userCount)
    for (rank, post) in order.enumerated() { byAuthor[Int(network.authors[post])].append(UInt32(rank)) }
    var posts = Lists()
    var liked = Lists()
    var likeCounts = [UInt32](repeating: 0, count: postCount)
    for user in 0..<network.userCount {
      posts.append(byAuthor[user])
      liked.append(network.likes[user].map { ranks[Int($0)] }.sorted())
      for post in network.likes[user] { likeCounts[Int(ranks[Int(post)])] += 1 }
    }
    let names = Texts(network.names)
    let texts = Texts(order.map { network.texts[$0] })
    unsafe bytes = .allocate(capacity: Int(BASELINE_LIMIT) * (names.longest + texts.longest))

    unsafe graph.user_count = UInt32(network.userCount)
    unsafe graph.followee_offsets = lasting(network.followees.offsets)
    unsafe graph.followees = lasting(network.followees.elements)
    unsafe graph.liked_offsets = lasting(liked.offsets)
    unsafe graph.liked = lasting(liked.elements)
    unsafe graph.newest = lasting(byAuthor.map { $0.last.map { $0 + 1 } ?? 0 })
    unsafe graph.post_offsets = lasting(posts.offsets)
    unsafe graph.posts = lasting(posts.elements)
    unsafe graph.name_offsets = lasting(names.offsets.map { UInt32($0) })
    unsafe graph.names = lasting(names.bytes)
    unsafe graph.authors = lasting(order.map { network.authors[$0] })
    unsafe graph.ids = lasting(order.map { Int64($0) + 1 })
    unsafe graph.times = lasting(order.map { network.times[$0] })
    unsafe graph.like_counts = lasting(likeCounts)
    unsafe graph.text_offsets = lasting(texts.offsets)
    unsafe graph.texts = lasting(texts.bytes)
  }

  /// The first page, written to the baseline's own memory; returns its length.
  @inline(__always)
  func page(of user: Int, limit: Int) -> Int {
    var hasMore = false
    return unsafe withUnsafePointer(to: graph) { graph in
      unsafe Int(baseline_timeline(graph, UInt32(user), UInt32(limit), entries, bytes, &hasMore))
    }
  }

  /// The page of posts whose rank is below a bound.
  @inline(__always)
  func page(of user: Int, before bound: UInt32, limit: Int) -> Int {
    var hasMore = false
    return unsafe withUnsafePointer(to: graph) { graph in
      unsafe Int(baseline_timeline_before(graph, UInt32(user), bound, UInt32(limit), entries, bytes, &hasMore))
    }
  }

  /// The same as values.
  func posts(of user: Int, before bound: UInt32, limit: Int) -> [PlainPost] {
    posts(count: page(of: user, before: bound, limit: limit))
  }

  /// The first page of a timeline over two hops.
  @inline(__always)
  func twoHopPage(of user: Int, limit: Int) -> Int {
    var hasMore = false
    return unsafe withUnsafePointer(to: graph) { graph in
      unsafe Int(
        baseline_two_hop_timeline(graph, UInt32(user), UInt32(limit), marks, met, entries, bytes, &hasMore))
    }
  }

  /// The first page as values.
  func posts(of user: Int, limit: Int) -> [PlainPost] { posts(count: page(of: user, limit: limit)) }

  /// The first page of a timeline over two hops, as values.
  func twoHopPosts(of user: Int, limit: Int) -> [PlainPost] { posts(count: twoHopPage(of: user, limit: limit)) }

  private func posts(count: Int) -> [PlainPost] {
    (0..<count).map { place in
      let entry = unsafe entries[place]
      return unsafe PlainPost(
        id: entry.id, createdAt: entry.time, author: Int64(entry.author) + 1,
        username: text(entry.name, entry.name_length), text: text(entry.text, entry.text_length),
        likeCount: Int(entry.like_count), liked: entry.liked)
    }
  }

  private func text(_ start: UnsafePointer<CChar>, _ count: UInt32) -> String {
    unsafe String(
      decoding: UnsafeRawBufferPointer(start: UnsafeRawPointer(start), count: Int(count)), as: UTF8.self)
  }
}

/// Texts, concatenated.
struct Texts {
  var offsets: [UInt64] = [0]
  var bytes: [CChar] = []
  var longest = 0

  init(_ texts: [String]) {
    for text in texts {
      bytes.append(contentsOf: text.utf8.lazy.map { CChar(bitPattern: $0) })
      offsets.append(UInt64(bytes.count))
      longest = max(longest, text.utf8.count)
    }
  }
}

/// A copy that is never freed.
func lasting<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element> {
  let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(1, elements.count))
  _ = unsafe copy.initialize(from: elements)
  return unsafe UnsafePointer(copy.baseAddress.unsafelyUnwrapped)
}
