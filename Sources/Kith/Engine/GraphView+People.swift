/// Many users at once.
extension GraphView {
  /// Users as values, column by column: rows lie anywhere in memory, and so their cache misses overlap.
  func users(_ rows: [UInt32], _ sight: Sight) -> [User] {
    var counts: [(followers: Int, followees: Int, posts: Int)] = []
    counts.reserveCapacity(rows.count)
    for row in rows {
      counts.append(
        (state.follows.sourceCount(row), state.follows.targetCount(row), state.posts.byAuthor.count(of: Int(row))))
    }
    var users: [User] = []
    users.reserveCapacity(rows.count)
    for index in rows.indices {
      let row = rows[index]
      users.append(
        User(
          id: state.userID(row), username: state.users.names.string(Int(row)), followerCount: counts[index].followers,
          followeeCount: counts[index].followees, postCount: counts[index].posts,
          following: sight.viewer.map { state.follows.contains($0, row) }))
    }
    return users
  }
}
