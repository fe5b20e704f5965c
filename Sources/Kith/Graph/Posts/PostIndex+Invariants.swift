extension PostIndex {
  func checkInvariants(_ posts: borrowing PostTable, _ control: PassControl) -> [String] {
    var problems: [String] = []
    let parts = (segments.map(\.segment.rows) + memtables.map(\.rows)).sorted { $0.lowerBound < $1.lowerBound }
    for (rows, next) in zip(parts, parts.dropFirst()) where rows.upperBound > next.lowerBound {
      problems.append("post index: row \(next.lowerBound) is in two parts")
    }
    if let last = parts.last, last.upperBound > posts.rowCount { problems.append("post index: rows beyond the last") }
    if isWhole != (kind != .off && firstGap(below: UInt32(posts.rowCount), besides: []) == nil) {
      problems.append("post index: whether it is whole is noted wrongly")
    }
    for entry in segments {
      problems += entry.segment.checkInvariants(posts, control)
      let removed = entry.segment.order.reduce(0) { $0 + (posts.isLive($1) ? 0 : 1) }
      if removed < entry.removedCount { problems.append("post index: \(entry.removedCount) removed of \(removed)") }
    }
    return problems
  }
}

extension PostIndex {
  /// Whether the memtables have the signatures of their authors' names.
  func checkSignatures(_ authors: borrowing Column<UInt32>, _ digests: borrowing NameDigests) -> [String] {
    var problems: [String] = []
    for memtable in memtables {
      for row in memtable.rows where authors[row] != Self.noAuthor {
        if memtable.signature(of: row) == digests.signature(authors[row]) { continue }
        problems.append("post index: the signature of row \(row) is another name's")
      }
    }
    return problems
  }
}

extension PostSegment {
  func checkInvariants(_ posts: borrowing PostTable, _ control: PassControl) -> [String] {
    let name = "post index, rows from \(rows.lowerBound)"
    var problems = words.checkInvariants(name)
    if words.documentCount != order.count { problems.append("\(name): words of \(words.documentCount) documents") }
    var previous: PostKey?
    var live = 0
    for (document, row) in order.enumerated() where rows.contains(row) && posts.isLive(row) {
      live += 1
      if !control.visit() { return problems }
      let key = posts.key(row)
      if let previous, previous <= key { problems.append("\(name): row \(row) is out of order") }
      previous = key
      if self.document(of: row, posts) != document { problems.append("\(name): row \(row) leads elsewhere") }
    }
    let expected = rows.reduce(0) { $0 + (posts.isLive($1) ? 1 : 0) }
    if live != expected { problems.append("\(name): \(live) posts of \(expected)") }
    return problems
  }
}
