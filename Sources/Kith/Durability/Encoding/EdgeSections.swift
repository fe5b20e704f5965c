extension RelationKind {
  /// The sections of a snapshot that hold its edges (`GraphSections`).
  var sections: EdgeSections {
    EdgeSections(
      prefix: facts.sectionPrefix, hasTime: facts.hasTime, mayBeMissing: facts.sectionsMayBeMissing)
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

  /// - Parameter prefix: the first two letters of each.
  init(prefix: String, hasTime: Bool, mayBeMissing: Bool = false) {
    degrees = SectionID(prefix + "DE")
    targets = SectionID(prefix + "TA")
    seconds = hasTime ? SectionID(prefix + "SE") : nil
    self.mayBeMissing = mayBeMissing
  }

  /// Those of a relation that a host declared, by its number. They are there if it has edges.
  init(ofDeclared number: Int) {
    let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    self.init(prefix: "R\(digits[number - Relation.builtIn.count])", hasTime: true, mayBeMissing: true)
  }

  var all: [SectionID] { [degrees, targets] + (seconds.map { [$0] } ?? []) }

  /// Whether a snapshot must have these sections.
  func areExpected(in source: some SectionSource) -> Bool { !mayBeMissing || source.has(degrees) }
}
