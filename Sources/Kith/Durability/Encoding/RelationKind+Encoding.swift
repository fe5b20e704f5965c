/// The numbers and section names of each relation in files. Never change or reuse one.
extension RelationKind {
  /// The first bytes of the changes that add and remove an edge (`ChangeCoding`).
  var changeNumbers: (add: UInt8, remove: UInt8) {
    switch self {
    case .follow: (4, 5)
    case .like: (8, 9)
    case .block: (10, 11)
    case .mute: (12, 13)
    }
  }

  /// The sections of a snapshot that hold its edges (`GraphSections`).
  var sections: EdgeSections {
    switch self {
    case .follow: EdgeSections(degrees: "FODE", targets: "FOTA", seconds: "FOSE")
    case .like: EdgeSections(degrees: "LIDE", targets: "LITA", seconds: "LISE")
    case .block: EdgeSections(degrees: "BLDE", targets: "BLTA")
    case .mute: EdgeSections(degrees: "MUDE", targets: "MUTA")
    }
  }
}

/// The sections of one relation.
struct EdgeSections {
  /// The number of edges of each source.
  let degrees: SectionID
  let targets: SectionID
  /// Nil if edges have no times.
  let seconds: SectionID?
  /// Whether older snapshots lack these sections. They are then read as no edges.
  let mayBeMissing: Bool

  init(
    degrees: StaticString, targets: StaticString, seconds: StaticString? = nil, mayBeMissing: Bool = false
  ) {
    self.degrees = SectionID(degrees)
    self.targets = SectionID(targets)
    self.seconds = seconds.map { SectionID($0) }
    self.mayBeMissing = mayBeMissing
  }

  var all: [SectionID] { [degrees, targets] + (seconds.map { [$0] } ?? []) }

  /// Whether a snapshot must have these sections.
  func areExpected(in source: some SectionSource) -> Bool { !mayBeMissing || (try? source.find(degrees)) != nil }
}
