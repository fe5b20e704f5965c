import Foundation

/// A temporary directory with mode 0700; its creator removes it, as does an interruption.
enum TemporaryDirectory {
  static func make(_ purpose: String) throws(CommandFailure) -> String {
    let name = "kith-\(purpose)-\(UUID().uuidString)"
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .usage("\(path): cannot be created: \(error.localizedDescription); set TMPDIR")
    }
    Interruption.addTemporary(path)
    return path
  }

  static func remove(_ path: String) {
    delete(path)
    Interruption.removeTemporary(path)
  }

  /// Removes it, whatever it holds.
  static func delete(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
