/// What salvaging a damaged store saved, and what is lost.
///
/// What it says holds exactly: the graph is the snapshot without the lost parts, and after it every change up to
/// `sequence` that is in neither of the ranges. The same of an empty graph where there is no snapshot.
package struct SalvageReport: Hashable, Sendable {
  /// A part of the snapshot that could not be read.
  package struct LostPart: Hashable, Sendable {
    package let part: GraphPart
    /// How many users, edges or posts it held; nil when that cannot be told.
    package let count: UInt64?
    /// Which sections are damaged and how.
    package let reason: String
  }

  /// The snapshot that it begins with; nil when it begins with nothing.
  package internal(set) var snapshot: String?
  /// The last change that the snapshot holds.
  package internal(set) var snapshotSequence: UInt64 = 0
  package internal(set) var lostParts: [LostPart] = []
  /// The number of the last change that could be read.
  package internal(set) var sequence: UInt64 = 0
  /// Numbers of changes that could not be read, ascending.
  package internal(set) var lost: [ClosedRange<UInt64>] = []
  /// Numbers of changes that were read and could not be made, or changed nothing, because of what is lost; ascending.
  package internal(set) var refused: [ClosedRange<UInt64>] = []
  /// Why, for the first of them.
  package internal(set) var refusals: [String] = []
  /// What is wrong with the files, each with its place.
  package internal(set) var problems: [Problem] = []
  /// What nobody can tell.
  package internal(set) var doubts: [String] = []

  package static let refusalLimit = 20

  /// Whether nothing is known to be lost.
  package var isWhole: Bool { lostParts.isEmpty && lost.isEmpty && refused.isEmpty }

  /// How many changes the ranges hold.
  package static func count(_ ranges: [ClosedRange<UInt64>]) -> UInt64 {
    ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound + 1 }
  }

  /// Notes what is lost of the snapshot that it begins with, and what its tables no longer vouch for.
  mutating func tell<Storage>(of sections: SoundSections<Storage>) {
    lostParts = sections.lostParts
    guard sections.tableDamage != nil else { return }
    doubts.append(
      "the tables of \(sections.path) cannot be used: each part that was read is sound by itself, but nothing tells "
        + "that all of them are of change \(snapshotSequence)")
  }

  mutating func lose(_ numbers: ClosedRange<UInt64>) { Self.add(numbers, to: &lost) }

  mutating func refuse(_ number: UInt64, _ reason: String) {
    Self.add(number...number, to: &refused)
    if refusals.count < Self.refusalLimit { refusals.append("change \(number): \(reason)") }
  }

  mutating func leaveOut(_ file: String, _ reason: String) {
    problems.append(Problem(code: "corrupt", place: file, message: "\(reason), and is left out"))
  }

  /// Adds a range that comes after all others.
  private static func add(_ range: ClosedRange<UInt64>, to ranges: inout [ClosedRange<UInt64>]) {
    if let last = ranges.last, last.upperBound + 1 == range.lowerBound {
      ranges[ranges.count - 1] = last.lowerBound...range.upperBound
    } else {
      ranges.append(range)
    }
  }
}
