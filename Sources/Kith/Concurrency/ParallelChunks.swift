import Synchronization

/// Parallel work over the rows of a graph on all cores. Rows are cut into chunks of 1,024, and free threads take the
/// next chunk.
///
/// Chunks are many and small because rows differ: one may have forty followers, another five million.
enum ParallelChunks {
  static let rowCount = 1_024
  /// The most tasks offered: more than the cores of one machine. A task that starts late finds no work left.
  private static let maximumTaskCount = 256

  static func count(rows: Int) -> Int { (rows + rowCount - 1) / rowCount }

  /// Calls `body` with every chunk's number and rows, in parallel. Returns when all are done.
  /// - Parameters:
  ///   - taskLimit: the most parallel tasks; nil for the number of cores.
  ///   - body: returns false to end the work early.
  static func run(rows: Int, taskLimit: Int?, _ body: @Sendable (_ chunk: Int, _ rows: Range<Int>) -> Bool) {
    let chunkCount = count(rows: rows)
    let next = Atomic<Int>(0)
    Parallel.share(min(chunkCount, taskLimit ?? maximumTaskCount)) {
      while true {
        let chunk = next.add(1, ordering: .relaxed).oldValue
        if chunk >= chunkCount { return }
        let start = chunk * rowCount
        if body(chunk, start..<min(rows, start + rowCount)) { continue }
        next.store(chunkCount, ordering: .relaxed)
      }
    }
  }

  /// Fills an array with one element per row, in parallel; nil if `body` ended the work early.
  /// - Parameter body: writes the elements of a chunk to `output`, each row once.
  static func array<Element: BitwiseCopyable & Sendable>(
    rows: Int, taskLimit: Int?, _ body: @Sendable (_ rows: Range<Int>, _ output: inout MutableSpan<Element>) -> Bool,
    filler: Element
  ) -> [Element]? {
    // Safety: chunks are disjoint, and `run` returns after the last write. If the work ended early, the rows not
    // written are never returned.
    let elements = unsafe [Element](unsafeUninitializedCapacity: rows) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      let start = unsafe SharedAddress(base)
      let isWhole = Atomic<Bool>(true)
      run(rows: rows, taskLimit: taskLimit) { _, range in
        unsafe (start.address + range.lowerBound).initialize(repeating: filler, count: range.count)
        var output = unsafe MutableSpan(_unsafeStart: start.address + range.lowerBound, count: range.count)
        let goesOn = body(range, &output)
        if !goesOn { isWhole.store(false, ordering: .relaxed) }
        return goesOn
      }
      count = isWhole.load(ordering: .relaxed) ? rows : 0
    }
    return elements.count == rows ? elements : nil
  }

  /// A base address that several threads write at disjoint offsets.
  @unsafe private struct SharedAddress<Element>: @unchecked Sendable {
    let address: UnsafeMutablePointer<Element>
    init(_ address: UnsafeMutablePointer<Element>) { unsafe self.address = unsafe address }
  }
}
