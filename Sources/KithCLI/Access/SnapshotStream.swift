import Kith

/// Snapshots on standard input and output: `-` instead of a file.
enum SnapshotStream {
  /// The bytes of standard input, up to its end.
  static func bytes() throws(KithError) -> [UInt8] { try StoreTools.bytes(from: ByteStream.input.rawValue) }

  /// The graph of the snapshot on standard input.
  static func graph(_ options: SocialGraph.Options) throws(KithError) -> SocialGraph {
    try SocialGraph(snapshotDescriptor: ByteStream.input.rawValue, options: options)
  }

  /// Writes a store's newest state to standard output.
  static func write(_ store: String, noting: (RecoveryReport) -> Void) throws(KithError) {
    ByteStream.ignoreBrokenPipes()
    try StoreTools.write(store, to: ByteStream.output.rawValue, noting: noting)
  }
}
