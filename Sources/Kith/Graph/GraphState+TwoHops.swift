/// The authors of a timeline that reaches two hops: a user's followees and theirs, each once.
extension GraphState {
  /// Gives every author to a merge.
  ///
  /// Whoever must not be seen is met first, so that nobody has to be tested for it afterwards. All followees of the
  /// user are authors; `followees` are those whose own followees are too.
  /// - Complexity: O(followees + their follows + mutes + blocks).
  func pushTwoHops(of user: UInt32, _ followees: Followees, includeSelf: Bool, to merge: inout TimelineMerge) {
    marks.lend(rowCount: users.rowCount) { marks in
      let hidden = mutes.targetCount(user) + blocks.targetCount(user) + blocks.sourceCount(user)
      marks.reserve(elementCount: 1 + hidden + follows.targetCount(user) + followees.followCount)
      if marks.meet(user) && includeSelf { merge.push(user, posts) }
      meetTargets(of: user, in: mutes, marks)
      meetTargets(of: user, in: blocks, marks)
      for run in 0..<blocks.backward.runCount(of: Int(user)) {
        let sources = blocks.backward.run(run, of: Int(user))
        for index in sources.indices { _ = marks.meet(sources[index]) }
      }
      pushTargets(of: user, marks, to: &merge)
      for row in followees.rows { pushTargets(of: row, marks, to: &merge) }
      marks.drain { _, _ in }
    }
  }

  private func meetTargets(of user: UInt32, in relation: borrowing Relation, _ marks: RowMarks) {
    for run in 0..<relation.forward.runCount(of: Int(user)) {
      let targets = relation.forward.run(run, of: Int(user))
      for index in targets.indices { _ = marks.meet(Relation.target(targets[index])) }
    }
  }

  @inline(__always)
  private func pushTargets(of user: UInt32, _ marks: RowMarks, to merge: inout TimelineMerge) {
    for run in 0..<follows.forward.runCount(of: Int(user)) {
      let targets = follows.forward.run(run, of: Int(user))
      for index in targets.indices {
        let author = Relation.target(targets[index])
        if marks.meet(author) { merge.push(author, posts) }
      }
    }
  }
}
