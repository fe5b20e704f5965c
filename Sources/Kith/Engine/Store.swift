import Synchronization

/// The files of a graph that is open for writing: its directory, its lock, and what the next snapshot is called.
final class Store: Sendable {
  private struct Progress: Sendable {
    var generation: UInt64
    var lock: StoreLock<SystemDisk>?
  }

  private let directory: StoreDirectory<SystemDisk>
  private let storeID: (high: UInt64, low: UInt64)
  private let progress: Mutex<Progress>

  private init(
    directory: StoreDirectory<SystemDisk>, storeID: (high: UInt64, low: UInt64), generation: UInt64,
    lock: StoreLock<SystemDisk>
  ) {
    self.directory = directory
    self.storeID = storeID
    progress = Mutex(Progress(generation: generation, lock: lock))
  }

  /// A graph from its files; without a store when it may only be read.
  struct Opened: ~Copyable {
    var state: GraphState
    var store: Store?
  }

  static func open(_ path: String, access: SocialGraph.Access) throws(KithError) -> Opened {
    let disk = SystemDisk()
    let directory = StoreDirectory(path, disk: disk)
    if let status = try disk.status(of: path, followingLinks: true), status.kind == .file {
      let snapshot = try SnapshotFile.read(path: path, knownSections: GraphSections.known, disk: disk)
      return Opened(state: try state(snapshot.header, snapshot.sections, path), store: nil)
    }
    switch access {
    case .readOnly:
      let found = try newest(directory, try directory.openForReading())
      return Opened(state: found.state, store: nil)
    case .readWrite:
      let (lock, contents) = try directory.openForWriting(creating: true)
      let found = try newest(directory, contents)
      let fresh = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
      let store = Store(
        directory: directory, storeID: found.storeID ?? fresh, generation: contents.nextGeneration, lock: lock)
      return Opened(state: found.state, store: store)
    }
  }

  private struct Found: ~Copyable {
    var state: GraphState
    var storeID: (high: UInt64, low: UInt64)?
  }

  /// The newest state that the files hold: empty only where no snapshot was ever written.
  private static func newest(
    _ directory: StoreDirectory<SystemDisk>, _ contents: StoreDirectory<SystemDisk>.Contents
  ) throws(KithError) -> Found {
    guard let snapshot = try directory.readNewestSnapshot(of: contents, knownSections: GraphSections.known) else {
      return Found(state: GraphState(), storeID: nil)
    }
    do throws(KithError) {
      let path = directory.path(of: snapshot.name)
      return Found(
        state: try state(snapshot.header, snapshot.sections, path), storeID: snapshot.header.storeID)
    } catch {
      throw directory.advised(error, about: snapshot.name)
    }
  }

  static func state(
    _ header: SnapshotHeader, _ sections: [Section], _ path: String
  ) throws(KithError) -> GraphState {
    try GraphSections.state(from: sections, sequence: header.sequence, file: path)
  }

  /// Writes a snapshot of a pinned instant, verifies it, and prunes: the two newest stay.
  func write(_ view: borrowing GraphView) throws(KithError) -> SnapshotInfo {
    let (lock, generation) = try progress.withLock { progress throws(KithError) -> (StoreLock<SystemDisk>, UInt64) in
      guard let lock = progress.lock else { throw .closed }
      defer { progress.generation += 1 }
      return (lock, progress.generation)
    }
    let header = SnapshotHeader(
      storeID: storeID, sequence: view.sequence, generation: generation, writtenAt: Timestamp.now().rawValue,
      unicodeVersion: Folding.unicodeVersion)
    let summary = try directory.writeSnapshot(header, GraphSections.sections(of: view.state), holding: lock)
    let name = SnapshotName(sequence: header.sequence, generation: header.generation)
    try directory.prune(keeping: 2, verified: [name], holding: lock)
    return SnapshotInfo(path: summary.path, sequence: header.sequence)
  }

  /// Gives up the lock.
  func close() { progress.withLock { $0.lock = nil } }
}
