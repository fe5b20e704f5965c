public import Foundation
public import Kith

extension SocialGraph {
  /// Opens the store in a directory, or a snapshot file: `SocialGraph.open(_:access:options:onEvent:)` with a file URL.
  /// - Throws: `KithError.invalidRequest` if the URL is no file URL; the errors of opening by path.
  public static func open(
    _ url: URL, access: Access = .readWrite, options: Options = Options(),
    onEvent: (@Sendable (StoreEvent) -> Void)? = nil
  ) throws(KithError) -> SocialGraph {
    guard url.isFileURL else { throw .invalidRequest(.notAFileURL) }
    return try open(url.path, access: access, options: options, onEvent: onEvent)
  }
}

extension SnapshotInfo {
  /// The file of the snapshot.
  public var url: URL { URL(fileURLWithPath: path) }
}
