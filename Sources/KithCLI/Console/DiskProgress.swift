import Foundation
import Kith

/// The progress of work that reads, and perhaps writes, files of known size: a second thread shows how much was read
/// and written since it began.
enum DiskProgress {
  private static let interval = 0.2

  /// - Parameters:
  ///   - phase: the name of the work.
  ///   - byteCount: how much will be read and written; nil if it is unknown.
  ///   - ending: what remains when all of that is done.
  ///   - passes: the share of the graph that is checked, once that begins; nil for work that checks none.
  static func show<R, E: Error>(
    _ phase: String, of byteCount: Int?, ending: String, passes: PassControl? = nil, _ body: () throws(E) -> R
  ) throws(E) -> R {
    guard ByteStream.error.isTerminal else { return try body() }
    let (done, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isShown = Threads.run {
      var progress = Progress()
      progress.begin(phase)
      let start = DiskActivity.byteCount
      while done.wait(timeout: .now() + interval) == .timedOut {
        let count = DiskActivity.byteCount - start
        if let share = passes?.fraction, share > 0, share < 1 {
          progress.note("\(phase)   checking the graph   \(Int(share * 100)) %")
        } else if let byteCount, count >= byteCount {
          progress.note("\(phase)   \(ending)")
        } else {
          progress.update(done: count >> 20, of: "MB", share: byteCount.map { Double(count) / Double(max(1, $0)) })
        }
      }
      progress.finish()
      ended.signal()
    }
    if !isShown { return try body() }
    defer {
      done.signal()
      ended.wait()
    }
    return try body()
  }

  /// The bytes of a snapshot file, or of a store's files of these kinds; nil if there are none.
  static func byteCount(of path: String, _ kinds: Kinds) -> Int? {
    let names = PathAccess.names(in: path) ?? []
    if names.isEmpty { return size(path) }
    let snapshots = names.filter { $0.hasPrefix("snap-") && !$0.hasSuffix(".tmp") }
    let journals = names.filter { $0.hasPrefix("wal-") && !$0.hasSuffix(".tmp") }
    let newest = snapshots.last?.split(separator: "-").dropFirst(2).first?.prefix { $0 != "." } ?? ""
    let read: [String] =
      switch kinds {
      case .newest: snapshots.suffix(1) + journals.filter { $0.dropFirst("wal-".count) >= newest }
      case .all: snapshots + journals
      }
    return read.reduce(0) { $0 + (size("\(path)/\($1)") ?? 0) }
  }

  /// Which files are read.
  enum Kinds {
    /// The newest snapshot, and the journals since.
    case newest
    case all
  }

  private static func size(_ path: String) -> Int? { PathAccess.byteCount(of: path) }
}
