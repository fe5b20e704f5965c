@testable import Kith

/// What must hold of every graph from untrusted bytes.
enum RoundTrip {
  /// It is valid, and the same after writing and reading; returns a hash of it, equal for equal graphs.
  @discardableResult
  static func check(_ state: borrowing GraphState) -> UInt64 {
    let problems = state.checkInvariants()
    require(problems.isEmpty, "a graph that was read is not sound: \(problems)")
    let sections = GraphSections.sections(of: state)
    let sequence = state.sequence
    let again = succeeds("sections that were written are read") { () throws(KithError) in
      try GraphSections.state(from: sections, sequence: sequence, file: "again")
    }
    let problemsAgain = again.checkInvariants()
    require(problemsAgain.isEmpty, "a graph that was written and read is not sound: \(problemsAgain)")
    let digest = digest(of: sections)
    require(digest == Self.digest(of: GraphSections.sections(of: again)), "a graph comes back as another")
    return digest
  }

  static func digest(of state: borrowing GraphState) -> UInt64 { digest(of: GraphSections.sections(of: state)) }

  private static func digest(of sections: [Section]) -> UInt64 {
    var hash = XXH64()
    for section in sections {
      var writer = ByteWriter()
      writer.append(section.id.rawValue)
      writer.append(section.elementCount)
      hash.update(writer.bytes.span)
      hash.update(section.content.span)
    }
    return hash.finalize()
  }
}
