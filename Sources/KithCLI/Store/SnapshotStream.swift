import Kith

/// Snapshots on standard input and output: `-` in the place of a file.
enum SnapshotStream {
  static let path = "-"

  /// What standard input gives, up to its end.
  static func bytes() throws(KithError) -> [UInt8] { try Snapshots.bytes(from: StandardStream.input.rawValue) }

  /// Writes a store's newest state to standard output.
  static func write(_ store: String, noting: (RecoveryReport) -> Void) throws(KithError) {
    StandardStream.ignoreBrokenPipes()
    try Snapshots.write(store, to: StandardStream.output.rawValue, noting: noting)
  }
}
