/// Where in a log of changes a graph is: which records it holds, and with which outcomes.
package struct LogPlace: Hashable, Sendable {
  /// The id of the log.
  package var log: StoreID
  /// The last record applied; 0 for none.
  package var position: UInt64
  /// The chain of that record, `chainByteCount` bytes; of the log's beginning for position 0.
  package var chain: [UInt8]
  /// A hash over the outcomes of all requests up to it: see `OutcomeChain`.
  package var outcomeChain: UInt64
  /// The version of the rules by which requests are validated.
  package var rules: UInt64

  package static let chainByteCount = 32
  /// The bytes of an encoded place.
  static let byteCount = 16 + 8 + chainByteCount + 8 + 8

  package init(log: StoreID, position: UInt64, chain: [UInt8], outcomeChain: UInt64, rules: UInt64) {
    precondition(chain.count == Self.chainByteCount, "a chain has \(Self.chainByteCount) bytes")
    self.log = log
    self.position = position
    self.chain = chain
    self.outcomeChain = outcomeChain
    self.rules = rules
  }

  func append(to writer: inout ByteWriter) {
    log.append(to: &writer)
    writer.append(position)
    writer.append(chain)
    writer.append(outcomeChain)
    writer.append(rules)
  }

  /// Reads a place; nil if its log is 0, as in a snapshot of a graph that follows none.
  static func read(_ reader: inout ByteReader) throws(KithError) -> LogPlace? {
    let log = try StoreID(reading: &reader)
    let position = try reader.readNumber("the position in the log")
    let chain = try reader.readBytes(chainByteCount)
    let (outcomeChain, rules) = (try reader.readUInt64(), try reader.readUInt64())
    guard log != StoreID(high: 0, low: 0) else { return nil }
    return LogPlace(log: log, position: position, chain: chain, outcomeChain: outcomeChain, rules: rules)
  }
}

/// A hash over the outcomes of requests, in order. Replicas with equal chains have decided alike.
///
/// Which error a request was refused with is not part of it: the order of checks may change.
package enum OutcomeChain {
  private static let refused = UInt64.max

  static func begin(_ position: UInt64, after chain: UInt64) -> UInt64 { XXH64.hash(position, seed: chain) }

  @inline(__always)
  static func refuse(after chain: UInt64) -> UInt64 { XXH64.hash(refused, seed: chain) }

  @inline(__always)
  static func accept(_ result: ChangeResult, after chain: UInt64) -> UInt64 {
    let id = result.user?.rawValue ?? result.post?.rawValue ?? 0
    let number = result.sequence &<< 1 | (result.didChange ? 1 : 0)
    return XXH64.hash(number, seed: chain &+ UInt64(bitPattern: id))
  }
}
