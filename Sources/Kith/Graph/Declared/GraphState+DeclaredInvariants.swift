/// The rules of declared relations, for the check of all invariants.
extension GraphState {
  /// Checks that no edge of a declared relation involves a removed row, leads from a node to itself, crosses a block
  /// that it must not, lacks the edge that it ends with, or is there beside one that keeps it from being added.
  func checkDeclaredEdges(_ control: PassControl) -> [String] {
    var problems: [String] = []
    for use in declared.uses {
      let (facts, rules) = (relations[use.kind], relations.rules(of: use.kind))
      for source in 0..<UInt32(rowCount(of: use.source)) {
        if !control.visit(rows: declared[use.kind].forward.count(of: Int(source))) { return problems }
        declared[use.kind].forEachTarget(of: source) { target, timestamp in
          func add(_ problem: String) { problems.append("\(facts.name): \(source) to \(target) \(problem)") }
          if !isLive(source, use.source) || !isLive(target, use.target) { return add("joins what was removed") }
          if use.source == use.target && source == target { add("leads to itself") }
          if use.source == .user, facts.isEndedBy.contains(Relation.block.name), isBlocked(source, target) {
            add("crosses a block")
          }
          if facts.isThread && !(declared.hasThreads && declared.threads.parent(of: source) == target) {
            add("is no reply")
          }
          if !facts.hasTime && timestamp != UInt32(clamping: posts.time(source) / 1_000) { add("has another time") }
          if let base = rules.base, !hasEdge(base, source, target) { add("lacks \(relations[base].name)") }
          for barring in rules.barring where hasEdge(barring, source, target) {
            add("is beside \(relations[barring].name)")
          }
        }
      }
    }
    return problems
  }

  private func isLive(_ row: UInt32, _ end: Relation.End) -> Bool {
    switch end {
    case .user: users.isLive(row)
    case .post: posts.isLive(row)
    }
  }
}
