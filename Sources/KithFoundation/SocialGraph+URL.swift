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
    // Not `url.path`, which repairs bytes that are not UTF-8.
    // Safe because the bytes are copied within the call.
    let path = unsafe url.withUnsafeFileSystemRepresentation { bytes in
      unsafe bytes.map { unsafe String(pathBytes: UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
    return try open(path ?? url.path, access: access, options: options, onEvent: onEvent)
  }
}

extension SnapshotInfo {
  /// The file of the snapshot.
  public var url: URL {
    // Safe because the bytes end with a zero byte, and are copied within the call.
    let bytes = path.pathBytes.map { CChar(bitPattern: $0) } + [0]
    return unsafe URL(fileURLWithFileSystemRepresentation: bytes, isDirectory: false, relativeTo: nil)
  }
}
