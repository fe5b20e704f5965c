import Kith

/// Lists and statistics as text.
extension Reply {
  /// The answer of a list, a search, a timeline or `stats`.
  var text: String {
    switch self {
    case .read(.users(let page)): page.text(ifEmpty: "no users\n")
    case .read(.posts(let page)), .read(.timeline(let page)), .read(.twoHopTimeline(let page)):
      page.isEmpty ? "no posts\n" : page.map(\.lines).joined() + moreText(page.next)
    case .read(.incoming(let page)): page.text
    case .stats(let counts, let memory, let sequence, _):
      """
      \(counts.text)
        sequence \(sequence.map { grouped($0) } ?? "unknown")
        memory \(byteText(memory.byteCount))\(Self.each(memory.byteCount, of: counts.users))
      \(memory.table.text(indentation: 4))
      """
    default: preconditionFailure("this answer has no text")
    }
  }

  private static func each(_ byteCount: Int, of userCount: Int) -> String {
    userCount == 0 ? "" : ", \(grouped(byteCount / userCount)) bytes a user"
  }

  /// Whether it is a list without elements.
  var isEmpty: Bool {
    switch self {
    case .read(.users(let page)): page.isEmpty
    case .read(.posts(let page)), .read(.timeline(let page)), .read(.twoHopTimeline(let page)): page.isEmpty
    case .read(.incoming(let page)): page.isEmpty
    default: false
    }
  }
}

/// The line below a page that says how to get the next one.
func moreText(_ next: Cursor?, _ remark: String = "more") -> String {
  next.map { "  \(remark): --cursor \($0.text)\n" } ?? ""
}

extension Page<User> {
  /// A table; display names where there are any, and the time of the edge in lists that have one.
  func text(ifEmpty remark: String) -> String {
    guard !isEmpty else { return remark }
    let times = compactMap { $0.followedAt ?? $0.likedAt }
    let hasDisplayNames = contains { $0.displayName != nil }
    var table = Table([.right, .left] + (hasDisplayNames ? [.left] : []) + [.right, .right, .whole, .whole])
    table.addHeading(
      cells: ["id", "name"] + (hasDisplayNames ? ["display name"] : []) + ["followers", "posts"]
        + (times.isEmpty ? [] : ["since (UTC)"]))
    for user in self {
      let time = (user.followedAt ?? user.likedAt).map { [timeText($0.rawValue)] } ?? []
      table.add(
        cells: [String(user.id.rawValue), printable(user.username)]
          + (hasDisplayNames ? [printable(user.displayName ?? "")] : [])
          + [grouped(user.followerCount), grouped(user.postCount)] + time
          + (user.isFollowedByViewer == true ? ["followed"] : []))
    }
    return table.text() + moreText(next, total.map { "\(grouped(count)) of \(grouped($0)); more" } ?? "more")
  }
}

extension Page<IncomingEdge> {
  /// A line for each edge: its time, its relation, who it comes from, and the posts at its ends.
  fileprivate var text: String {
    guard !isEmpty else { return "nothing\n" }
    var table = Table([.left, .left, .whole, .left])
    table.addHeading(cells: ["time (UTC)", "relation", "from", "post"])
    for edge in self {
      let name = edge.user?.username ?? edge.post?.author.username ?? ""
      let posts = [edge.post, edge.target].compactMap(\.self).map { "\($0.id.rawValue) \(printable($0.text))" }
      table.add(
        cells: [
          timeText(edge.addedAt.rawValue), edge.relation.name, printable(name), posts.joined(separator: " → "),
        ])
    }
    return table.text() + moreText(next)
  }
}

extension Post {
  /// The post as text: author, time, likes; below it the text.
  var lines: String {
    let likes = likeCount == 0 ? "" : "  \(counted(likeCount, "like"))"
    let own = isLikedByViewer == true ? ", one by the viewer" : ""
    let access = audience == .everyone ? "" : "  (\(audience.rawValue))"
    let above = repost.map { "\(timeText($0.at.rawValue))  reposted by \(printable($0.username))\n" } ?? ""
    return above + """
      \(timeText(createdAt.rawValue))  \(printable(author.username))  (post \(id.rawValue))\(access)\(likes)\(own)
        \(wrappedText)

      """
  }

  /// The text, on a terminal wrapped to its width.
  private var wrappedText: String {
    guard let width = ByteStream.output.columnCount else { return printable(text) }
    return wrapped(printable(text).split(separator: " ", omittingEmptySubsequences: false), to: width - 2)
      .replacing("\n", with: "\n  ")
  }
}

extension MemoryReport {
  /// The structures with their sizes and shares, the largest first.
  var table: Table {
    var table = Table([.left, .right, .right])
    for entry in entries.sorted(by: { $0.byteCount > $1.byteCount }) where entry.byteCount > 0 {
      let share = Double(entry.byteCount) * 100 / Double(max(1, byteCount))
      table.add(entry.words, byteText(entry.byteCount), "\(decimal(share)) %")
    }
    return table
  }
}

extension MemoryReport.Entry {
  /// `usernameSearch` as `username search`.
  var words: String {
    name.reduce(into: "") { words, letter in words += letter.isUppercase ? " \(letter.lowercased())" : "\(letter)" }
      .replacing(" i ds", with: " ids")
  }
}
