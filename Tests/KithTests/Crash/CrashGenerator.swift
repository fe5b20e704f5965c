@testable import Kith

/// Changes for a tiny graph, drawn from a seed: of every kind, some that a rule forbids, some without effect.
struct CrashGenerator {
  var random: SeededRandom
  private var seconds: Int64 = 1_700_000_000

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  mutating func below(_ bound: Int) -> Int { random.below(bound) }

  /// True with a probability of one in `count`.
  mutating func seldom(_ times: Int) -> Bool { random.below(times) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

  /// A complete change: its ids and its time are filled in.
  mutating func change(_ state: borrowing GraphState) -> Change {
    let users = state.users.rowCount
    if users < 3 || (users < 12 && seldom(8)) {
      return .addUser(id: UserID(Int64(users + 1)), username: "user\(users + 1)" + (seldom(4) ? "é🙂" : ""))
    }
    let time = now()
    let (user, other) = (UserID(Int64(1 + below(users))), UserID(Int64(1 + below(users))))
    let posts = state.posts.rowCount
    let post = PostID(Int64(1 + below(posts + 1)))
    switch below(24) {
    case 0..<8: return .follow(as: user, target: other, at: time)
    case 8: return .unfollow(as: user, target: other)
    case 9..<14 where posts < 16:
      return .addPost(id: PostID(Int64(posts + 1)), by: user, text: text(), createdAt: time)
    case 9..<18: return .like(as: user, post: post, at: time)
    case 18: return .unlike(as: user, post: post)
    case 19: return seldom(4) ? .removePost(post) : .mute(as: user, target: other)
    case 20: return seldom(4) ? .removeUser(user) : .unmute(as: user, target: other)
    case 21: return .renameUser(user, to: "name\(below(30))")
    case 22: return .block(as: user, target: other)
    default: return .unblock(as: user, target: other)
    }
  }

  private mutating func now() -> Timestamp {
    seconds += Int64(below(3))
    return Timestamp(seconds * 1_000 + Int64(below(1_000)))
  }

  /// Mostly short; now and then several sectors long.
  private mutating func text() -> String {
    seldom(6) ? String(repeating: "long ", count: 40 + below(400)) : "post \(below(100))"
  }
}
