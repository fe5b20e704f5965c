/// The check of all invariants, for tests, `verify` and the command line.
extension GraphState {
  /// How often a check visits each post and each edge.
  private static let (checksPerPost, checksPerEdge) = (3, 3)

  /// Violated invariants, as sentences; empty if there are none. Ends early when cancelled.
  /// - Complexity: O(graph · log longest list).
  func checkInvariants(_ control: PassControl = PassControl()) -> [SocialGraph.Violation] {
    let edgeCount = kinds.reduce(0) { $0 + self[$1].count }
    control.plan(
      rows: users.rowCount * (NameIndex.checksPerName + 1) + posts.rowCount * Self.checksPerPost
        + edgeCount * Self.checksPerEdge)
    var problems: [SocialGraph.Violation] = []
    func add(_ place: String, _ messages: [String]) {
      problems += messages.map { SocialGraph.Violation(code: "invariant", place: place, message: $0) }
    }
    add("users", users.checkInvariants(control))
    add("posts", posts.checkInvariants(control))
    for kind in kinds {
      let name = name(of: kind)
      let relation = relations[kind]
      switch relation.source {
      case .user: add(name, self[kind].checkInvariants(name, order: users.identifiers.ids, control))
      case .post where relation.hasTime:
        add(name, self[kind].checkInvariants(name, order: posts.identifiers.ids, control))
      case .post: add(name, self[kind].checkInvariants(name, order: posts, control))
      }
    }
    if control.isCancelled { return problems }
    add("popularity", popularity.checkInvariants(follows))
    add("cards", checkCards() + posts.index.checkSignatures(posts.authors, users.digests))
    add("rows", checkRowCounts())
    add("edges", checkEdges(control) + checkDeclaredEdges(control))
    if declared.hasThreads { add("threads", declared.threads.checkInvariants(posts)) }
    if let entries = declared.entries { add("entries", entries.value.checkInvariants(self)) }
    if !control.isCancelled { control.finish() }
    return problems
  }

  /// Checks that the cards equal the lists.
  func checkCards() -> [String] {
    var problems: [String] = []
    for row in 0..<UInt32(users.rowCount) where users.isLive(row) {
      let (card, counted) = (users.names.card(row), countedCard(row))
      if card != counted { problems.append("the card of row \(row) is \(card), not \(counted)") }
    }
    return problems
  }

  private func checkRowCounts() -> [String] {
    var problems: [String] = []
    func check(_ name: String, _ listCount: Int, _ rowCount: Int) {
      if listCount != rowCount { problems.append("\(listCount) lists of \(name) for \(rowCount) rows") }
    }
    check("authors", posts.byAuthor.count, users.rowCount)
    for kind in kinds {
      check("\(name(of: kind)) by source", self[kind].forward.count, rowCount(of: relations[kind].source))
      check("\(name(of: kind)) by target", self[kind].backward.count, targetRowCount(of: kind))
    }
    return problems
  }

  /// Checks that no edge involves a removed row or leads from a user to themselves, and that no edge that a block ends
  /// exists across a block.
  private func checkEdges(_ control: PassControl) -> [String] {
    var problems: [String] = []
    for source in 0..<UInt32(users.rowCount) {
      let isLive = users.isLive(source)
      for kind in RelationKind.allCases {
        let (name, facts) = (kind.plural, kind.facts)
        if !control.visit(rows: self[kind].forward.count(of: Int(source))) { return problems }
        self[kind].forEachTarget(of: source) { target, _ in
          let isThere = facts.target == .user ? users.isLive(target) : posts.isLive(target)
          if !isLive || !isThere { problems.append("\(name): \(source) to \(target) joins what was removed") }
          if facts.selfRefusal != nil && source == target { problems.append("\(name): \(source) points at itself") }
          if facts.isEndedByBlock && isBlocked(source, target) {
            problems.append("\(name): \(source) to \(target) crosses a block")
          }
        }
      }
    }
    return problems
  }
}
