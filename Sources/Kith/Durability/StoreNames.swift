/// The names that files have in a store directory. Numbers are decimal and fixed to 20 digits, the length of the
/// greatest `UInt64`, so that names sort as numbers do.
enum StoreNames {
  static let lock = "LOCK"
  static let acknowledgements = "ACK"
  static let temporarySuffix = ".tmp"

  static func journal(generation: UInt64) -> String {
    "wal-" + digits(generation)
  }

  /// The generation that a journal's name tells; nil when it is none.
  static func generation(ofJournal name: String) -> UInt64? {
    name.hasPrefix("wal-") ? number(name.dropFirst(4)) : nil
  }

  /// What a half-written file is called.
  static func isTemporary(_ name: String) -> Bool {
    name == acknowledgements + temporarySuffix
      || name.hasSuffix(temporarySuffix) && (name.hasPrefix("snap-") || name.hasPrefix("wal-"))
  }

  /// Names that systems put where they like, and that say nothing about whose directory it is.
  static func isTolerated(_ name: String) -> Bool {
    name == "lost+found" || name == ".DS_Store" || name.hasPrefix(".nfs")
  }

  static func digits(_ number: UInt64) -> String {
    let text = String(number)
    return String(repeating: "0", count: digitCount - text.utf8.count) + text
  }

  static func number(_ digits: Substring) -> UInt64? {
    guard digits.utf8.count == digitCount, digits.utf8.allSatisfy({ 0x30 <= $0 && $0 <= 0x39 }) else { return nil }
    return UInt64(digits)
  }

  private static let digitCount = 20
}

/// Which snapshot of a store a file holds: `snap-<sequence>-<generation>.kith.zst`. A greater one is newer.
struct SnapshotName: Hashable, Comparable, Sendable, CustomStringConvertible {
  let sequence: UInt64
  let generation: UInt64

  init(sequence: UInt64, generation: UInt64) {
    self.sequence = sequence
    self.generation = generation
  }

  /// Nil when `name` is not exactly what `description` would say.
  init?(_ name: String) {
    guard name.hasPrefix("snap-"), name.hasSuffix(".kith.zst") else { return nil }
    let parts = name.dropFirst(5).dropLast(9).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let sequence = StoreNames.number(parts[0]),
      let generation = StoreNames.number(parts[1])
    else { return nil }
    self.init(sequence: sequence, generation: generation)
  }

  var description: String {
    "snap-\(StoreNames.digits(sequence))-\(StoreNames.digits(generation)).kith.zst"
  }

  static func < (left: SnapshotName, right: SnapshotName) -> Bool {
    (left.sequence, left.generation) < (right.sequence, right.generation)
  }
}

extension String {
  /// A name inside the directory that this path stands for.
  func appendingPathComponent(_ name: String) -> String {
    hasSuffix("/") ? self + name : self + "/" + name
  }

  /// The directory that holds what this path stands for.
  var parentPath: String {
    var path = Substring(self)
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
