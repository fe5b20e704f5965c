import Kith
import KithReplication

/// What a session answers about its replica.
enum ReplicaAnswer: Sendable {
  /// Up to where the log is applied, or is in a snapshot.
  case position(UInt64)
  case digest(position: UInt64, digest: UInt64)
  case outcome(CommittedBatch?)
  case status(ReplicaStatus)

  func write(to writer: inout JSONWriter) {
    switch self {
    case .position(let position): writer.member("position", position)
    case .digest(let position, let digest):
      writer.member("position", position)
      writer.member("digest", digest.hexadecimal)
    case .outcome(let outcome):
      writer.member("known", outcome != nil)
      if let outcome { writer.member("position", outcome.position) }
    case .status(let status): status.write(to: &writer)
    }
  }
}

extension ReplicaStatus {
  func write(to writer: inout JSONWriter) {
    writer.member("position", position)
    writer.member("newest", newestPosition)
    writer.member("connected", isConnected)
    if let server { writer.member("server", server) }
    writer.member("waiting", waitingRequestCount)
    if let snapshotPosition { writer.member("snapshot", snapshotPosition) }
    if let failure { writer.member("failure", failure) }
    writer.objects("troubles", troubles) { $1.write(to: &$0) }
  }
}

extension UInt64 {
  /// 16 digits: JSON has no number of 64 bits that all readers keep.
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
