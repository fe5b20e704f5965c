/// The requests of one record of a replicated graph's log, which are validated when they are applied.
///
/// A record is the format byte 1, then entries. An entry is flags, the 16 bytes of its token and the expected position
/// if there are any, the number of changes of a group, and the changes. A change is a kind, as in a journal, and its
/// fields in the order of `Change`. A mark is its flags alone, and an upgrade the flags and the rules. Numbers are
/// varints of at most 64 bits in the shortest form: an id is zigzag, so that small negative ones
/// are short, and 0 where it is to be assigned; a time is one more than it is, and 0 where it is the record's; the rest
/// is unsigned. A follow takes 4 to 15 bytes.
///
/// The kinds of a journal serve, because neither an id of 0 nor a negative number is ever valid there.
package struct LoggedRequests: Hashable, Sendable {
  /// One request: a change, or changes that are made together or not at all.
  package struct Entry: Hashable, Sendable {
    /// The changes of it, in `changes`.
    package let range: Range<Int>
    /// Whether the ids of what its changes add may be named by references (`Change.reference`).
    package let isGroup: Bool
    /// The position of the newest record that may precede its own; nil for any.
    package let expected: UInt64?
    /// The token of its caller, by which a repetition is recognised; nil for none.
    package let token: UInt128?
    /// Whether it only asks all replicas to compare their states after the record. It has no changes.
    package let isMark: Bool
    /// The rules that begin with its record; nil in a request. It has no changes.
    package let rules: UInt64?
  }

  /// The changes of all entries.
  package private(set) var changes: [Change] = []
  package private(set) var entries: [Entry] = []

  /// The most changes of a record.
  package static let changeLimit = SocialGraph.Limits.batchCount
  /// The most entries of a record: marks have no changes.
  package static let entryLimit = 2 * changeLimit
  /// The first byte of a record.
  package static let format: UInt8 = 1

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let group = Flags(rawValue: 1)
    static let expects = Flags(rawValue: 2)
    static let mark = Flags(rawValue: 4)
    static let token = Flags(rawValue: 8)
    static let rules = Flags(rawValue: 16)
    /// What a request may have.
    static let request: Flags = [.group, .expects, .token]

    var isValid: Bool { self == .mark || self == .rules || isSubset(of: .request) }
  }

  /// The rules from which on requests may have tokens.
  package static let rulesWithTokens: UInt64 = 2

  // MARK: - Writing

  /// The bytes of an entry with one change, or with the changes of a group.
  package static func entry(
    _ changes: [Change], isGroup: Bool = false, expecting position: UInt64? = nil, token: UInt128? = nil
  ) -> [UInt8] {
    precondition(isGroup || changes.count == 1, "only a group has several changes")
    var flags: Flags = isGroup ? .group : []
    if position != nil { flags.insert(.expects) }
    if token != nil { flags.insert(.token) }
    var bytes = [flags.rawValue]
    if let token {
      for shift in stride(from: 0, to: 128, by: 8) { bytes.append(UInt8(truncatingIfNeeded: token >> shift)) }
    }
    if let position { bytes.appendVarint(position) }
    if isGroup { bytes.appendVarint(UInt64(changes.count)) }
    for change in changes { ChangeCoding.log.append(change, to: &bytes) }
    return bytes
  }

  /// The bytes of a mark.
  package static let mark = [Flags.mark.rawValue]

  /// The bytes of an upgrade: new rules begin with its record.
  package static func upgrade(to rules: UInt64) -> [UInt8] {
    var bytes = [Flags.rules.rawValue]
    bytes.appendVarint(rules)
    return bytes
  }

  /// The bytes of one of its entries: the only ones that it can be read from.
  package func bytes(of entry: Entry) -> [UInt8] {
    if entry.isMark { return Self.mark }
    if let rules = entry.rules { return Self.upgrade(to: rules) }
    return Self.entry(
      Array(changes[entry.range]), isGroup: entry.isGroup, expecting: entry.expected, token: entry.token)
  }

  // MARK: - Reading

  /// No requests: what a record has that is passed over.
  package init() {}

  /// Whether the replicas are to compare their states after the record.
  package var hasMark: Bool { entries.contains { $0.isMark } }

  /// The rules that begin with the record; nil for those of the record before.
  package var rules: UInt64? { entries.compactMap(\.rules).max() }

  /// The oldest rules that allow what it holds.
  package var neededRules: UInt64 { entries.contains { $0.token != nil } ? Self.rulesWithTokens : 1 }

  /// Reads a record.
  /// - Parameter name: names it in errors.
  /// - Throws: `unsupportedVersion`, `corrupt`.
  package init(decoding payload: [UInt8], named name: String) throws(KithError) {
    var reader = ByteReader(payload, file: name)
    let format = try reader.readUInt8()
    guard format == Self.format else {
      throw .unsupportedVersion(found: "\(format) of \(name)", readable: "\(Self.format)")
    }
    // A change has three bytes or more, so the record bounds what is reserved.
    changes.reserveCapacity(min(Self.changeLimit, payload.count / 3))
    entries.reserveCapacity(min(Self.changeLimit, payload.count / 3))
    while reader.remaining > 0 { try readEntry(&reader) }
  }

  private mutating func readEntry(_ reader: inout ByteReader) throws(KithError) {
    let start = reader.position
    guard entries.count < Self.entryLimit else {
      throw reader.corrupt("more than \(Self.entryLimit) entries", at: start)
    }
    let flags = Flags(rawValue: try reader.readUInt8())
    guard flags.isValid else { throw reader.corrupt("unknown flags \(flags.rawValue)", at: start) }
    let rules = flags == .rules ? try reader.readVarint() : nil
    let token = flags.contains(.token) ? try Self.token(&reader) : nil
    let expected = flags.contains(.expects) ? try reader.readVarint() : nil
    let count: UInt64 =
      switch flags {
      case .mark, .rules: 0
      default: flags.contains(.group) ? try reader.readVarint() : 1
      }
    guard count <= UInt64(Self.changeLimit - changes.count) else {
      throw reader.corrupt("more than \(Self.changeLimit) changes", at: start)
    }
    let first = changes.count
    for _ in 0..<count { changes.append(try ChangeCoding.log.read(&reader)) }
    entries.append(
      Entry(
        range: first..<changes.count, isGroup: flags.contains(.group), expected: expected, token: token,
        isMark: flags == .mark, rules: rules))
  }

  private static func token(_ reader: inout ByteReader) throws(KithError) -> UInt128 {
    let (low, high) = (try reader.readUInt64(), try reader.readUInt64())
    return UInt128(high) << 64 | UInt128(low)
  }
}
