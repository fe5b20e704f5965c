/// A snapshot that was written.
public struct SnapshotInfo: Codable, Hashable, Sendable {
  /// The path of the file.
  public let path: String
  /// The sequence number of the last change in it.
  public let sequence: UInt64
  /// The size of the file in bytes.
  public let byteCount: Int

  /// - Parameter path: where the file is; nil for where it was written.
  init(_ summary: SnapshotSummary, path: String? = nil) {
    self.path = path ?? summary.path
    sequence = summary.header.sequence
    byteCount = Int(clamping: summary.fileByteCount)
  }
}
