import Kith

/// The chain of a record: a SHA-256 that only one history up to it has.
///
/// In SQL: `sha256(chain || uuid_send(session) || int8send(serial) || int8send(at) || sha256(payload))`. The chain
/// before the first record is `sha256(uuid_send(id))`, of the log's id.
package enum LogChain {
  package static let byteCount = SHA256.byteCount

  /// The chain before the first record.
  package static func beginning(of log: LogID) -> [UInt8] { SHA256.hash(log.bytes) }

  /// The chain of a record that follows one with the chain `previous`.
  /// - Complexity: O(payload).
  package static func next(
    after previous: [UInt8], session: SessionID, serial: UInt64, at: Timestamp, payload: [UInt8]
  ) -> [UInt8] {
    let time = UInt64(bitPattern: at.rawValue)
    return SHA256.hash(
      previous + session.bytes + serial.bigEndianBytes + time.bigEndianBytes + SHA256.hash(payload))
  }
}
