import Kith

/// A record's number in the log: the first is 1. 0 is the beginning, before all records.
public typealias LogPosition = UInt64

/// A 128-bit number that identifies a log, a session of a replica, or a request. Its text is 32 hexadecimal digits, as
/// a UUID without hyphens.
public struct LogID: Hashable, Sendable, LosslessStringConvertible {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// An id from its halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A new random id.
  public static func random() -> LogID { LogID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) }

  /// An id from its 16 bytes; nil if they are not 16.
  package init?(bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 16 else { return nil }
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// An id from its text: 32 hexadecimal digits; hyphens are ignored. Nil for any other text.
  public init?(_ text: String) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard digits.count == 32, let number = UInt128(String(decoding: digits, as: UTF8.self), radix: 16),
      digits.first != UInt8(ascii: "+")
    else { return nil }
    self.init(number)
  }

  init(_ number: UInt128) { self.init(high: UInt64(number >> 64), low: UInt64(truncatingIfNeeded: number)) }

  var number: UInt128 { UInt128(high) << 64 | UInt128(low) }

  /// The 16 bytes, as in a UUID.
  package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

  /// 32 hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}

/// A number that a caller chooses for one request, at random, to repeat it safely: see `ReplicatedGraph.submit`.
public typealias RequestToken = LogID

/// The id of one run of a replica: its appends are counted in it.
package typealias SessionID = LogID

/// What is the same for all records of a log.
package struct LogIdentity: Hashable, Sendable {
  package let id: LogID
  /// The version of the payloads.
  package let format: Int
  /// The version of the rules by which the requests before the first upgrade are validated.
  package let rules: Int

  package init(id: LogID, format: Int = Self.format, rules: Int = Self.rules) {
    self.id = id
    self.format = format
    self.rules = rules
  }

  /// The newest versions that this release knows.
  package static let format = 1
  package static let rules = 2
}

/// One record: what one replica appended at once.
package struct LogRecord: Hashable, Sendable {
  package let position: LogPosition
  /// The time of its requests; never less than that of the record before.
  package let at: Timestamp
  package let session: SessionID
  /// Its number in the session: 1, 2, 3, …
  package let serial: UInt64
  /// The history up to it: `LogChain.next` of the chain before.
  package let chain: [UInt8]
  package let payload: [UInt8]

  package init(
    position: LogPosition, at: Timestamp, session: SessionID, serial: UInt64, chain: [UInt8], payload: [UInt8]
  ) {
    self.position = position
    self.at = at
    self.session = session
    self.serial = serial
    self.chain = chain
    self.payload = payload
  }

  /// The most bytes of a payload.
  package static let payloadByteLimit = 8 << 20
}

/// What a replica says of itself, about once a second.
package struct ReplicaReport: Hashable, Sendable {
  /// The name of the replica: `ReplicaOptions.name`.
  package var name: String
  package var session: SessionID
  /// The last position that it has applied.
  package var applied: LogPosition
  /// The outcome chain after that position.
  package var outcomeChain: UInt64
  /// The newest rules that it knows.
  package var rules: Int
  /// When the log received it, by the log's clock; ignored in a report that is sent.
  package var seen: Timestamp
  /// The time of the oldest record that it has not applied; 0 for none. The log says so.
  package var behindSince: Timestamp

  package init(
    name: String, session: SessionID, applied: LogPosition, outcomeChain: UInt64, rules: Int = LogIdentity.rules,
    seen: Timestamp = 0, behindSince: Timestamp = 0
  ) {
    self.name = name
    self.session = session
    self.applied = applied
    self.outcomeChain = outcomeChain
    self.rules = rules
    self.seen = seen
    self.behindSince = behindSince
  }
}

extension ReplicaReport {
  /// How long a replica may be away before trimming and an upgrade of the rules no longer wait for it.
  fileprivate static let absenceMilliseconds: Int64 = 86_400_000
  private static let recentMilliseconds: Int64 = 3_000

  /// Whether it was made a moment ago, by the log's clock: the replica runs.
  func isRecent(at clock: Timestamp) -> Bool { clock.rawValue - seen.rawValue <= Self.recentMilliseconds }
}

extension Sequence<ReplicaReport> {
  /// The reports without those of replicas that were not seen for a day, by the clock of the log.
  var live: [ReplicaReport] {
    let newest = map(\.seen.rawValue).max() ?? 0
    return filter { newest - $0.seen.rawValue < ReplicaReport.absenceMilliseconds }
  }
}

/// A snapshot that a replica wrote for others.
package struct LogSnapshot: Hashable, Sendable {
  /// The last record in it.
  package var position: LogPosition
  /// The sequence number of the graph in it.
  package var sequence: UInt64
  /// The chain of that record.
  package var chain: [UInt8]
  package var outcomeChain: UInt64
  /// `GraphState.digest` of the graph in it.
  package var digest: UInt64
  package var byteCount: Int64
  /// The name of its file, after `inLogPrefix` if the log itself holds it.
  package var place: String
  package static let inLogPrefix = "log/"
  /// Whether the log itself holds its bytes, and not a directory.
  package var isInLog: Bool { place.hasPrefix(Self.inLogPrefix) }
  /// The name of its file.
  package var name: String { isInLog ? String(place.dropFirst(Self.inLogPrefix.count)) : place }
  /// The replica that wrote it.
  package var writer: String
  /// The replicas that have read it back, without its writer, ascending.
  package var verifiers: [String]
  /// When the log heard of it, by the log's clock; ignored in one that is stored.
  package var at: Timestamp

  package init(
    position: LogPosition, sequence: UInt64, chain: [UInt8], outcomeChain: UInt64, digest: UInt64, byteCount: Int64,
    place: String, writer: String, verifiers: [String] = [], at: Timestamp = 0
  ) {
    self.position = position
    self.sequence = sequence
    self.chain = chain
    self.outcomeChain = outcomeChain
    self.digest = digest
    self.byteCount = byteCount
    self.place = place
    self.writer = writer
    self.verifiers = verifiers
    self.at = at
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The bytes, the most significant first, as PostgreSQL's `int8send` has them.
  package var bigEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self(Self.bitWidth - 8 - 8 * $0)) }
  }
}

extension Sequence<UInt8> {
  /// Two lower-case digits for each byte.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef")
    return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
