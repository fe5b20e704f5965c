/// The names of files in a store directory. Numbers are decimal with 20 digits, the length of the largest `UInt64`, so
/// that names sort like numbers.
enum StoreNames {
  static let lock = "LOCK"
  static let watermark = "ACK"
  static let temporarySuffix = ".tmp"

  static func journal(generation: UInt64) -> String {
    "wal-" + digits(generation)
  }

  /// The generation in a journal's name; nil for any other name.
  static func generation(ofJournal name: String) -> UInt64? {
    name.hasPrefix("wal-") ? number(name.dropFirst(4)) : nil
  }

  /// Whether this is the name of an unfinished file.
  static func isTemporary(_ name: String) -> Bool {
    name == watermark + temporarySuffix
      || name.hasSuffix(temporarySuffix) && (name.hasPrefix("snap-") || name.hasPrefix("wal-"))
  }

  /// Whether this is a name that operating systems create anywhere, which does not indicate a foreign directory.
  static func isTolerated(_ name: String) -> Bool {
    name == "lost+found" || name == ".DS_Store" || name.hasPrefix(".nfs")
  }

  static func digits(_ number: UInt64) -> String {
    let text = String(number)
    return String(repeating: "0", count: digitCount - text.utf8.count) + text
  }

  /// Nil unless these are exactly the digits of a number in range.
  static func number(_ digits: Substring) -> UInt64? {
    guard isNumber(digits), let number = UInt64(digits), number <= JournalFormat.numberLimit else { return nil }
    return number
  }

  private static func isNumber(_ digits: Substring) -> Bool {
    digits.utf8.count == digitCount && digits.utf8.allSatisfy { 0x30 <= $0 && $0 <= 0x39 }
  }

  /// Whether the name would be that of a journal or a snapshot if its numbers were in range.
  static func isBeyondLimit(_ name: String) -> Bool {
    if name.hasPrefix("wal-") { return isNumber(name.dropFirst(4)) && generation(ofJournal: name) == nil }
    guard let digits = SnapshotName.digits(in: name) else { return false }
    return digits.allSatisfy(isNumber) && SnapshotName(name) == nil
  }

  private static let digitCount = 20
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
  /// The path of a name inside the directory at this path.
  func appendingPathComponent(_ name: String) -> String {
    hasSuffix("/") ? self + name : self + "/" + name
  }

  /// The path of the directory that contains this path.
  var parentPath: String {
    var path = Substring(self)
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
