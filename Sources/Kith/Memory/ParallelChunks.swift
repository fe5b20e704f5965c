import Dispatch
import Synchronization

/// Work over the rows of a graph on all cores: the rows are cut into chunks of 1,024, and whoever is free takes the
/// next.
///
/// Chunks are many and small because rows are not alike: one may have forty followers, another five million.
enum ParallelChunks {
  static let rowCount = 1_024
  /// More than cores of one machine: so many tasks are offered, and one that comes late finds nothing left to do.
  private static let mostTasks = 256

  static func count(rows: Int) -> Int { (rows + rowCount - 1) / rowCount }

  /// Calls `body` with every chunk's number and rows, several at a time; returns when all are done.
  /// - Parameters:
  ///   - taskLimit: how many at a time at most; nil for as many as there are cores.
  ///   - body: false ends the work early.
  static func run(rows: Int, taskLimit: Int?, _ body: @Sendable (_ chunk: Int, _ rows: Range<Int>) -> Bool) {
    let chunkCount = count(rows: rows)
    let next = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: min(chunkCount, taskLimit ?? mostTasks)) { _ in
      while true {
        let chunk = next.add(1, ordering: .relaxed).oldValue
        if chunk >= chunkCount { return }
        let start = chunk * rowCount
        if body(chunk, start..<min(rows, start + rowCount)) { continue }
        next.store(chunkCount, ordering: .relaxed)
      }
    }
  }

  /// An array with one element for every row, filled by several threads; nil if `body` ended it early.
  /// - Parameter body: gives the elements of a chunk to `put`, each row once.
  static func array<Element: BitwiseCopyable & Sendable>(
    rows: Int, taskLimit: Int?, _ body: @Sendable (_ rows: Range<Int>, _ output: inout MutableSpan<Element>) -> Bool,
    filler: Element
  ) -> [Element]? {
    // Safety: chunks do not overlap, and `run` returns when nobody writes any more. Rows that were not written because
    // the work ended early are not part of any answer.
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

  /// An address that several threads write behind, each at places of its own.
  @unsafe private struct SharedAddress<Element>: @unchecked Sendable {
    let address: UnsafeMutablePointer<Element>
    init(_ address: UnsafeMutablePointer<Element>) { unsafe self.address = unsafe address }
  }
}
