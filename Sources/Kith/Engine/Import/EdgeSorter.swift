/// An external sort of edges by source, then by target: a distribution sort (Knuth, The Art of Computer Programming,
/// volume 3, section 5.4.7).
///
/// Edges go to buckets of adjacent sources. Full buffers of a bucket are appended to a scratch file. At the end buckets
/// are read, sorted and written again, as the elements of whole lists.
///
/// Memory: the buffers (256 MB), and for each worker the edges of one bucket. Disk: 24 bytes an edge, if the buffers do
/// not hold them all.
final class EdgeSorter {
  struct Sizes: Sendable {
    var bucketCount = 1_024
    /// The edges that a bucket keeps in memory.
    var bufferEdgeCount = 1 << 14
    /// The edges that a bucket takes: 600 MB while they are sorted.
    var bucketEdgeCount = 1 << 24
  }

  /// Edges that were there already, in the order of arrival.
  struct Repeated {
    var count = 0
    /// The place of the first; meaningful if there is one.
    var firstPlace = Int.max

    mutating func add(_ other: Repeated) {
      count += other.count
      firstPlace = min(firstPlace, other.firstPlace)
    }
  }

  /// Edges of adjacent sources in the order of arrival, two words each: rows of source and target, second and place.
  private struct Bucket: Sendable {
    /// Where full buffers are in the scratch file.
    var offsets: [Int64] = []
    var buffer: [UInt64] = []
  }

  private let sizes: Sizes
  /// The directory of the scratch file.
  private let directory: String
  /// The sources of a bucket, as a power of two. The last bucket also has those that are added meanwhile.
  private let sourceShift: Int
  private var buckets: [Bucket]
  private var scratch: ScratchFile?
  private var scratchEnd: Int64 = 0

  init(sourceCount: Int, directory: String, _ sizes: Sizes = Sizes()) {
    self.sizes = sizes
    self.directory = directory
    var shift = 0
    while sourceCount >> shift >= sizes.bucketCount { shift += 1 }
    sourceShift = shift
    buckets = [Bucket](repeating: Bucket(), count: (sourceCount >> shift) + 1)
  }

  /// Adds an edge. Returns false if it cannot be taken: its bucket is full, or its place is no word.
  /// - Parameter place: its place among all edges, which only ascends.
  /// - Throws: `system`, if the scratch file cannot be written.
  @inline(__always)
  func add(source: UInt32, target: UInt32, second: UInt32, place: Int) throws(KithError) -> Bool {
    let bucket = min(Int(source) >> sourceShift, buckets.count - 1)
    if buckets[bucket].buffer.count == 2 * sizes.bufferEdgeCount { try empty(bucket) }
    guard let place = UInt32(exactly: place),
      buckets[bucket].offsets.count * sizes.bufferEdgeCount < sizes.bucketEdgeCount
    else { return false }
    buckets[bucket].buffer.append(UInt64(source) << 32 | UInt64(target))
    buckets[bucket].buffer.append(UInt64(second) << 32 | UInt64(place))
    return true
  }

  /// Appends the buffer of a bucket to the scratch file.
  private func empty(_ bucket: Int) throws(KithError) {
    let scratch: ScratchFile
    if let existing = self.scratch { scratch = existing } else { scratch = try ScratchFile(in: directory) }
    self.scratch = scratch
    var buffer: [UInt64] = []
    swap(&buffer, &buckets[bucket].buffer)
    try scratch.write(buffer, at: scratchEnd)
    buckets[bucket].offsets.append(scratchEnd)
    scratchEnd += Int64(buffer.count * 8)
    buffer.removeAll(keepingCapacity: true)
    swap(&buffer, &buckets[bucket].buffer)
  }

  /// Sorts all edges. Of those with the same source and target, the first is kept.
  /// - Parameter sourceCount: the number of sources now.
  /// - Returns: whole lists; and what was repeated.
  /// - Throws: `system`, if the scratch file cannot be read or written. The lists throw so, too.
  /// - Complexity: O(edges · log longest list), on all cores.
  consuming func sorted(sourceCount: Int, workers: Int) throws(KithError) -> (lists: BulkLists, repeated: Repeated) {
    var degrees: [UInt32] = []
    degrees.reserveCapacity(sourceCount)
    var repeated = Repeated()
    var elements: [UInt64] = []
    var end = scratchEnd
    let (buckets, scratch, start) = (buckets, scratch, scratchEnd)
    try Parallel.inOrder(buckets.count, workers: workers) { [sizes, sourceShift] (index) throws(KithError) in
      let first = index << sourceShift
      let last = index == buckets.count - 1 ? sourceCount : first + 1 << sourceShift
      return try Self.sorted(buckets[index], sources: first..<last, scratch, sizes)
    } take: { (_, bucket) throws(KithError) in
      degrees += bucket.degrees
      repeated.add(bucket.repeated)
      if let scratch {
        try scratch.write(bucket.elements, at: end)
        end += Int64(bucket.elements.count * 8)
      } else {
        elements += bucket.elements
      }
    }
    let lists = BulkLists(degrees: degrees) { [elements] (_, places, buffer) throws(KithError) in
      if let scratch {
        try scratch.read(at: start + Int64(places.lowerBound * 8), into: &buffer)
      } else {
        for place in places { buffer[place - places.lowerBound] = elements[place] }
      }
    }
    return (lists, repeated)
  }

  /// The lists of adjacent sources.
  private struct SortedBucket: Sendable {
    let degrees: [UInt32]
    let elements: [UInt64]
    let repeated: Repeated
  }

  private static func sorted(
    _ bucket: Bucket, sources: Range<Int>, _ scratch: ScratchFile?, _ sizes: Sizes
  ) throws(KithError) -> SortedBucket {
    let words = try words(of: bucket, scratch, bufferWordCount: 2 * sizes.bufferEdgeCount)
    let base = UInt64(sources.lowerBound) << 32
    var lists = EdgeLists(
      rows: (0..<words.count / 2).map { words[2 * $0] - base }, sourceCount: sources.count)
    let firstRepeated = lists.sort(taskLimit: 1) {
      UInt32(truncatingIfNeeded: words[2 * $0 + 1] >> 32)
    } isKnown: { _, _ in
      false
    }
    var repeated = Repeated(count: words.count / 2 - lists.newCount)
    if let firstRepeated { repeated.firstPlace = Int(UInt32(truncatingIfNeeded: words[2 * firstRepeated + 1])) }
    let (degrees, elements) = lists.packed()
    return SortedBucket(degrees: degrees, elements: elements, repeated: repeated)
  }

  private static func words(
    of bucket: Bucket, _ scratch: ScratchFile?, bufferWordCount count: Int
  ) throws(KithError) -> [UInt64] {
    guard let scratch else { return bucket.buffer }
    var words = [UInt64](repeating: 0, count: bucket.offsets.count * count)
    for (index, offset) in bucket.offsets.enumerated() {
      var all = words.mutableSpan
      var part = all._mutatingExtracting(index * count..<(index + 1) * count)
      try scratch.read(at: offset, into: &part)
    }
    return words + bucket.buffer
  }
}
