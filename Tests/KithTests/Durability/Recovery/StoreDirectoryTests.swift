import Foundation
import Testing

@testable import Kith

@Suite struct StoreDirectoryTests {
  private let directory: TemporaryDirectory
  private let disk = SystemDisk()
  private let store: StoreDirectory<SystemDisk>

  init() throws {
    directory = try TemporaryDirectory()
    store = StoreDirectory(directory.file("store"), disk: disk)
  }

  @Test("File names survive encoding and sort by number")
  func fileNames() {
    let last = JournalFormat.numberLimit
    let names = [(0, 0), (0, 1), (9, 0), (10, 0), (10, 99), (last, last)].map {
      SnapshotName(sequence: $0, generation: $1)
    }
    #expect(names.map { SnapshotName($0.description) } == names)
    #expect(names.map(\.description).sorted() == names.sorted().map(\.description))
    #expect(names[2].description == "snap-00000000000000000009-00000000000000000000.kith.zst")
    #expect(StoreNames.generation(ofJournal: StoreNames.journal(generation: 12)) == 12)
    for wrong in [
      "snap-9-0.kith.zst", "snap-00000000000000000009-0000000000000000000.kith.zst",
      "snap-00000000000000000009-00000000000000000000.kith.zst ", "snap--.kith.zst", "snap-.kith.zst",
      "snap-99999999999999999999-00000000000000000000.kith.zst",
      "snap-+0000000000000000009-00000000000000000000.kith.zst",
      "snap-00000000000000000009-00000000000000000000-1.kith.zst", "",
    ] { #expect(SnapshotName(wrong) == nil, "\(wrong)") }
    #expect(StoreNames.generation(ofJournal: "wal-1") == nil)
  }

  @Test("A missing store is created only on request, with access for its owner alone")
  func creation() throws {
    #expect(throws: KithError.noStore(path: store.path)) { try store.openForReading() }
    #expect(throws: KithError.noStore(path: store.path)) { try store.openForWriting(creating: false) }
    #expect(try directory.names.isEmpty)
    let opened = try store.openForWriting(creating: true)
    #expect(opened.contents.snapshots.isEmpty)
    #expect(opened.contents.nextGeneration == 1)
    #expect(try permissions("store") == 0o700)
    #expect(try permissions("store/LOCK") == 0o600)
    #expect(try store.openForReading().hasLock)
  }

  @Test("A store gets no file before its directory's name is durable")
  func directoryName() throws {
    let calls = FailingDisk()
    _ = try StoreDirectory(directory.file("first"), disk: calls).openForWriting(creating: true)
    // The first finds out whether directories can be synced at all.
    let beforeFile = try #require(calls.calls.firstIndex(of: "create"))
    let parentSync = try #require(calls.calls[..<beforeFile].lastIndex(of: "syncDirectory"))
    let failing = StoreDirectory(store.path, disk: FailingDisk(failingCall: parentSync))
    #expect(throws: KithError.self) { try failing.openForWriting(creating: true) }
    #expect(try disk.list(store.path) == [])
    let again = FailingDisk()
    _ = try StoreDirectory(store.path, disk: again).openForWriting(creating: true)
    let calledBeforeFile = again.calls.prefix { $0 != "create" }
    #expect(calledBeforeFile.contains("syncDirectory"))
  }

  @Test("An empty directory can become a store, one with other files cannot")
  func emptyDirectory() throws {
    try disk.makeDirectory(store.path)
    try directory.write([], to: "store/notes.txt")
    let refusal = KithError.notAStore(path: store.path, reason: "it holds notes.txt, which no store has")
    #expect(throws: refusal) { try store.openForWriting(creating: true) }
    #expect(throws: refusal) { try store.openForReading() }
    #expect(try disk.list(store.path) == ["notes.txt"], "it is left as it was")
    try disk.remove(store.path + "/notes.txt")
    _ = try store.openForWriting(creating: true)
    #expect(try disk.list(store.path) == ["LOCK"])
    try directory.write([], to: "file")
    #expect(throws: KithError.notAStore(path: directory.file("file"), reason: "it is a regular file, not a directory"))
    {
      try StoreDirectory(directory.file("file"), disk: disk).openForReading()
    }
  }

  @Test("A store can be opened through a link")
  func link() throws {
    try disk.makeDirectory(store.path)
    try FileManager.default.createSymbolicLink(atPath: directory.file("link"), withDestinationPath: store.path)
    let linked = StoreDirectory(directory.file("link"), disk: disk)
    let opened = try linked.openForWriting(creating: true)
    #expect(throws: KithError.storeInUse(by: disk.processID, path: store.path)) {
      try store.openForWriting(creating: true)
    }
    try write(sequence: 1, generation: 1, opened.lock, linked)
  }

