@testable import Kith

/// The content of a simulated disk: for each file and for the names, what the page cache shows, what is on the medium,
/// and what is pending between the two.
///
/// The model is weaker than any known file system. Without a sync:
///
/// - each 512-byte sector of a file is written on its own, in any of the versions it had, or not at all, or as garbage,
///   which also destroys what was synced there before;
/// - the length of a file and the names of a directory are written or not, in any combination.
///
/// Syncing a file does not sync its name.
struct SimulatedVolume {
  static let sectorByteCount = 512

  enum Node: Hashable {
    case file(Int)
    case directory
  }

  private(set) var inodes: [Inode] = []
  /// What a process sees, by path.
  private(set) var names: [String: Node] = ["/": .directory]
  private var durableNames: [String: Node] = ["/": .directory]
  private var pendingNames: [NameChange] = []

  /// A change to a directory that is not on the medium yet.
  private enum NameChange {
    case link(String, Node)
    case unlink(String)
    case rename(String, String, Node)

    var path: String {
      switch self {
      case .link(let path, _), .unlink(let path), .rename(_, let path, _): path
      }
    }
  }

  // MARK: - Names

  func node(at path: String) -> Node? { names[path] }

  func fileNames(in directory: String) -> [String] {
    let prefix = directory.hasSuffix("/") ? directory : directory + "/"
    var found: [String] = []
    for path in names.keys where path.utf8.count > prefix.utf8.count && path.hasPrefix(prefix) {
      let name = path.dropFirst(prefix.count)
      if !name.utf8.contains(0x2F) { found.append(String(name)) }
    }
    return found.sorted()
  }

  mutating func createFile(_ path: String) -> Int {
    inodes.append(Inode())
    link(path, .file(inodes.count - 1))
    return inodes.count - 1
  }

  mutating func makeDirectory(_ path: String) { link(path, .directory) }

  private mutating func link(_ path: String, _ node: Node) {
    names[path] = node
    pendingNames.append(.link(path, node))
  }

  mutating func rename(_ path: String, to newPath: String) {
    guard let node = names.removeValue(forKey: path) else { return }
    names[newPath] = node
    pendingNames.append(.rename(path, newPath, node))
  }

  mutating func remove(_ path: String) {
    names[path] = nil
    pendingNames.append(.unlink(path))
  }

  mutating func syncDirectory(_ path: String) {
    var others: [NameChange] = []
    for change in pendingNames {
      if change.path.parentPath == path { land(change) } else { others.append(change) }
    }
    pendingNames = others
  }

  private mutating func land(_ change: NameChange) {
    switch change {
    case .link(let path, let node): durableNames[path] = node
    case .unlink(let path): durableNames[path] = nil
    case .rename(let path, let newPath, let node):
      durableNames[path] = nil
      durableNames[newPath] = node
    }
  }

  // MARK: - Files

  /// The total size of the files as a process sees them.
  var usedByteCount: Int {
    names.values.reduce(0) { if case .file(let inode) = $1 { $0 + inodes[inode].cache.count } else { $0 } }
  }

  mutating func write(_ inode: Int, at offset: Int, _ bytes: Span<UInt8>) { inodes[inode].write(at: offset, bytes) }
  mutating func truncate(_ inode: Int, to byteCount: Int) { inodes[inode].truncate(to: byteCount) }
  mutating func sync(_ inode: Int) { inodes[inode].sync() }
  mutating func dropCache(_ inode: Int) { inodes[inode].dropCache() }

  /// The state that Linux leaves after a failed sync: some sectors are written, and all are marked clean, so that no
  /// later sync writes them (Rebello et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020).
  mutating func failSync(_ inode: Int, _ random: inout SeededRandom) { inodes[inode].landSome(&random) }

  // MARK: - Crashes

  /// Keeps only the medium, with some of the pending writes.
  mutating func cutPower(_ random: inout SeededRandom) {
    landSomeNames(&random)
    names = durableNames.filter { path, _ in path == "/" || durableNames[path.parentPath] == .directory }
    durableNames = names
    var live = [Bool](repeating: false, count: inodes.count)
    for case .file(let inode) in names.values { live[inode] = true }
    for inode in inodes.indices {
      if live[inode] {
        inodes[inode].cutPower(&random)
      } else {
        inodes[inode] = Inode()
      }
    }
  }

  /// All of them, none, the first few, or any subset.
  private mutating func landSomeNames(_ random: inout SeededRandom) {
    let mode = random.below(4)
    let count = mode == 1 ? random.below(pendingNames.count + 1) : pendingNames.count
    for (index, change) in pendingNames.enumerated() {
      let lands =
        switch mode {
        case 0: false
        case 1: index < count
        case 2: random.below(2) == 0
        default: true
        }
      if lands { land(change) }
    }
    pendingNames = []
  }

  /// Under memory pressure clean pages are dropped, and the next reader gets what is on the medium.
  mutating func evict() {
    for inode in inodes.indices { inodes[inode].dropCache() }
  }

  // MARK: - Damage

  /// Damage to the medium: bytes of a file are replaced wherever they are stored.
  mutating func damage(_ inode: Int, _ body: (inout [UInt8]) -> Void) { inodes[inode].damage(body) }

  /// A file is lost.
  mutating func lose(_ path: String) {
    names[path] = nil
    durableNames[path] = nil
  }
}
