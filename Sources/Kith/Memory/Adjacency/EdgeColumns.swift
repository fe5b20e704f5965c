/// Edges in columns, in any order, to be added together.
@safe package struct EdgeColumns: @unchecked Sendable {
  // Safety: borrowed from the caller for one call, during which it must stay valid and unmodified.
  private let sources: UnsafeBufferPointer<Int64>
  private let targets: UnsafeBufferPointer<Int64>
  private let times: UnsafePointer<Int64>?
  private let defaultTime: Int64

  /// - Parameters:
  ///   - sources: ids.
  ///   - targets: ids; as many.
  ///   - times: as many, in milliseconds since 1970; nil if all edges have the default time.
  @unsafe package init(
    sources: UnsafeBufferPointer<Int64>, targets: UnsafeBufferPointer<Int64>, times: UnsafePointer<Int64>?,
    defaultTime: Int64
  ) {
    precondition(sources.count == targets.count, "an edge has a source and a target")
    unsafe self.sources = unsafe sources
    unsafe self.targets = unsafe targets
    unsafe self.times = unsafe times
    self.defaultTime = defaultTime
  }

  package var count: Int { unsafe sources.count }

  @inline(__always)
  package func source(_ index: Int) -> Int64 { unsafe sources[index] }
  @inline(__always)
  package func target(_ index: Int) -> Int64 { unsafe targets[index] }
  /// In milliseconds.
  @inline(__always)
  package func time(_ index: Int) -> Int64 { unsafe times.map { unsafe $0[index] } ?? defaultTime }
}
