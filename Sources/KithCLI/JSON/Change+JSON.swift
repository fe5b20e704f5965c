import Kith

extension Change {
  /// The request of `kith query` that makes this change, and its number.
  func write(to writer: inout JSONWriter, sequence: UInt64) {
    writer.member("sequence", sequence)
    write(to: &writer)
  }
}
