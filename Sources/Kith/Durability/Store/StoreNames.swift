/// The names of files in a store directory. Numbers are decimal with 20 digits, the length of the largest `UInt64`, so
/// that names sort like numbers.
enum StoreNames {
  static let lock = "LOCK"
  static let watermark = "ACK"
  static let temporarySuffix = ".tmp"
  /// The file in a directory that is to become a store: it is one from its first snapshot on.
  static let mark = "UNFINISHED"
  /// What the name of such a directory ends with until the mark is in it.
  static let stagingSuffix = ".unfinished"
  /// What the names of files of bulk work begin with: see `ScratchFile`.
  static let scratchPrefix = "snap-scratch-"

  static func journal(generation: UInt64) -> String {
    "wal-" + digits(generation)
  }

  /// The generation in a journal's name; nil for any other name.
  static func generation(ofJournal name: String) -> UInt64? {
    name.hasPrefix("wal-") ? number(name.dropFirst(4)) : nil
  }

  /// Whether this is the name of an unfinished file.
  static func isTemporary(_ name: String) -> Bool {
    if name.hasSameBytes(as: watermark + temporarySuffix) { return true }
    guard name.hasSuffix(temporarySuffix) else { return false }
    let base = name.dropLast(temporarySuffix.utf8.count)
    if base.hasPrefix(scratchPrefix) { return isHexadecimal(base.dropFirst(scratchPrefix.utf8.count)) }
    guard let dot = base.lastIndex(of: ".") else { return false }
    let name = String(base[..<dot])
    return SnapshotName(name) != nil && isTemporary(String(base) + temporarySuffix, of: name)
  }

  /// Whether this is the name of an unfinished snapshot file: its own, and the hash of its header.
  static func isTemporary(_ name: String, of file: String) -> Bool {
    guard name.hasPrefix(file + "."), name.hasSuffix(temporarySuffix) else { return false }
    return isHexadecimal(name.dropFirst(file.count + 1).dropLast(temporarySuffix.count))
  }

  private static func isHexadecimal(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 0x30 <= $0 && $0 <= 0x39 || 0x61 <= $0 && $0 <= 0x66 }
  }

  /// Whether a name may be in a directory that is to become a store: it is hidden, or one that systems and programs
  /// create anywhere. Others belong to data that is no store.
  static func isBystander(_ name: String) -> Bool {
    guard let first = name.utf8.first else { return false }
    // `.gitkeep`, `._wal-…`, `@eaDir`, `#recycle`, `~$notes`, `$RECYCLE.BIN`
    return Array(".@#~$".utf8).contains(first) || bystanders.contains { name.hasSameBytes(as: $0) }
  }

  private static let bystanders = [
    "lost+found", "Thumbs.db", "ehthumbs.db", "desktop.ini", "Desktop.ini", "Icon\r", "System Volume Information",
  ]

  static func digits(_ number: UInt64) -> String {
    let text = String(number)
    return String(repeating: "0", count: digitCount - text.utf8.count) + text
  }

  /// Nil unless these are exactly the digits of a number in range.
  static func number(_ digits: Substring) -> UInt64? {
    guard isNumber(digits), let number = UInt64(digits), number <= JournalFormat.numberLimit else { return nil }
    return number
  }

  private static func isNumber(_ digits: Substring) -> Bool { digits.utf8.count == digitCount && hasOnlyDigits(digits) }

  private static func hasOnlyDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 0x30 <= $0 && $0 <= 0x39 }
  }

  /// Whether the name would be that of a journal or a snapshot if its numbers were in range and had all digits.
  static func isAlmostOwn(_ name: String) -> Bool {
    if name.hasPrefix("wal-") { return hasOnlyDigits(name.dropFirst(4)) && generation(ofJournal: name) == nil }
    guard let digits = SnapshotName.digits(in: name) else { return false }
    return digits.allSatisfy(hasOnlyDigits) && SnapshotName(name) == nil
  }

  static let digitCount = 20
}

/// The name of a snapshot file, `snap-<sequence>-<generation>.kith.zst`. Ascends from older to newer snapshots.
struct SnapshotName: Hashable, Comparable, Sendable, CustomStringConvertible {
  let sequence: UInt64
  let generation: UInt64

  init(sequence: UInt64, generation: UInt64) {
    self.sequence = sequence
    self.generation = generation
  }

  /// Nil unless `name` equals the `description` of the result.
  init?(_ name: String) {
    guard let digits = Self.digits(in: name), let sequence = StoreNames.number(digits[0]),
      let generation = StoreNames.number(digits[1])
    else { return nil }
    self.init(sequence: sequence, generation: generation)
  }

  /// The digits of the two numbers; nil if there are not two.
  fileprivate static func digits(in name: String) -> [Substring]? {
    guard name.hasPrefix("snap-"), name.hasSuffix(".kith.zst") else { return nil }
    let parts = name.dropFirst(5).dropLast(9).split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 ? parts : nil
  }

  var description: String {
    "snap-\(StoreNames.digits(sequence))-\(StoreNames.digits(generation)).kith.zst"
  }

  static func < (left: SnapshotName, right: SnapshotName) -> Bool {
    (left.sequence, left.generation) < (right.sequence, right.generation)
  }
}

extension String {
  /// Whether two names are equal. As strings, names of different bytes can be equal: "K" is also U+212A.
  func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// The path of a name inside the directory at this path.
  func appendingPathComponent(_ name: String) -> String {
    utf8.last == UInt8(ascii: "/") ? self + name : self + "/" + name
  }

  /// The path of the directory that contains this path.
  var parentPath: String {
    let path = withoutTrailingSlashes
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// What follows the last slash; empty if nothing does.
  var lastPathComponent: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
    return String(self[utf8.index(after: slash)...])
  }

  // By bytes, because a combining character after a slash would hide it.

  /// The path without slashes at its end; that of the root is one.
  var withoutTrailingSlashes: String {
    var path = utf8[...]
    while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    return String(Substring(path))
  }
}
