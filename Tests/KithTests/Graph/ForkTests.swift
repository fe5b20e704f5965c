import Testing

@testable import Kith

/// Graph states that were pinned and changed independently.
@Suite struct ForkTests {
  /// A state, and the changes that led to it.
  private final class Branch {
    var state: GraphState
    var changes: [Change]

    init(_ state: consuming GraphState, _ changes: [Change]) {
      self.state = state
      self.changes = changes
    }

    func fork() -> Branch { Branch(state.pin(), changes) }

    func change(_ change: Change) {
      if (try? state.apply(change)) == true { changes.append(change) }
    }
  }

  private static func change(_ random: inout SeededRandom, on branch: Branch) -> Change {
    let users = Int64(max(branch.state.users.rowCount, 1))
    let nextUser = UserID(branch.state.users.identifiers.highest + 1)
    let user = UserID(1 + Int64(random.below(Int(users))))
    let other = UserID(1 + Int64(random.below(Int(users))))
    let post = PostID(Int64(1 + random.below(max(branch.state.posts.rowCount, 1))))
    let time = Timestamp(Int64(random.below(9_000)))
    switch random.below(users < 30 ? 12 : 60) {
    case 0..<10: return .addUser(id: nextUser, username: "user \(random.below(1_000_000))")
    case 10: return .renameUser(user, to: "renamed \(random.below(1_000_000))")
    case 11: return .removeUser(user)
    case 12..<30: return .follow(as: user, target: other, at: time)
    case 30..<36: return .unfollow(as: user, target: other)
    case 36..<48:
      let id = PostID(branch.state.posts.identifiers.highest + 1)
      return .addPost(id: id, by: user, text: "post \(random.below(1_000_000)) of some length", createdAt: time)
    case 48..<55: return .like(as: user, post: post, at: time)
    case 55: return .removePost(post)
    default: return .unlike(as: user, post: post)
    }
  }

  @Test("Pins of pins diverge independently", arguments: 1...4 as ClosedRange<UInt64>)
  func forksOfForks(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var branches = [Branch(GraphState(), [])]
    for step in 0..<3_000 {
      let branch = branches[random.below(branches.count)]
      if random.below(60) == 0 {
        if branches.count == 4 { branches.remove(at: random.below(4)) }
        branches.append(branch.fork())
      }
      branch.change(Self.change(&random, on: branch))
      if step % 1_000 != 999 { continue }
      for branch in branches {
        var alone = GraphState()
        for change in branch.changes { _ = try alone.apply(change) }
        #expect(GraphDigest.of(branch.state) == GraphDigest.of(alone), "seed \(seed), step \(step)")
        #expect(branch.state.checkInvariants() == [], "seed \(seed), step \(step)")
      }
    }
  }
}
