/// Hashes the columns that a snapshot would have, and writes none. Equal states have equal digests, and a snapshot has
/// that of its state. So it cannot cover what is derived, which `GraphState.checkDerived` compares beside it.
final class StateDigest: SectionSink {
  private let workers: Int
  private var hash = XXH64()

  private init(sequence: UInt64, workers: Int) {
    self.workers = workers
    add(sequence)
  }

  /// The digest of a state, and of the tokens that a replica keeps with it.
  /// - Complexity: O(graph).
  static func of(
    _ state: borrowing GraphState, _ tokens: LoggedTokens, workers: Int
  ) throws(KithError) -> UInt64 {
    let digest = StateDigest(sequence: state.sequence, workers: workers)
    try GraphSections.write(state, to: digest)
    try tokens.write(to: digest)
    return digest.hash.finalize()
  }

  /// The digest of the state in a snapshot, from its verified tables.
  static func of(_ summary: SnapshotSummary) -> UInt64 {
    let digest = StateDigest(sequence: summary.header.sequence, workers: 1)
    for section in summary.sections { digest.add(section.id, section.elementCount, section.contentHash) }
    return digest.hash.finalize()
  }

  func append(
    _ head: SectionHead, level: Int32, pieceCount: Int, _ piece: @Sendable (Int) -> ColumnPiece
  ) throws(KithError) {
    var content = SectionContent()
    try Parallel.inOrder(pieceCount, workers: workers) { (index) throws(KithError) in
      piece(index)
    } take: { (_, made) throws(KithError) in
      content.add(made)
    }
    add(head.id, head.elementCount, content.finish().hash)
  }

  private func add(_ id: SectionID, _ elementCount: UInt64, _ contentHash: UInt64) {
    for word in [UInt64(id.rawValue), elementCount, contentHash] { add(word) }
  }

  private func add(_ word: UInt64) {
    var writer = ByteWriter(reserving: 8)
    writer.append(word)
    hash.update(writer.bytes.span)
  }
}
