import Synchronization

/// How much this process has read and written in files, for the progress of long work.
package enum DiskActivity {
  private static let read = Atomic<Int>(0)
  private static let written = Atomic<Int>(0)

  /// Bytes read from and written to the disk since the process began, of all stores and snapshots.
  package static var byteCount: Int { read.load(ordering: .relaxed) + written.load(ordering: .relaxed) }

  static func noteRead(_ byteCount: Int) { read.add(byteCount, ordering: .relaxed) }
  static func noteWritten(_ byteCount: Int) { written.add(byteCount, ordering: .relaxed) }
}
