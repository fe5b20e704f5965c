import Foundation
import Kith

/// Snapshots on standard input and output, so that object storage is a pipe away: `-` in the place of a file.
///
/// A snapshot is read from its end, and written out of order; so it stands in a temporary directory meanwhile, 0700,
/// which goes with the command.
enum SnapshotStream {
  static let path = "-"
  private static let blockByteCount = 1 << 20

  /// Lends the path of a snapshot that can be read.
  static func reading<R>(_ path: String, _ body: (String) throws(KithError) -> R) throws(KithError) -> R {
    if path != self.path { return try body(path) }
    return try inTemporaryDirectory { (file) throws(KithError) in
      guard FileManager.default.createFile(atPath: file, contents: nil, attributes: [.posixPermissions: 0o600]),
        let handle = FileHandle(forWritingAtPath: file)
      else { throw failure("open", file) }
      var block = [UInt8](repeating: 0, count: blockByteCount)
      while true {
        do {
          let count = try StandardStream.input.read(into: &block)
          if count == 0 { break }
          try handle.write(contentsOf: block[..<count])
        } catch {
          throw failure("write", file, error)
        }
      }
      try? handle.close()
      return try body(file)
    }
  }

  /// Lends a path where a snapshot can be written, and copies it to standard output afterwards.
  static func writing<R>(_ path: String, _ body: (String) throws(KithError) -> R) throws(KithError) -> R {
    if path != self.path { return try body(path) }
    StandardStream.ignoreBrokenPipes()
    return try inTemporaryDirectory { (file) throws(KithError) in
      let result = try body(file)
      guard let handle = FileHandle(forReadingAtPath: file) else { throw failure("open", file) }
      do {
        while let block = try handle.read(upToCount: blockByteCount), !block.isEmpty {
          try StandardStream.output.write(Array(block))
        }
      } catch {
        throw failure("write", "standard output", error)
      }
      return result
    }
  }

  private static func inTemporaryDirectory<R>(_ body: (String) throws(KithError) -> R) throws(KithError) -> R {
    let directory: String
    do throws(CommandFailure) {
      directory = try TemporaryDirectory.make("pipe")
    } catch {
      throw .invalidRequest(reason: error.message)
    }
    defer { TemporaryDirectory.remove(directory) }
    return try body("\(directory)/snapshot.kith.zst")
  }

  private static func failure(_ call: String, _ path: String, _ error: (any Error)? = nil) -> KithError {
    let code = (error as? StandardStream.Failure)?.code ?? error.map { Int32(truncatingIfNeeded: ($0 as NSError).code) }
    return .system(errno: code ?? errno, call: call, path: path)
  }
}
