import CBaseline

/// Posts as an index on bare arrays for the baseline in C; they are never freed.
///
/// Each `unsafe` here copies an array into memory that is never freed, or lends it to one call of the baseline, which
/// reads inside the offsets that were made here.
@safe struct PostBaseline {
  private var graph = unsafe baseline_graph()
  private var posts = unsafe baseline_posts()
  private let entries = UnsafeMutablePointer<baseline_entry>.allocate(capacity: Self.maximumLimit)
  private let bytes: UnsafeMutablePointer<CChar>

  static let maximumLimit = 100

  init(_ network: Network) {
    let order = network.times.indices.sorted { (network.times[$0], $0) > (network.times[$1], $1) }
    let names = Texts(network.names)
    let texts = Texts(order.map { network.texts[$0] })
    unsafe bytes = .allocate(capacity: Self.maximumLimit * (names.longest + texts.longest))
    var likeCounts = [UInt32](repeating: 0, count: order.count)
    for post in network.likes.elements { likeCounts[Int(post)] += 1 }
    unsafe graph.name_offsets = lasting(names.offsets.map { UInt32($0) })
    unsafe graph.names = lasting(names.bytes)
    unsafe graph.authors = lasting(order.map { network.authors[$0] })
    unsafe graph.ids = lasting(order.map { Int64($0) + 1 })
    unsafe graph.times = lasting(order.map { network.times[$0] })
    unsafe graph.like_counts = lasting(order.map { likeCounts[$0] })
    unsafe graph.text_offsets = lasting(texts.offsets)
    unsafe graph.texts = lasting(texts.bytes)
    // Names and texts are ASCII here, where folding is lower case.
    let keys = Texts(order.map { (network.names[Int(network.authors[$0])] + "\u{1}" + network.texts[$0]).lowercased() })
    unsafe posts.count = UInt32(order.count)
    unsafe posts.key_offsets = lasting(keys.offsets)
    unsafe posts.keys = lasting(keys.bytes)
    if unsafe !baseline_index_posts(&posts) { preconditionFailure("no memory for the lists of the baseline") }
  }

  /// Bytes of the baseline's lists.
  var byteCount: Int { unsafe (Int(posts.gram_starts[1 << 24]) * 4) }

  /// Writes a page to the baseline's own memory; returns its length.
  /// - Parameter terms: folded, of three letters or more, at most four.
  @inline(__always)
  func page(_ terms: [[UInt8]], limit: Int) -> Int {
    unsafe lend(terms[...], []) { terms in
      unsafe withUnsafePointer(to: graph) { graph in
        unsafe withUnsafePointer(to: posts) { posts in
          unsafe terms.withUnsafeBufferPointer { terms in
            unsafe Int(
              baseline_search_posts(graph, posts, terms.baseAddress, UInt32(terms.count), UInt32(limit), entries, bytes)
            )
          }
        }
      }
    }
  }

  /// Lends all terms at once.
  private func lend(
    _ terms: ArraySlice<[UInt8]>, _ lent: [baseline_term], _ body: ([baseline_term]) -> Int
  ) -> Int {
    guard let first = terms.first else { return unsafe body(lent) }
    return unsafe first.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let term = unsafe baseline_term(bytes: start, length: UInt32(bytes.count))
      return unsafe lend(terms.dropFirst(), lent + [term], body)
    }
  }

  /// The ids of a page.
  func ids(_ terms: [[UInt8]], limit: Int) -> [Int64] {
    (0..<page(terms, limit: limit)).map { unsafe entries[$0].id }
  }
}
