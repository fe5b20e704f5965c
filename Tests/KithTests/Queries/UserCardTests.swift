import Testing

@testable import Kith

/// Users as cards: the fields that depend on the viewer.
@Suite struct UserCardTests {
  private static let userCount = 30_000
  /// Followees of a viewer each: none, few, about as many as are searched one by one, in one run, in some, and in more
  /// than a page has users.
  private static let followeeCounts = [0, 1, 12, 127, 128, 129, 1_000, 1_500, 9_000, 28_000]

  @Test("Cards show whom the viewer follows, by lists of any length", arguments: ListForm.allCases)
  func following(form: ListForm) throws {
    let graph = SocialGraph(options: SocialGraph.Options { $0.compactLists = form == .compact })
    var random = SeededRandom(seed: 20)
    var lists: [(viewer: UserID, followees: Set<UserID>)] = []
    try graph.bulk { batch throws(KithError) in
      for id in 1...Self.userCount {
        _ = try batch.importChange(.addUser(id: UserID(Int64(id)), username: "user\(id)"))
      }
      for (index, count) in Self.followeeCounts.enumerated() {
        let viewer = UserID(Int64(index + 1))
        var followees: Set<UserID> = []
        while followees.count < count {
          let target = UserID(Int64.random(in: 1...Int64(Self.userCount), using: &random))
          if target == viewer || !followees.insert(target).inserted { continue }
          _ = try batch.importChange(.follow(as: viewer, target: target, at: Timestamp(0)))
        }
        lists.append((viewer, followees))
      }
      // Lists of fifty: followers of the last user, likers of a post, followees of the user before.
      let (first, last) = (UserID(Int64(Self.userCount - 1)), UserID(Int64(Self.userCount)))
      _ = try batch.importChange(.addPost(id: 1, by: last, text: "", createdAt: Timestamp(0)))
      for id in 101...150 as ClosedRange<Int64> {
        _ = try batch.importChange(.follow(as: UserID(id), target: last, at: Timestamp(0)))
        _ = try batch.importChange(.follow(as: first, target: UserID(id), at: Timestamp(0)))
        _ = try batch.importChange(.like(as: UserID(id), post: 1, at: Timestamp(0)))
      }
    }
    try graph.read { view in
      for (viewer, followees) in lists {
        let query = ListQuery(limit: 50, viewer: viewer)
        let pages = [
          try view.followers(of: UserID(Int64(Self.userCount)), query), try view.likers(of: 1, query),
          try view.followees(of: UserID(Int64(Self.userCount - 1)), query),
        ]
        for page in pages {
          #expect(page.count == 50)
          for user in page {
            #expect(
              user.isFollowedByViewer == followees.contains(user.id),
              "\(user.id), by \(viewer) with \(followees.count) followees, in a list")
          }
        }
        for pageCount in [1, 2, 7, 8, 9, 20, 1_000] {
          // Followees and others in turns, as far as there are followees.
          let followed = followees.sorted().prefix(pageCount / 2)
          let ids = followed.flatMap { [$0, UserID($0.rawValue % Int64(Self.userCount) + 1)] }
          let more = (ids.count..<max(pageCount, ids.count)).map { _ in
            UserID(Int64.random(in: 1...Int64(Self.userCount), using: &random))
          }
          for user in try view.users(ids + more, as: viewer) {
            let user = try #require(user)
            #expect(
              user.isFollowedByViewer == followees.contains(user.id),
              "\(user.id), by \(viewer) with \(followees.count) followees, \(pageCount) a page")
          }
        }
      }
    }
  }
}
