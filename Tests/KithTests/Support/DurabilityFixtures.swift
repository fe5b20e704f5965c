import Foundation
import Synchronization

@testable import Kith

/// A temporary directory, removed at the end of the test.
final class TemporaryDirectory {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("kith-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String {
    path + "/" + name
  }

  /// A file of these bytes; it replaces one of that name.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    // Not through Data, which syncs: that is too slow for tens of thousands of damaged files.
    let disk = SystemDisk()
    let path = file(name)
    let isThere = try disk.status(of: path, followingLinks: false) != nil
    let file = try isThere ? disk.open(path, writable: true) : disk.create(path)
    try disk.write(file, at: 0, bytes.span)
    if try disk.byteCount(of: file) != bytes.count { try disk.truncate(file, to: Int64(bytes.count)) }
    return path
  }

  func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

/// The real disk, except that one call can fail, that it can store other bytes than were written, and that the process
/// can pretend to be a forked one.
final class FailingDisk: Disk {
  private struct State {
    var calls: [String] = []
    var failingCall = Int.max
    var processID = SystemDisk().processID
  }

  private let disk = SystemDisk()
  private let state = Mutex(State())
  private let damagedOffset: Int64?
  private let beforeOpening: @Sendable (String) -> Void

  /// - Parameters:
  ///   - failingCall: the call that fails with EIO, from 0 on.
  ///   - damagedOffset: a byte of every file in which a bit flips when it is written.
  ///   - beforeOpening: what another process does just before a file is opened.
  init(
    failingCall: Int = .max, damagedOffset: Int64? = nil,
    beforeOpening: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.damagedOffset = damagedOffset
    self.beforeOpening = beforeOpening
    state.withLock { $0.failingCall = failingCall }
  }

  /// The calls made so far.
  var calls: [String] { state.withLock { $0.calls } }

  var processID: Int32 {
    get { state.withLock { $0.processID } }
    set { state.withLock { $0.processID = newValue } }
  }

  private func count(_ call: String, _ path: String = "") throws(KithError) {
    let fails = state.withLock {
      $0.calls.append(call)
      return $0.calls.count - 1 == $0.failingCall
    }
    if fails { throw .system(errno: 5, call: call, path: path) }
  }

  func create(_ path: String) throws(KithError) -> SystemFile {
    try count("create", path)
    return try disk.create(path)
  }

  func open(_ path: String, writable: Bool) throws(KithError) -> SystemFile {
    try count("open", path)
    beforeOpening(path)
    return try disk.open(path, writable: writable)
  }

  func byteCount(of file: SystemFile) throws(KithError) -> Int64 {
    try count("byteCount")
    return try disk.byteCount(of: file)
  }

  func read(_ file: SystemFile, at offset: Int64, into buffer: inout MutableSpan<UInt8>) throws(KithError) -> Int {
    try count("read")
    return try disk.read(file, at: offset, into: &buffer)
  }

  func write(_ file: SystemFile, at offset: Int64, _ bytes: Span<UInt8>) throws(KithError) {
    do throws(KithError) {
      try count("write")
    } catch {
      // A failed write may leave any part behind.
      try disk.write(file, at: offset, bytes.extracting(0..<(bytes.count / 2)))
      throw error
    }
    try disk.write(file, at: offset, bytes)
    if let damagedOffset, offset <= damagedOffset, damagedOffset < offset + Int64(bytes.count) {
      let flipped = [bytes[Int(damagedOffset - offset)] ^ 1]
      try disk.write(file, at: damagedOffset, flipped.span)
    }
  }

  func sync(_ file: SystemFile) throws(KithError) {
    try count("sync")
    try disk.sync(file)
  }

  func dropCache(_ file: SystemFile) {
    disk.dropCache(file)
  }

  func truncate(_ file: SystemFile, to byteCount: Int64) throws(KithError) {
    try count("truncate")
    try disk.truncate(file, to: byteCount)
  }

  func tryLock(_ file: SystemFile) throws(KithError) -> Bool {
    try count("tryLock")
    return try disk.tryLock(file)
  }

  func status(of path: String, followingLinks: Bool) throws(KithError) -> FileStatus? {
    try count("status", path)
    return try disk.status(of: path, followingLinks: followingLinks)
  }

  func status(of file: SystemFile) throws(KithError) -> FileStatus {
    try count("status", file.path)
    return try disk.status(of: file)
  }

  func rename(_ path: String, to newPath: String) throws(KithError) {
    try count("rename", path)
    try disk.rename(path, to: newPath)
  }

  func remove(_ path: String) throws(KithError) {
    try count("remove", path)
    try disk.remove(path)
  }

  func makeDirectory(_ path: String) throws(KithError) {
    try count("makeDirectory", path)
    try disk.makeDirectory(path)
  }

  func syncDirectory(_ path: String) throws(KithError) {
    try count("syncDirectory", path)
    try disk.syncDirectory(path)
  }

  func list(_ path: String) throws(KithError) -> [String] {
    try count("list", path)
    return try disk.list(path)
  }
}
