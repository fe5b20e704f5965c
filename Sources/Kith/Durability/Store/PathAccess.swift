/// What commands ask of files beside those of stores: by the bytes of their paths, which Foundation would repair.
package enum PathAccess {
  /// Whether something is there; a link counts as what it leads to.
  package static func exists(_ path: String) -> Bool {
    (try? SystemDisk().status(of: path, followingLinks: true)) ?? nil != nil
  }

  /// Whether nothing is there, not even a link.
  package static func isFree(_ path: String) -> Bool {
    (try? SystemDisk().status(of: path, followingLinks: false)) ?? nil == nil
  }

  /// Whether a directory is there.
  package static func isDirectory(_ path: String) -> Bool {
    ((try? SystemDisk().status(of: path, followingLinks: true)) ?? nil)?.kind == .directory
  }

  /// The names in a directory, in order; nil if it cannot be read.
  package static func names(in directory: String) -> [String]? { try? SystemDisk().list(directory) }

  /// The size of a regular file in bytes; nil for anything else.
  package static func byteCount(of path: String) -> Int? {
    let disk = SystemDisk()
    guard let file = try? disk.open(path, writable: false) else { return nil }
    return (try? disk.byteCount(of: file)).map { Int($0) }
  }

  /// Opens a file of any kind for reading, such as a pipe. The caller closes the descriptor.
  /// - Parameter byteCount: the size of a regular file, nil for others.
  /// - Throws: `system`.
  package static func open(_ path: String) throws(KithError) -> (descriptor: Int32, byteCount: Int?) {
    let disk = SystemDisk()
    let descriptor = try disk.openStream(path)
    let file = (try? disk.openRegular(descriptor: descriptor)) ?? nil
    return (descriptor, file.flatMap { try? disk.byteCount(of: $0) }.map { Int($0) })
  }

  /// Removes a file, if there is one that can be removed.
  package static func remove(_ path: String) { try? SystemDisk().remove(path) }

  /// Removes a directory, if it is empty.
  package static func removeDirectory(_ path: String) { try? SystemDisk().removeDirectory(path) }
}
