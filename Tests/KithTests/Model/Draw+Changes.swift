@testable import Kith

extension Draw {
  /// A change for a model of this size: it grows up to `userCount` users and some three posts each.
  mutating func change(for model: ReferenceModel) -> Change {
    let hasFewUsers = model.users.count < userCount
    let hasFewPosts = model.posts.count < userCount * 3
    if model.declared != nil && below(2) == 0 { return seldom(3) ? editChange(model) : edgeChange(model) }
    switch below(100) {
    case 0..<(hasFewUsers ? 20 : 2):
      return .addUser(id: givenID().map { UserID($0) }, username: name(), fields: newUserFields(model))
    case 20..<26: return .renameUser(user(model), to: newName(model))
    case 26..<(hasFewUsers ? 27 : 31): return .removeUser(user(model))
    case 31..<50: return follow(model)
    case 50..<54: return .unfollow(as: user(model), target: user(model))
    case 54..<(hasFewPosts ? 66 : 58):
      return .addPost(
        id: givenID().map { PostID($0) }, by: user(model), text: text(), createdAt: postTime(),
        edges: model.declared == nil && !seldom(60) ? [] : postEdges(model), fields: newPostFields(model))
    case 66..<70: return .removePost(post(model))
    case 70..<84: return .like(as: user(model), post: post(model), at: edgeTime())
    case 84..<88: return .unlike(as: user(model), post: post(model))
    case 88..<91: return .block(as: user(model), target: user(model))
    case 91..<95: return .unblock(as: user(model), target: blockedOne(model))
    case 95..<98: return .mute(as: user(model), target: user(model))
    case 98..<100: return .unmute(as: user(model), target: user(model))
    default: return follow(model)
    }
  }

  private mutating func newUserFields(_ model: ReferenceModel) -> UserFields {
    if model.declared == nil || seldom(2) { return UserFields() }
    var fields = userFields()
    fields.kind = kind(model)
    return fields
  }

  private mutating func newPostFields(_ model: ReferenceModel) -> PostFields {
    model.declared == nil || seldom(2) ? PostFields() : postFields()
  }

  private mutating func follow(_ model: ReferenceModel) -> Change {
    .follow(as: user(model), target: user(model), at: edgeTime())
  }

  /// A new name, a taken one, or another spelling of it.
  private mutating func newName(_ model: ReferenceModel) -> String {
    guard seldom(3), let taken = model.users[user(model)]?.text else { return name() }
    return seldom(2) ? taken : taken.precomposed
  }

  private mutating func blockedOne(_ model: ReferenceModel) -> UserID {
    let blocked = Set(model.blocks.values.joined()).sorted()
    return blocked.isEmpty || seldom(3) ? user(model) : pick(blocked)
  }
}

extension String {
  fileprivate var precomposed: String { String(decoding: Folding.nfc(self), as: UTF8.self) }
}
