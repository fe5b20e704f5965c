import Kith

/// A comparable digest of a graph: counts, the number of the last change, and a hash over every row of its export.
struct GraphDigest: Equatable {
  let counts: SocialGraph.Counts
  let sequence: UInt64
  let hash: UInt64

  /// - Complexity: O(graph)
  init(_ view: borrowing GraphView) throws(CommandFailure) {
    counts = view.counts
    sequence = view.sequence
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    // FNV-1a: two different exports collide once in 2⁶⁴, which is enough without malicious input.
    func add(_ bytes: [UInt8]) { for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 } }
    for kind in GraphComponent.allCases {
      _ = try RowEncoder.encode(.component(kind), of: view) { (piece) throws(CommandFailure) in add(piece) }
    }
    if let schema = view.schema {
      add(schema.file)
      for relation in view.exportedRelations {
        _ = try RowEncoder.encode(.edges(relation.name), of: view) { (piece) throws(CommandFailure) in add(piece) }
      }
    }
    self.hash = hash
  }

  var hashText: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
