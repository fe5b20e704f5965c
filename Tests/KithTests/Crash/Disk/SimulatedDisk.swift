import Synchronization

@testable import Kith

/// A disk in memory on which the power can be cut, a process killed and any call fail, in the same way for the same
/// seed.
///
/// Durable code runs on it unchanged. `SimulatedVolume` decides what a crash leaves behind, a `FaultPlan` when
/// something fails. After a crash every call fails until `restart`, so that code which continues can change nothing.
final class SimulatedDisk: Disk {
  static let inputOutputError: Int32 = 5
  static let noSpace: Int32 = 28
  /// The error of every call after a crash; no system uses it.
  static let isDown: Int32 = 9_999

  /// The ways in which a process ends.
  enum End: Sendable, CaseIterable {
    /// The page cache is lost.
    case powerCut
    /// kill -9: the page cache stays.
    case kill
    /// The page cache stays for a while; its clean pages are dropped before the next read.
    case killAndEviction
  }

  private struct State {
    var volume = SimulatedVolume()
    var random: SeededRandom
    var plan = FaultPlan()
    var counter = CallCounter()
    var isDown = false
    var locks: Set<Int> = []
    var boots = 0
  }

  private static let devices = Atomic<UInt64>(1 << 32)

  private let state: Mutex<State>
  private let isTraced: Bool
  // The register of held locks is global: two disks count as two devices.
  private let device = SimulatedDisk.devices.add(1, ordering: .relaxed).newValue
  let processID = SystemDisk().processID

  /// - Parameter isTraced: whether every call is printed.
  init(seed: UInt64, isTraced: Bool = false) {
    state = Mutex(State(random: SeededRandom(seed: seed)))
    self.isTraced = isTraced
  }

  // MARK: - Faults

  /// Sets the faults from here on. Calls are counted from 1 again.
  func plan(_ plan: FaultPlan) {
    state.withLock {
      $0.plan = plan
      $0.counter = CallCounter()
    }
  }

  /// Calls since the plan was made.
  var counter: CallCounter { state.withLock { $0.counter } }

  /// Whether the planned crash has happened.
  var isDown: Bool { state.withLock { $0.isDown } }

  /// Ends the process and starts another without faults, with what is left. All locks are released.
  func restart(after end: End) {
    state.withLock { state in
      switch end {
      case .powerCut: state.volume.cutPower(&state.random)
      case .kill: break
      case .killAndEviction: state.volume.evict()
      }
      state.isDown = false
      state.locks = []
      state.boots += 1
      state.plan = FaultPlan()
      state.counter = CallCounter()
    }
  }

  /// Lends the content of the disk, to check or to damage it.
  func withVolume<R: Sendable>(_ body: (inout SimulatedVolume) throws -> R) rethrows -> R {
    try state.withLock { try body(&$0.volume) }
  }

  /// Decides about one call, and executes it unless it fails. `partly` is what a failed call leaves behind.
  private func call<R: Sendable>(
    _ call: DiskCall, _ path: String, partly: (inout SimulatedVolume, inout SeededRandom) -> Void = { _, _ in },
    _ body: (inout SimulatedVolume) throws(KithError) -> R
  ) throws(KithError) -> R {
    try state.withLock { (state) throws(KithError) -> R in
      if state.isDown { throw .system(errno: Self.isDown, call: call.rawValue, path: path) }
      state.counter.count(call, path)
      let fault = state.plan.fault(at: state.counter, call, &state.random)
      if fault != nil { state.counter.countFault(path) }
      if isTraced { print("    \(state.counter.changeCount) \(call) \(path)", fault.map { "-> \($0)" } ?? "") }
      switch fault {
      case nil: return try body(&state.volume)
      case .crash:
        state.isDown = true
        // Before, in the middle, or after, when the caller does not learn it. A sync that a crash interrupts has not
        // failed: its unwritten sectors stay pending.
        switch state.random.below(3) {
        case 0 where call != .sync: partly(&state.volume, &state.random)
        case 1: _ = try? body(&state.volume)
        default: break
        }
        throw .system(errno: Self.isDown, call: call.rawValue, path: path)
      case .inputOutputError, .shortWrite:
        if fault == .shortWrite || call == .sync { partly(&state.volume, &state.random) }
        throw .system(errno: Self.inputOutputError, call: call.rawValue, path: path)
      case .noSpace:
        partly(&state.volume, &state.random)
        throw .system(errno: Self.noSpace, call: call.rawValue, path: path)
      }
    }
  }

  // MARK: - Files

  func create(_ path: String) throws(KithError) -> SimulatedFile {
    let inode = try call(.create, path) { (volume) throws(KithError) -> Int in
      if volume.node(at: path) != nil {
        throw .system(errno: SystemError.fileExists, call: "open", path: path)
      }
      return volume.createFile(path)
    }
    return SimulatedFile(inode: inode, path: path, isWritable: true, disk: self)
  }

  func open(_ path: String, writable: Bool) throws(KithError) -> SimulatedFile {
    let inode = try call(.open, path) { (volume) throws(KithError) -> Int in
      switch volume.node(at: path) {
      case .file(let inode): return inode
      case .directory: throw .notAStore(path: path, reason: "it is a directory, not a regular file")
      case nil: throw .system(errno: SystemError.noSuchFile, call: "open", path: path)
      }
    }
    return SimulatedFile(inode: inode, path: path, isWritable: writable, disk: self)
  }

