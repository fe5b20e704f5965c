import Foundation

/// A directory of one command's own, 0700; whoever makes it removes it.
enum TemporaryDirectory {
  static func make(_ purpose: String) throws(CommandFailure) -> String {
    let name = "kith-\(purpose)-\(UUID().uuidString)"
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .usage("\(path): cannot be made: \(error.localizedDescription); set TMPDIR")
    }
    return path
  }

  static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
