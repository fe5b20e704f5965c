import Kith

/// Synthetic changes, the same for the same seed and the same graph.
struct DrillLoad {
  private var random: RandomSource
  private var users: [UserID] = []
  private var posts: [PostID] = []

  /// Changes of a graph as it is now.
  init(_ view: borrowing GraphView, seed: UInt64) {
    random = RandomSource(seed: seed, stream: 1)
    view.forEachUser { id, _, _ in users.append(id) }
    view.forEachPost { id, _, _, _, _, _ in posts.append(id) }
  }

  /// Makes this many changes with an effect. One that a rule forbids, such as a follow across a block, is drawn again.
  ///
  /// - Returns: the number of the last one.
  mutating func run(_ graph: SocialGraph, changeCount: Int) throws(KithError) -> UInt64 {
    var (done, sequence) = (0, UInt64(0))
    while done < changeCount {
      let drawn = draw()
      do throws(KithError) {
        let applied = try graph.apply(drawn)
        sequence = applied.sequence
        guard applied.didChange else { continue }
        done += 1
        if let user = applied.user { users.append(user) }
        if let post = applied.post { posts.append(post) }
      } catch {
        switch error {
        case .blocked, .cannotFollowSelf, .usernameTaken, .unknownUser, .unknownPost, .invalidRequest: continue
        default: throw error
        }
      }
    }
    return sequence
  }

  private mutating func draw() -> Change {
    if users.count < 2 { return newUser() }
    let (user, other) = (random.pick(users), random.pick(users))
    switch random.below(100) {
    case 0..<8: return newUser()
    case 8..<10: return .renameUser(user, to: "drill \(random.next())")
    case 10..<45: return .follow(as: user, target: other, at: nil)
    case 45..<52: return .unfollow(as: user, target: other)
    case 52..<54: return .block(as: user, target: other)
    case 54..<56: return .mute(as: user, target: other)
    case 56..<57: return .removeUser(user)
    case 57..<60 where !posts.isEmpty: return .removePost(random.pick(posts))
    case 60..<80 where !posts.isEmpty: return .like(as: user, post: random.pick(posts), at: nil)
    default: return .addPost(id: nil, by: user, text: "drill \(random.next())", createdAt: nil)
    }
  }

  private mutating func newUser() -> Change { .addUser(id: nil, username: "drill \(random.next())") }
}
