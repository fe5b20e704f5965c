import Synchronization

@testable import Kith

/// Files in memory, so that tens of thousands of damaged ones can be read quickly.
final class MemoryDisk: Disk {
  /// The only directory.
  static let directory = "/store"

  struct File: Sendable {
    fileprivate let inode: Int
    let path: String
  }

  private struct State {
    var names: [String: Int] = [:]
    var content: [[UInt8]] = []
  }

  private let state: Mutex<State>

  init() {
    state = Mutex(State())
  }

  /// A disk with the same files.
  init(copying other: MemoryDisk) {
    state = Mutex(other.state.withLock { $0 })
  }

  /// The content of a file, nil if it does not exist; setting nil removes it.
  subscript(path: String) -> [UInt8]? {
    get { state.withLock { state in state.names[path].map { state.content[$0] } } }
    set {
      state.withLock { state in
        guard let newValue else { return state.names[path] = nil }
        if let inode = state.names[path] { return state.content[inode] = newValue }
        state.names[path] = state.content.count
        state.content.append(newValue)
      }
    }
  }

  /// All files by path.
  var files: [String: [UInt8]] { state.withLock { state in state.names.mapValues { state.content[$0] } } }

  var paths: [String] { state.withLock { $0.names.keys.sorted() } }

  func create(_ path: String) throws(KithError) -> File {
    if self[path] != nil { throw .system(errno: SystemError.fileExists, call: "open", path: path) }
    self[path] = []
    return try open(path, writable: true)
  }

  func open(_ path: String, writable: Bool) throws(KithError) -> File {
    guard let inode = state.withLock({ $0.names[path] }) else {
      throw .system(errno: SystemError.noSuchFile, call: "open", path: path)
    }
    return File(inode: inode, path: path)
  }

  func byteCount(of file: File) -> Int64 { Int64(state.withLock { $0.content[file.inode].count }) }

  func read(_ file: File, at offset: Int64, into buffer: inout MutableSpan<UInt8>) -> Int {
    let bytes = state.withLock { $0.content[file.inode].dropFirst(Int(offset)).prefix(buffer.count) }
    // Unsafe, here and below: the bytes are copied within the call.
    return unsafe buffer.withUnsafeMutableBytes { buffer in
      unsafe buffer.copyBytes(from: bytes)
      return bytes.count
    }
  }

  func write(_ file: File, at offset: Int64, _ bytes: Span<UInt8>) {
    let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    state.withLock { state in
      let end = Int(offset) + copy.count
      let missing = end - state.content[file.inode].count
      if missing > 0 { state.content[file.inode] += [UInt8](repeating: 0, count: missing) }
      state.content[file.inode].replaceSubrange(Int(offset)..<end, with: copy)
    }
  }

  func truncate(_ file: File, to byteCount: Int64) {
    state.withLock { state in
      let bytes = state.content[file.inode]
      state.content[file.inode] =
        bytes.prefix(Int(byteCount)) + [UInt8](repeating: 0, count: max(0, Int(byteCount) - bytes.count))
    }
  }

  func status(of path: String, followingLinks: Bool) -> FileStatus? {
    if path == Self.directory { return FileStatus(kind: .directory, device: 0, inode: 0) }
    return state.withLock { $0.names[path] }.map {
      FileStatus(kind: .file, device: UInt64(UInt(bitPattern: ObjectIdentifier(self).hashValue)), inode: UInt64($0 + 1))
    }
  }

  func status(of file: File) throws(KithError) -> FileStatus {
    guard let status = status(of: file.path, followingLinks: false) else {
      throw .system(errno: SystemError.noSuchFile, call: "fstat", path: file.path)
    }
    return status
  }

  func rename(_ path: String, to newPath: String) throws(KithError) {
    let inode = try open(path, writable: true).inode
    state.withLock { state in
      state.names[path] = nil
      state.names[newPath] = inode
    }
  }

  func remove(_ path: String) throws(KithError) {
    _ = try open(path, writable: true)
    self[path] = nil
  }

  func list(_ path: String) -> [String] {
    paths.filter { $0.hasPrefix(path + "/") }.map { String($0.dropFirst(path.utf8.count + 1)) }
  }

  func sync(_ file: File) {}
  func dropCache(_ file: File) {}
  func tryLock(_ file: File) -> Bool { true }
  func makeDirectory(_ path: String) {}
  func syncDirectory(_ path: String) {}
  var processID: Int32 { 1 }
}
