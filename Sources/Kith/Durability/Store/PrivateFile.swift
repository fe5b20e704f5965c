/// A new file accessible only to its owner (0600), in folders accessible only to the owner (0700), whatever the umask:
/// like the files of a store. Exports are written to such files.
package struct PrivateFile: Sendable {
  private let disk = SystemDisk()
  private let file: SystemFile
  private var byteCount: Int64 = 0

  /// Creates the file. Fails if the name exists.
  package init(creating path: String) throws(KithError) {
    file = try disk.create(path)
  }

  /// Appends bytes.
  /// - Throws: `system`, after which any part of the bytes may have been written.
  package mutating func append(_ bytes: [UInt8]) throws(KithError) {
    try disk.write(file, at: byteCount, bytes.span)
    byteCount += Int64(bytes.count)
  }

  /// Creates a folder and its missing parents. Existing folders are not changed.
  package static func makeDirectory(_ path: String) throws(KithError) {
    let disk = SystemDisk()
    if try disk.status(of: path, followingLinks: true)?.kind == .directory { return }
    if path.parentPath != path { try makeDirectory(path.parentPath) }
    do throws(KithError) {
      try disk.makeDirectory(path)
    } catch {
      // Another process may have created it in the meantime; `a/.` exists as soon as `a` does.
      guard try disk.status(of: path, followingLinks: true)?.kind == .directory else { throw error }
    }
  }
}
