import Kith

/// The hottest operations, each a fixed number of times, for a tool that counts instructions between entry and return
/// of `baseline_counted` (`Scripts/measure gate`): counts do not depend on the load of the machine.
struct CountedWorkload {
  private struct Operation {
    let name: String
    var count = 200
    let body: (Int) throws -> Int
  }

  let network: Network
  let graph: SocialGraph
  let seed: UInt64

  /// Does everything twice, uncounted and counted, and prints a line for each operation: its name, a tab, and how often
  /// it was done while it was counted.
  func run() throws {
    var digest = 0
    for operation in try questions() + changes() {
      for index in 0..<operation.count { digest &+= try operation.body(index) }
      try InstructionCounter.count {
        for index in 0..<operation.count { digest &+= try operation.body(operation.count + index) }
      }
      print("\(operation.name)\t\(operation.count)")
    }
    precondition(digest > 0, "operations answer something")
  }

  private func questions() throws -> [Operation] {
    var operations: [Operation] = []
    var ids: [PostID] = []
    for fanIn in network.fanIns where fanIn.followeeCount <= 1_000 {
      func asking(_ index: Int) -> UserID { Network.userID(fanIn.users.lowerBound + index % fanIn.users.count) }
      operations.append(
        Operation(name: "timeline of \(fanIn.followeeCount)") { index in
          try graph.read { view throws(KithError) in try view.timeline(of: asking(index)).count }
        })
      operations.append(
        Operation(name: "timeline of \(fanIn.followeeCount), ids alone") { index in
          try graph.read { view throws(KithError) in try view.timelineIDs(of: asking(index), into: &ids) }
          return ids.count
        })
    }
    operations.append(
      Operation(name: "isFollowing") { index in
        try graph.read { view throws(KithError) in try view.isFollowing(user(index * 7 + 1), as: user(index)) ? 1 : 0 }
      })
    operations.append(
      Operation(name: "likers") { index in
        try graph.read { view throws(KithError) in try view.likers(of: post(index)).count }
      })
    operations.append(
      Operation(name: "search") { index in
        let query = String(network.names[index * 31 % network.userCount].prefix(3))
        return try graph.read { view throws(KithError) in try view.searchUsers(query).count }
      })
    operations.append(
      Operation(name: "search, prefix") { index in
        let query = String(network.names[index * 31 % network.userCount].prefix(3))
        return try graph.read { view throws(KithError) in
          try view.searchUsers(query, UserQuery(match: .prefix)).count
        }
      })
    let misses = (0..<10).map { "qzx\($0)" }
    operations.append(
      Operation(name: "search, no match") { index in
        try graph.read { view throws(KithError) in try view.searchUsers(misses[index % misses.count]).count } + 1
      })
    let words = words()
    for count in 1...2 {
      let queries = words.map { $0.prefix(count).joined(separator: " ") }
      operations.append(
        Operation(name: count == 1 ? "search of posts" : "search of posts, \(count) words") { index in
          try graph.read { view throws(KithError) in try view.searchPosts(queries[index % queries.count]).count }
        })
    }
    return operations
  }

  /// Of some posts with such words, the words of four letters and more.
  private func words() -> [[String]] {
    (0..<500).map { index in
      network.texts[index * 7_919 % network.texts.count].split(separator: " ").filter { $0.utf8.count >= 4 }
        .map(String.init)
    }.filter { !$0.isEmpty }
  }

  private func changes() -> [Operation] {
    func pair(_ index: Int) -> (UserID, UserID) {
      let one = index * 7 % network.userCount
      return (Network.userID(one), Network.userID((one + 1 + index * 13 % (network.userCount - 1)) % network.userCount))
    }
    return [
      Operation(name: "pin") { _ in graph.pin().view.sequence > 0 ? 1 : 0 },
      Operation(name: "follow") { index in
        let (user, target) = pair(index)
        return try graph.follow(target, as: user, at: Timestamp(Network.edgeTime + 1_000)) ? 1 : 0
      },
      Operation(name: "unfollow") { index in
        let (user, target) = pair(index)
        return try graph.unfollow(target, as: user) ? 1 : 0
      },
      Operation(name: "like") { index in
        try graph.like(post(index), as: user(index), at: Timestamp(Network.edgeTime + 1_000)) ? 1 : 0
      },
      Operation(name: "unlike") { index in try graph.unlike(post(index), as: user(index)) ? 1 : 0 },
      Operation(name: "post") { index in
        try graph.addPost(network.texts[index], by: user(index), createdAt: Timestamp(Network.edgeTime)).rawValue == 0
          ? 1 : 0
      },
    ]
  }

  private func user(_ index: Int) -> UserID { Network.userID(index * 7_919 % network.userCount) }
  private func post(_ index: Int) -> PostID { Network.postID(index * 7_919 % network.authors.count) }
}