  @Test("A second writer in one process is refused until the first has closed")
  func secondWriter() throws {
    do {
      let first = try store.openForWriting(creating: true)
      try first.lock.checkProcess()
      #expect(throws: KithError.storeInUse(by: disk.processID, path: store.path)) {
        try store.openForWriting(creating: true)
      }
      #expect(try String(decoding: directory.read("store/LOCK"), as: UTF8.self) == "\(disk.processID)\n")
    }
    _ = try store.openForWriting(creating: true)
  }

  @Test("The error names another process that holds the lock")
  func lockHolder() throws {
    _ = try store.openForWriting(creating: true)
    try directory.write(Array("4242\n".utf8), to: "store/LOCK")
    // flock locks an open file, not a process: this is equivalent to another process.
    let other = try disk.open(store.path + "/LOCK", writable: true)
    #expect(try disk.tryLock(other))
    for _ in 0..<2 {
      #expect(throws: KithError.storeInUse(by: 4242, path: store.path)) { try store.openForWriting(creating: true) }
    }
    try disk.truncate(other, to: 0)
    #expect(throws: KithError.storeInUse(by: 0, path: store.path)) { try store.openForWriting(creating: true) }
    _ = try store.openForReading()
  }

  @Test("A forked child cannot use its parent's store")
  func forkedChild() throws {
    let disk = FailingDisk()
    let store = StoreDirectory(store.path, disk: disk)
    let parent = disk.processID
    let opened = try store.openForWriting(creating: true)
    disk.processID = parent + 1
    #expect(throws: KithError.storeInUse(by: parent, path: store.path)) { try opened.lock.checkProcess() }
    #expect(throws: KithError.storeInUse(by: parent, path: store.path)) { try store.openForWriting(creating: true) }
    #expect(throws: KithError.storeInUse(by: parent, path: store.path)) {
      try store.writeSnapshot(SnapshotFixture.header, [], holding: opened.lock)
    }
    disk.processID = parent
    try opened.lock.checkProcess()
  }

  @Test("A lock that is a hard link of another file is refused, and neither is changed")
  func lockIsHardLink() throws {
    try disk.makeDirectory(store.path)
    try directory.write(Array("precious".utf8), to: "precious")
    let lockPath = store.path + "/LOCK"
    try FileManager.default.linkItem(atPath: directory.file("precious"), toPath: lockPath)
    let error = #expect(throws: KithError.self) { try store.openForWriting(creating: true) }
    guard case .notAStore(lockPath, let reason)? = error else { return #expect(error?.code == "notAStore") }
    #expect(reason.contains("2 names (hard links)") && reason.contains("remove this name"))
    #expect(try directory.read("precious") == Array("precious".utf8))
    try disk.remove(lockPath)
    _ = try store.openForWriting(creating: true)
    #expect(try directory.read("precious") == Array("precious".utf8))
    #expect(try directory.read("store/LOCK") == Array("\(disk.processID)\n".utf8))
  }

  @Test("A lock that is not a regular file is refused with advice")
  func lockIsNoFile() throws {
    try disk.makeDirectory(store.path)
    let lockPath = store.path + "/LOCK"
    try disk.makeDirectory(lockPath)
    for kind in ["a directory", "a FIFO, socket or device"] {
      let error = #expect(throws: KithError.self) { try store.openForWriting(creating: true) }
      #expect(error?.description.contains("it is \(kind), and must be a regular file") == true)
      try FileManager.default.removeItem(atPath: lockPath)
      #expect(unsafe mkfifo(lockPath, 0o600) == 0)
    }
  }

  @Test("A lock that is replaced between check and open is refused before it is written")
  func replacedLock() throws {
    let (lockPath, precious) = (store.path + "/LOCK", directory.file("precious"))
    let swapping = FailingDisk { if $0 == lockPath { _ = try? SystemDisk().rename(precious, to: lockPath) } }
    try directory.write(Array("precious".utf8), to: "precious")
    let error = #expect(throws: KithError.self) {
      try StoreDirectory(store.path, disk: swapping).openForWriting(creating: true)
    }
    #expect(error?.description.contains("it was replaced while it was opened") == true)
    #expect(try directory.read("store/LOCK") == Array("precious".utf8))
  }

  @Test("A lock that is a symbolic link is refused")
  func lockIsLink() throws {
    try disk.makeDirectory(store.path)
    try directory.write([1], to: "precious")
    try FileManager.default.createSymbolicLink(
      atPath: store.path + "/LOCK", withDestinationPath: directory.file("precious"))
    let error = #expect(throws: KithError.self) { try store.openForWriting(creating: true) }
    #expect(error?.code == "notAStore")
    #expect(try directory.read("precious") == [1])
  }

  @Test("A writer removes temporary files of a crash, a reader changes nothing")
  func temporaryFiles() throws {
    do {
      let opened = try store.openForWriting(creating: true)
      try write(sequence: 1, generation: 1, opened.lock, store)
    }
    try directory.write([1, 2], to: "store/snap-00000000000000000002-00000000000000000002.kith.zst.abc.tmp")
    let before = try disk.list(store.path)
    let contents = try store.openForReading()
    #expect(contents.snapshots.map(\.sequence) == [1])
    #expect(try disk.list(store.path) == before)
    let opened = try store.openForWriting(creating: false)
    #expect(try disk.list(store.path) == before.filter { !$0.hasSuffix(".tmp") })
    #expect(opened.contents.snapshots.map(\.sequence) == [1])
    #expect(opened.contents.nextGeneration == 2)
  }

  @Test("A damaged newest snapshot is refused, and the error names an older valid one")
  func damagedSnapshot() throws {
    let opened = try store.openForWriting(creating: true)
    for number: UInt64 in 1...3 { try write(sequence: number, generation: number, opened.lock, store) }
    let names = try #require(try store.contents()).snapshots
    for damaged in [names[2], names[1]] { try damage(damaged) }
    let contents = try #require(try store.contents())
    #expect(contents.snapshots == names)
    let damage = try #require(throws: KithError.self) { try store.verify(names[2]) }
    let error = store.advised(damage, about: names[2])
    guard case .corrupt(store.path(of: names[2]), _, let reason) = error else { throw error }
    #expect(reason.contains("\(store.path(of: names[0])) can be opened, or restored"))
    #expect(reason.contains("of change 1"))
    try self.damage(names[0])
    let hopeless = store.advised(damage, about: names[2])
    guard case .corrupt(_, _, let reason) = hopeless else { throw hopeless }
    #expect(reason.contains("no older snapshot of this store verifies"))
  }

  @Test("A snapshot under another's name is refused")
  func renamedSnapshot() throws {
    let opened = try store.openForWriting(creating: true)
    try write(sequence: 1, generation: 1, opened.lock, store)
    let name = SnapshotName(sequence: 9, generation: 1)
    try disk.rename(store.path(of: SnapshotName(sequence: 1, generation: 1)), to: store.path(of: name))
    #expect(throws: KithError.self) { try store.verify(name) }
    #expect(throws: KithError.self) { try store.readSnapshot(name).header.sequence }
  }

  @Test("An old snapshot is pruned only when two newer ones verify")
  func pruning() throws {
    let opened = try store.openForWriting(creating: true)
    for number: UInt64 in 1...5 { try write(sequence: number, generation: number, opened.lock, store) }
    let names = try #require(try store.contents()).snapshots
    try damage(names[4])
    try damage(names[3])
    // 5 and 4 are damaged: 3 and 2 are the two that count.
    #expect(try store.prune(holding: opened.lock) == [names[0]])
    #expect(try store.contents()?.snapshots == Array(names[1...]))
    try damage(names[2])
    #expect(try store.prune(holding: opened.lock) == [], "one sound snapshot is not enough to remove anything")
    let verified: Set = [names[4], names[3]]
    #expect(try store.prune(restorable: [], verified: verified, holding: opened.lock) == [names[2], names[1]])
  }

  @Test("Journals and ACK belong to a store, and an unfinished ACK is removed")
  func unfinishedACKFile() throws {
    _ = try store.openForWriting(creating: true)
    for name in ["ACK", "ACK.tmp", "wal-00000000000000000003"] { try directory.write([], to: "store/" + name) }
    let contents = try store.openForReading()
    #expect(contents.hasAcknowledgements)
    #expect(contents.journals == [3])
    #expect(contents.nextGeneration == 4)
    #expect(try store.openForWriting(creating: true).contents.temporaries == [])
    #expect(try disk.list(store.path) == ["ACK", "LOCK", "wal-00000000000000000003"])
  }

  @Test("A path has a parent")
  func parentPath() {
    for (path, parent) in [("a", "."), ("a/b", "a"), ("/a", "/"), ("/a/b/", "/a"), ("/", "/"), ("a//", ".")] {
      #expect(path.parentPath == parent)
    }
    #expect("a/".appendingPathComponent("b") == "a/b")
    #expect("a".appendingPathComponent("b") == "a/b")
  }

  private func write<D: Disk>(
    sequence: UInt64, generation: UInt64, _ lock: StoreLock<D>, _ store: StoreDirectory<D>
  ) throws {
    var header = SnapshotFixture.header
    header.sequence = sequence
    header.generation = generation
    _ = try store.writeSnapshot(header, SnapshotFixture.sections(), holding: lock)
  }

  private func damage(_ name: SnapshotName) throws {
    let path = "store/" + name.description
    var bytes = try directory.read(path)
    bytes[bytes.count / 3] ^= 4
    try directory.write(bytes, to: path)
  }

  private func permissions(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: directory.file(name))[.posixPermissions] as? Int
  }
}
