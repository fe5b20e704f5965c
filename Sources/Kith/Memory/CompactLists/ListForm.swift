/// How adjacency lists are stored.
enum ListForm: CaseIterable, Sendable {
  /// As whole words.
  case plain
  /// As elements of as many bits as a block of lists needs (`CompactPage`).
  case compact
}
