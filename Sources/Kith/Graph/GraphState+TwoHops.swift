/// The authors of a timeline that reaches two hops: a user's followees and theirs, each once.
extension GraphState {
  /// Gives every author to a merge.
  ///
  /// Everybody who is followed is met first, and whoever must not be seen is crossed out; what is left goes to the
  /// merge. All followees of the user are authors; `followees` are those whose own followees are too.
  /// - Complexity: O(followees + their follows + mutes + blocks).
  func pushTwoHops(of user: UInt32, _ followees: Followees, includeSelf: Bool, to merge: inout TimelineMerge) {
    marks.lend(rowCount: users.rowCount) { marks in
      follows.forward.forEachRun(of: Int(user)) { marks.tally($0) }
      tally(followees, marks)
      marks[user] = 0
      marks.crossOut(targetsOf: user, in: mutes)
      marks.crossOut(targetsOf: user, in: blocks)
      marks.crossOut(sourcesOf: user, in: blocks)
      if includeSelf { merge.push(user, posts) }
      marks.drain {
        posts.newest.prefetch(Int($0))
      } _: { author, mark in
        if mark > 0 { merge.push(author, posts) }
      }
    }
  }
}
