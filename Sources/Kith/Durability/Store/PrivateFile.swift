import Synchronization

/// A new file accessible only to its owner (0600), in folders accessible only to the owner (0700), whatever the umask:
/// like the files of a store. Exports are written to such files.
///
/// It has another name until `finish`, so that what an interruption leaves is never taken for the whole file.
package final class PrivateFile: Sendable {
  /// What its name ends with until it is whole.
  private static let suffix = StoreNames.stagingSuffix

  private let disk = SystemDisk()
  private let file: SystemFile
  private let path: String
  private let byteCount = Atomic<Int64>(0)

  private var temporaryPath: String { path + Self.suffix }

  /// Begins a file, which must not exist. What an interruption has left of it is replaced.
  /// - Throws: `invalidRequest` if something is there, also a link that leads nowhere; `system`.
  package init(_ path: String) throws(KithError) {
    self.path = path
    guard PathAccess.isFree(path) else { throw .invalidRequest(.fileExists(path: path)) }
    if try disk.status(of: path + Self.suffix, followingLinks: false)?.kind == .file {
      try disk.remove(path + Self.suffix)
    }
    file = try disk.create(path + Self.suffix)
  }

  /// Appends bytes. Not from two threads at once.
  /// - Throws: `system`, after which any part of the bytes may have been written.
  package func append(_ bytes: [UInt8]) throws(KithError) {
    let offset = byteCount.load(ordering: .relaxed)
    try disk.write(file, at: offset, bytes.span)
    byteCount.store(offset + Int64(bytes.count), ordering: .relaxed)
  }

  /// Gives files of a directory their names, none of which may exist, once all of them are on the disk.
  /// - Throws: `system`.
  package static func finish(_ files: [PrivateFile], in directory: String) throws(KithError) {
    for file in files { try file.disk.sync(file.file) }
    for file in files { try file.disk.renameToFree(file.temporaryPath, to: file.path) }
    // On a file system that cannot do it, the files are there all the same.
    try SystemDisk(unsynced: UnsyncedDirectories()).syncDirectory(directory)
  }

  /// Gives this file its name, which must be free, once it is on the disk.
  package func finish() throws(KithError) { try Self.finish([self], in: path.parentPath) }

  /// Removes what is unfinished.
  package func abandon() { try? disk.remove(temporaryPath) }

  /// Creates the folder that becomes `directory`, which must not exist, by `finish(staging:as:)`.
  /// - Parameter names: the files that may be in it, of which an interruption may have left some. They are removed.
  /// - Throws: `system`; `notAStore` if it holds other files.
  package static func makeStaging(for directory: String, of names: [String]) throws(KithError) -> String {
    let (disk, staging) = (SystemDisk(), directory.withoutTrailingSlashes + suffix)
    try makeDirectory(staging)
    for name in try disk.list(staging) {
      guard names.contains(where: { name.hasSameBytes(as: $0) || name.hasSameBytes(as: $0 + suffix) }) else {
        throw .notAStore(path: staging, reason: "it is in the way of a new directory; move or remove it")
      }
      try disk.remove(staging.appendingPathComponent(name))
    }
    return staging
  }

  /// Gives a folder its name, which must be free.
  package static func finish(staging: String, as directory: String) throws(KithError) {
    try SystemDisk().checkAndRename(staging, to: directory.withoutTrailingSlashes)
    try SystemDisk(unsynced: UnsyncedDirectories()).syncDirectory(directory.parentPath)
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
