import Foundation
import Testing

@testable import Kith

/// Files that systems, editors and backup programs leave in the directory of a store.
@Suite struct StrayFileTests {
  private let directory: TemporaryDirectory
  private var store: String { directory.file("store") }

  private static let journal = "wal-00000000000000000001"
  private static let names = [
    "._" + journal, ".\(journal).swp", ".snap-00000000000000000042-00000000000000000007.kith.zst.Xk3", "\(journal).bak",
    "\(journal) (conflicted copy)", "wal-0001 (conflicted copy)", "\(journal)~", ".gitkeep", ".DS_Store", "@eaDir",
    "Thumbs.db", "notes.txt", "LOC\u{212A}", "LOCK (1)", "ACK.bak", "wal-", "snap-x.tmp", "wal-1.tmp", "snap-.kith.zst",
    String(pathBytes: [0x63, 0xE9]),
  ]

  init() throws {
    directory = try TemporaryDirectory()
    let graph = try SocialGraph.open(store)
    _ = try graph.addUser("ann")
    try graph.snapshot()
    _ = try graph.addUser("bob")
    try graph.close()
  }

  private enum Kind: CaseIterable { case file, directory, link, socket }

  private func leave(_ name: String, _ kind: Kind = .file) throws {
    let path = store.appendingPathComponent(name)
    let disk = SystemDisk()
    switch kind {
    case .file: _ = try disk.create(path)
    case .directory: try disk.makeDirectory(path)
    case .link: #expect(unsafe symlink("nowhere", path.pathBytes.map { CChar(bitPattern: $0) } + [0]) == 0)
    case .socket: #expect(unsafe mkfifo(path.pathBytes.map { CChar(bitPattern: $0) } + [0], 0o600) == 0)
    }
  }

  @Test("Stray files of every kind are passed over and named, and remain", arguments: names)
  func passedOver(_ name: String) throws {
    for kind in Kind.allCases {
      try leave(name, kind)
      #expect(try StoreTools.list(store).strays == [name])
      let verified = try Verification(of: store)
      #expect(verified.problems == [])
      #expect(verified.remarks.contains { $0.hasPrefix(name.shownPath) }, "\(verified.remarks)")
      let graph = try SocialGraph.open(store)
      #expect(graph.read { $0.counts.users } == 2)
      try graph.close()
      #expect(try SystemDisk().list(store).contains { $0.hasSameBytes(as: name) })
      if kind == .directory {
        try SystemDisk().removeDirectory(store.appendingPathComponent(name))
      } else {
        try SystemDisk().remove(store.appendingPathComponent(name))
      }
    }
  }

  @Test("A stray file that appears while the store is open fails neither a snapshot, nor pruning, nor the next start")
  func appearing() throws {
    let graph = try SocialGraph.open(store)
    for (number, name) in Self.names.enumerated() {
      try leave(name)
      _ = try graph.addUser("user \(number)")
      try graph.snapshot()
    }
    #expect(try StoreTools.list(store).snapshots.count == 2, "older ones are pruned")
    try graph.close()
    #expect(try SocialGraph.open(store).read { $0.counts.users } == 2 + Self.names.count)
    #expect(try StoreTools.list(store).strays.count == Self.names.count)
  }

  @Test(
    "A name that is almost a store's own is refused",
    arguments: ["wal-1", "wal-99999999999999999999", "wal-000000000000000000001", "snap-1-1.kith.zst"])
  func almostOwn(_ name: String) throws {
    try leave(name)
    let error = #expect(throws: KithError.self, "\(name) is passed over") { try SocialGraph.open(store) }
    guard case .corrupt(let file, _, _)? = error else {
      Issue.record("\(name): \(String(describing: error))")
      return
    }
    #expect(file.hasSuffix(name))
  }

  @Test("A store's own name that is no regular file is refused", arguments: [Kind.directory, .link, .socket])
  private func wrongKind(_ kind: Kind) throws {
    try leave("wal-00000000000000000009", kind)
    #expect(throws: KithError.self) { try SocialGraph.open(store) }
  }

  @Test("An unfinished file's name that is a directory remains")
  func temporaryDirectory() throws {
    try leave("ACK.tmp", .directory)
    #expect(try SocialGraph.open(store).read { $0.counts.users } == 2)
    #expect(try StoreTools.list(store).strays == ["ACK.tmp"])
  }

  @Test("A directory of hidden files can become a store, one of other data cannot, even with a LOCK")
  func newStores() throws {
    for name in [".gitkeep", ".DS_Store", "@eaDir", "Thumbs.db", "lost+found", "._x"] {
      let path = directory.file("new-" + name)
      try SystemDisk().makeDirectory(path)
      try SystemDisk().makeDirectory(path + "/" + name)
      _ = try StoreTools.restore(from: store, to: path)
      #expect(try SocialGraph.open(path).read { $0.counts.users } == 2)
    }
    for name in ["notes.txt", "data.csv", "CURRENT"] {
      let path = directory.file("other-" + name)
      try SystemDisk().makeDirectory(path)
      _ = try SystemDisk().create(path + "/" + name)
      _ = try SystemDisk().create(path + "/LOCK")
      let reason = "it holds \(name), which no store has"
      #expect(throws: KithError.notAStore(path: path, reason: reason)) { try SocialGraph.open(path) }
      #expect(throws: KithError.self) { try StoreTools.restore(from: store, to: path) }
      #expect(try SystemDisk().list(path) == [name, "LOCK"].sorted())
    }
  }
}
