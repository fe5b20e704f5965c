/// What salvaging a damaged store saved, and what is lost.
///
/// It is exact. The graph is the snapshot (or an empty graph) without the lost components, plus every change up to
/// `sequence` that is in neither of the ranges.
package struct SalvageReport: Hashable, Sendable {
  /// A component of the snapshot that could not be read.
  package struct LostPart: Hashable, Sendable {
    package let part: GraphComponent
    /// The number of its users, edges or posts; nil if unknown.
    package let count: UInt64?
    /// The damaged sections and their damage.
    package let reason: String
  }

  /// A relation that the host declared, whose edges in the snapshot could not be read.
  package struct LostRelation: Hashable, Sendable {
    package let name: String
    package let reason: String
  }

  /// The snapshot of the base state; nil for an empty base state.
  package internal(set) var snapshot: String?
  /// The sequence number of the last change in the snapshot.
  package internal(set) var snapshotSequence: UInt64 = 0
  package internal(set) var lostParts: [LostPart] = []
  package internal(set) var lostRelations: [LostRelation] = []
  /// The sequence number of the last readable change.
  package internal(set) var sequence: UInt64 = 0
  /// The sequence numbers of changes that could not be read, ascending.
  package internal(set) var lost: [ClosedRange<UInt64>] = []
  /// The sequence numbers of changes that were read, but could not be applied or had no effect, because of what is
  /// lost; ascending.
  package internal(set) var refused: [ClosedRange<UInt64>] = []
  /// The reasons for the first of them.
  package internal(set) var rejectedChanges: [String] = []
  /// The damage to the files, each with its place.
  package internal(set) var problems: [SocialGraph.Violation] = []
  /// What cannot be determined.
  package internal(set) var unknowns: [String] = []

  package static let refusalLimit = 20

  /// Whether nothing is known to be lost.
  package var isWhole: Bool { lostParts.isEmpty && lostRelations.isEmpty && lost.isEmpty && refused.isEmpty }

  /// The number of changes in the ranges.
  package static func count(_ ranges: [ClosedRange<UInt64>]) -> UInt64 {
    ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound + 1 }
  }

  /// Records what is lost of the base snapshot, and what its tables no longer verify.
  mutating func notify<Storage>(of sections: IntactSections<Storage>) {
    lostParts = sections.lostParts
    lostRelations = sections.lostRelations
    guard sections.tableDamage != nil else { return }
    unknowns.append(
      "the tables of \(sections.path) cannot be used: each part that was read is sound by itself, but nothing tells "
        + "that all of them are of change \(snapshotSequence)")
  }

  mutating func lose(_ numbers: ClosedRange<UInt64>) { Self.add(numbers, to: &lost) }

  mutating func refuse(_ number: UInt64, _ reason: String) {
    Self.add(number...number, to: &refused)
    if rejectedChanges.count < Self.refusalLimit { rejectedChanges.append("change \(number): \(reason)") }
  }

  mutating func skip(_ file: String, _ reason: String) {
    problems.append(SocialGraph.Violation(code: "corrupt", place: file, message: "\(reason), and is left out"))
  }

  /// Appends a range, which must come after all others.
  private static func add(_ range: ClosedRange<UInt64>, to ranges: inout [ClosedRange<UInt64>]) {
    if let last = ranges.last, last.upperBound + 1 == range.lowerBound {
      ranges[ranges.count - 1] = last.lowerBound...range.upperBound
    } else {
      ranges.append(range)
    }
  }
}
