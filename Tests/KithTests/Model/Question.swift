@testable import Kith

/// Something to ask, of the engine and of the model alike. A cursor travels beside it, because the two have each their
/// own.
enum Question {
  case findUser(String)
  case user(UserID, viewer: UserID?)
  case post(PostID, viewer: UserID?)
  case users([UserID], viewer: UserID?)
  case posts([PostID], viewer: UserID?)
  case isFollowing(UserID, UserID)
  case relations(UserID, [UserID])
  case searchUsers(String, UserSearch)
  case searchPosts(String, PostSearch)
  case timeline(UserID, TimelineOptions)
  case followees(UserID, ListOptions)
  case followers(UserID, ListOptions)
  case likers(PostID, ListOptions)
  case likes(UserID, ListOptions)
  case blocked(UserID, ListOptions)
  case muted(UserID, ListOptions)
}

/// What came back. The engine refuses with one code, the model names all that are right.
enum Answer {
  case users([User?], total: Int?)
  case posts([Post?])
  case found(UserID?)
  case flag(Bool)
  case relations([Relations])
  case refusal(Set<String>)
}

/// An answer, and where to go on: `Cursor` of the engine, `ReferenceModel.Place` of the model.
struct Reply<Position> {
  var answer: Answer
  var next: Position?
  var previous: Position?

  init(_ answer: Answer, next: Position? = nil, previous: Position? = nil) {
    self.answer = answer
    self.next = next
    self.previous = previous
  }

  /// Whether the engine's reply is what the model's allows, to the last byte.
  func agrees(with model: Reply<ReferenceModel.Place>) -> Bool {
    answer.agrees(with: model.answer) && (next == nil) == (model.next == nil)
      && (previous == nil) == (model.previous == nil)
  }
}

extension Answer {
  fileprivate func agrees(with model: Answer) -> Bool {
    switch (self, model) {
    case (.users(let own, let total), .users(let other, let otherTotal)):
      total == otherTotal && own.elementsEqual(other, by: Self.isSame)
    case (.posts(let own), .posts(let other)): own.elementsEqual(other, by: Self.isSame)
    case (.found(let own), .found(let other)): own == other
    case (.flag(let own), .flag(let other)): own == other
    case (.relations(let own), .relations(let other)): own == other
    case (.refusal(let own), .refusal(let right)): own.isSubset(of: right)
    default: false
    }
  }

  /// Strings are equal up to canonical equivalence; what the engine keeps is exact.
  private static func isSame(_ left: User?, _ right: User?) -> Bool {
    guard let left, let right else { return (left == nil) == (right == nil) }
    return left == right && left.username.utf8.elementsEqual(right.username.utf8)
  }

  private static func isSame(_ left: Post?, _ right: Post?) -> Bool {
    guard let left, let right else { return (left == nil) == (right == nil) }
    return left == right && left.text.utf8.elementsEqual(right.text.utf8)
      && left.author.username.utf8.elementsEqual(right.author.username.utf8)
  }
}

// MARK: - Asking the engine

extension GraphView {
  func reply(to question: Question, from cursor: Cursor? = nil) -> Reply<Cursor> {
    do throws(KithError) {
      return try answer(question, cursor)
    } catch {
      return Reply(.refusal([error.code]))
    }
  }

  private func answer(_ question: Question, _ cursor: Cursor?) throws(KithError) -> Reply<Cursor> {
    switch question {
    case .findUser(let name): return Reply(.found(findUser(named: name)))
    case .user(let id, let viewer): return Reply(.users([try user(id, as: viewer)], total: nil))
    case .post(let id, let viewer): return Reply(.posts([try post(id, as: viewer)]))
    case .users(let ids, let viewer): return Reply(.users(try users(ids, as: viewer), total: nil))
    case .posts(let ids, let viewer): return Reply(.posts(try posts(ids, as: viewer)))
    case .isFollowing(let user, let target): return Reply(.flag(try isFollowing(user, target)))
    case .relations(let user, let targets): return Reply(.relations(try relations(of: user, to: targets)))
    default: return try answer(list: question, cursor)
    }
  }

  private func answer(list question: Question, _ cursor: Cursor?) throws(KithError) -> Reply<Cursor> {
    switch question {
    case .searchUsers(let query, var search):
      search.cursor = cursor
      return reply(try searchUsers(query, search))
    case .searchPosts(let query, var search):
      search.cursor = cursor
      return reply(try searchPosts(query, search))
    case .timeline(let user, var options):
      options.cursor = cursor
      return reply(try timeline(of: user, options))
    case .likers(let post, let options): return reply(try likers(of: post, options.from(cursor)))
    case .likes(let user, let options): return reply(try likes(of: user, options.from(cursor)))
    case .followees(let user, let options): return reply(try followees(of: user, options.from(cursor)))
    case .followers(let user, let options): return reply(try followers(of: user, options.from(cursor)))
    case .blocked(let user, let options): return reply(try blocked(by: user, options.from(cursor)))
    case .muted(let user, let options): return reply(try muted(by: user, options.from(cursor)))
    default: preconditionFailure("not a list")
    }
  }

  private func reply(_ page: Page<User>) -> Reply<Cursor> {
    Reply(.users(page.items, total: page.total), next: page.next, previous: page.previous)
  }

  private func reply(_ page: PostPage) -> Reply<Cursor> {
    Reply(.posts(page.items), next: page.next, previous: page.previous)
  }
}

extension ListOptions {
  fileprivate func from(_ cursor: Cursor?) -> ListOptions {
    var options = self
    options.cursor = cursor
    return options
  }
}
