/// The destination of a snapshot's bytes: a file or a stream.
protocol SnapshotOutput {
  /// Whether `write` may go back. Otherwise each write begins where the previous one ended.
  var isSeekable: Bool { get }
  func write(_ bytes: Span<UInt8>, at offset: Int64) throws(KithError)
}