  func byteCount(of file: SimulatedFile) throws(KithError) -> Int64 {
    try call(.byteCount, file.path) { Int64($0.inodes[file.inode].cache.count) }
  }

  func read(_ file: SimulatedFile, at offset: Int64, into buffer: inout MutableSpan<UInt8>) throws(KithError) -> Int {
    let bytes = try call(.read, file.path) { $0.inodes[file.inode].cache }
    let start = Swift.min(Int(offset), bytes.count)
    let count = Swift.min(bytes.count - start, buffer.count)
    let source = bytes.span.extracting(start..<(start + count))
    for index in 0..<count { buffer[index] = source[index] }
    return count
  }

  func write(_ file: SimulatedFile, at offset: Int64, _ bytes: Span<UInt8>) throws(KithError) {
    let inode = file.inode
    let start = Int(offset)
    let room = state.withLock { state in
      let end = state.plan.room(for: start + bytes.count, in: inode, of: state.volume)
      if !state.isDown && end < start + bytes.count { state.counter.countFault(file.path) }
      return end - start
    }
    try call(
      .write, file.path,
      partly: { volume, random in
        volume.write(inode, at: start, bytes.extracting(0..<random.below(bytes.count + 1)))
      },
      { (volume) throws(KithError) in
        volume.write(inode, at: start, bytes.extracting(0..<Swift.max(0, Swift.min(bytes.count, room))))
        if room < bytes.count { throw .system(errno: Self.noSpace, call: "write", path: file.path) }
      })
  }

  func sync(_ file: SimulatedFile) throws(KithError) {
    try call(.sync, file.path, partly: { $0.failSync(file.inode, &$1) }, { $0.sync(file.inode) })
  }

  func dropCache(_ file: SimulatedFile) {
    state.withLock { if !$0.isDown { $0.volume.dropCache(file.inode) } }
  }

  func truncate(_ file: SimulatedFile, to byteCount: Int64) throws(KithError) {
    try call(.truncate, file.path) { $0.truncate(file.inode, to: Int(byteCount)) }
  }

  func tryLock(_ file: SimulatedFile) throws(KithError) -> Bool {
    try call(.tryLock, file.path) { _ in }
    return state.withLock { state in
      guard state.locks.insert(file.inode).inserted else { return false }
      file.lock(boot: state.boots)
      return true
    }
  }

  func status(of file: SimulatedFile) throws(KithError) -> FileStatus {
    try call(.status, file.path) { _ in }
    return FileStatus(kind: .file, device: device, inode: UInt64(file.inode))
  }

  /// The file was closed. A lock of an earlier session ended with that session.
  fileprivate func unlock(_ inode: Int, boot: Int) {
    state.withLock { if $0.boots == boot { $0.locks.remove(inode) } }
  }

  // MARK: - Names

  func status(of path: String, followingLinks: Bool) throws(KithError) -> FileStatus? {
    let node = try call(.status, path) { $0.node(at: path) }
    switch node {
    case .file(let inode): return FileStatus(kind: .file, device: device, inode: UInt64(inode))
    case .directory: return FileStatus(kind: .directory, device: device, inode: UInt64.max)
    case nil: return nil
    }
  }

  func rename(_ path: String, to newPath: String) throws(KithError) {
    try call(.rename, path) { (volume) throws(KithError) in
      guard volume.node(at: path) != nil else {
        throw .system(errno: SystemError.noSuchFile, call: "rename", path: path)
      }
      volume.rename(path, to: newPath)
    }
  }

  func remove(_ path: String) throws(KithError) {
    try call(.remove, path) { (volume) throws(KithError) in
      guard volume.node(at: path) != nil else {
        throw .system(errno: SystemError.noSuchFile, call: "unlink", path: path)
      }
      volume.remove(path)
    }
  }

  func makeDirectory(_ path: String) throws(KithError) {
    try call(.makeDirectory, path) { (volume) throws(KithError) in
      if volume.node(at: path) != nil {
        throw .system(errno: SystemError.fileExists, call: "mkdir", path: path)
      }
      volume.makeDirectory(path)
    }
  }

  func syncDirectory(_ path: String) throws(KithError) {
    try call(.syncDirectory, path) { $0.syncDirectory(path) }
  }

  func list(_ path: String) throws(KithError) -> [String] {
    try call(.list, path) { (volume) throws(KithError) -> [String] in
      guard volume.node(at: path) == .directory else {
        throw .system(errno: SystemError.noSuchFile, call: "opendir", path: path)
      }
      return volume.fileNames(in: path)
    }
  }
}

/// An open file of a simulated disk; its lock ends with the last reference, as on a real one.
final class SimulatedFile: Sendable {
  let inode: Int
  let path: String
  let isWritable: Bool
  private let disk: SimulatedDisk
  private let heldSince = Atomic(-1)

  fileprivate init(inode: Int, path: String, isWritable: Bool, disk: SimulatedDisk) {
    self.inode = inode
    self.isWritable = isWritable
    self.path = path
    self.disk = disk
  }

  deinit {
    let boot = heldSince.load(ordering: .relaxed)
    if boot >= 0 { disk.unlock(inode, boot: boot) }
  }

  fileprivate func lock(boot: Int) { heldSince.store(boot, ordering: .relaxed) }
}
