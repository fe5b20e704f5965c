/// What a merge of entries found out on the way.
struct EntryMemory: ~Copyable {
  /// Which repost of a post is shown.
  var reposts = ScratchMap()
  /// A filter of those who may be sources, which a few others pass; built when it is first asked.
  private var sources = RowBloomFilter()
  private var knowsSources = false
  /// The posts that a scan may still read.
  private var postsLeft = 0
  /// Where a scan of all posts gave up: posts below are found in lists; nil before that.
  private(set) var scanEnd: EntryKey?

  mutating func removeAll() {
    reposts.removeAll()
    (knowsSources, scanEnd) = (false, nil)
  }

  /// Whether a user is a source.
  @inline(__always)
  mutating func isSource(_ user: UInt32, _ sources: TimelineSources, _ state: borrowing GraphState) -> Bool {
    if !knowsSources { learn(sources, state) }
    return self.sources.mayContain(user) && sources.contains(user, state)
  }

  @inline(never)
  private mutating func learn(_ sources: TimelineSources, _ state: borrowing GraphState) {
    sources.insert(into: &self.sources, state)
    knowsSources = true
  }

  // MARK: - The scan

  /// Begins a scan of all posts for those of the sources, of at most so many.
  mutating func beginScan(limit: Int) { (postsLeft, scanEnd) = (limit, nil) }

  /// Counts a post; false if there were too many.
  @inline(__always)
  mutating func takePost() -> Bool {
    postsLeft &-= 1
    return postsLeft >= 0
  }

  mutating func endScan(at key: EntryKey) { scanEnd = key }
}
