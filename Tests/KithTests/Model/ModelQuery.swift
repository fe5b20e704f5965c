@testable import Kith

/// A query for the engine and the model. Its cursor is separate, because the two have cursors of their own.
enum Question {
  case findUser(String, kind: String? = nil)
  case user(UserID, viewer: UserID?, includesBlocked: Bool = false)
  case post(PostID, viewer: UserID?, includesAuthors: Bool = false)
  case users([UserID], viewer: UserID?, includesBlocked: Bool = false)
  case posts([PostID], viewer: UserID?, includesAuthors: Bool = false)
  case isFollowing(UserID, as: UserID)
  case relations(UserID, [UserID])
  case searchUsers(String, UserQuery)
  case searchPosts(String, PostQuery)
  case timeline(UserID, TimelineQuery)
  case followees(UserID, ListQuery)
  case followers(UserID, ListQuery)
  case likers(PostID, ListQuery)
  case likes(UserID, ListQuery)
  case blocked(UserID, ListQuery)
  case muted(UserID, ListQuery)
  case mutuals(UserID, UserID, Mutuals, MutualQuery)
  case edgeList(Relation, RelationSide, Node, EdgeQuery)
  case edges(Node, [Node])
  case thread(PostID, ThreadQuery)
  case incoming(UserID, IncomingQuery)
  case incomingCount(UserID, IncomingQuery)
  case ancestors(PostID, limit: Int, viewer: UserID?, includesAuthors: Bool)
  case suggestions(UserID, SuggestionQuery)
  case distance(UserID, UserID, PathQuery)
  case twoHops(UserID, TimelineQuery, followLimit: Int)

  enum Mutuals: CaseIterable { case followees, followers, familiar }
}

/// The reply. The engine refuses with one code, the model names all that are right.
enum Answer {
  /// `ranges`: in usernames, then in display names.
  case users([User?], total: Int? = nil, ranges: [[Range<Int>]]? = nil)
  case posts([Post?], total: Int? = nil)
  case found(UserID?)
  case flag(Bool)
  case relations([User.Relations])
  case edges([Node.Edges])
  case incoming([PlainIncoming])
  case count(Int, isTruncated: Bool)
  case suggestions([PlainSuggestion], isTruncated: Bool)
  /// `isSound`: the path leads from one to the other along follows. In the model `gaveUp` means that giving up is
  /// allowed.
  case distance(hops: Int?, gaveUp: Bool, isSound: Bool)
  case boundedPosts([Post?], isTruncated: Bool)
  case refusal(Set<String>)
}

/// A page, and where to continue: `Cursor` of the engine, `ReferenceModel.Place` of the model.
struct Reply<Position> {
  var answer: Answer
  var next: Position?
  var previous: Position?

  init(_ answer: Answer, next: Position? = nil, previous: Position? = nil) {
    self.answer = answer
    self.next = next
    self.previous = previous
  }

  /// Whether the engine's reply equals the model's, byte for byte.
  func agrees(with model: Reply<ReferenceModel.Place>) -> Bool {
    answer.agrees(with: model.answer) && (next == nil) == (model.next == nil)
      && (previous == nil) == (model.previous == nil)
  }
}

extension Answer {
  fileprivate func agrees(with model: Answer) -> Bool {
    switch (self, model) {
    case (.users(let own, let total, let ranges), .users(let other, let otherTotal, let otherRanges)):
      total == otherTotal && ranges == otherRanges && own.elementsEqual(other, by: Self.isSame)
    case (.posts(let own, let total), .posts(let other, let otherTotal)):
      total == otherTotal && own.elementsEqual(other, by: Self.isSame)
    case (.edges(let own), .edges(let other)): own == other
    case (.incoming(let own), .incoming(let other)): own.elementsEqual(other, by: Self.isSame)
    case (.count(let own, let isCut), .count(let other, let isOtherCut)): own == other && isCut == isOtherCut
    case (.found(let own), .found(let other)): own == other
    case (.flag(let own), .flag(let other)): own == other
    case (.relations(let own), .relations(let other)): own == other
    case (.suggestions(let own, let isCut), .suggestions(let other, let isOtherCut)):
      isCut == isOtherCut && own.elementsEqual(other, by: Self.isSame)
    case (.distance(let hops, let gaveUp, let isSound), .distance(let right, let mayGiveUp, _)):
      isSound && (gaveUp ? mayGiveUp && hops == nil : hops == right)
    case (.boundedPosts(let own, let isCut), .boundedPosts(let other, let isOtherCut)):
      isCut == isOtherCut && own.elementsEqual(other, by: Self.isSame)
    case (.refusal(let own), .refusal(let right)): own.isSubset(of: right)
    default: false
    }
  }

  /// Strings are equal up to canonical equivalence; the engine must keep bytes exactly.
  private static func isSame(_ left: User?, _ right: User?) -> Bool {
    guard let left, let right else { return (left == nil) == (right == nil) }
    return left == right && left.username.utf8.elementsEqual(right.username.utf8)
  }

  private static func isSame(_ left: PlainSuggestion, _ right: PlainSuggestion) -> Bool {
    left.mutualCount == right.mutualCount && isSame(left.user, right.user)
      && left.mutuals.elementsEqual(right.mutuals, by: isSame)
  }

  private static func isSame(_ left: PlainIncoming, _ right: PlainIncoming) -> Bool {
    left.relation == right.relation && left.second == right.second && isSame(left.user, right.user)
      && isSame(left.post, right.post) && isSame(left.target, right.target)
  }

  private static func isSame(_ left: Post?, _ right: Post?) -> Bool {
    guard let left, let right else { return (left == nil) == (right == nil) }
    return left == right && left.text.utf8.elementsEqual(right.text.utf8)
      && left.author.username.utf8.elementsEqual(right.author.username.utf8)
  }
}

// MARK: - Queries of the engine

extension GraphView {
  /// Hosts hand back a cursor or its text: here both, in turn.
  func reply(to question: Question, from cursor: Cursor? = nil) -> Reply<Cursor> {
    reply(
      to: question,
      fromExactly: cursor.map {
        $0.text.utf8.count + ($0.text.utf8.last.map { Int($0) } ?? 0) & 1 == 0 ? $0 : Cursor($0.text)
      })
  }

  func reply(to question: Question, fromExactly cursor: Cursor?) -> Reply<Cursor> {
    do throws(KithError) {
      return try answer(question, cursor)
    } catch {
      return Reply(.refusal([error.code]))
    }
  }

  private func answer(_ question: Question, _ cursor: Cursor?) throws(KithError) -> Reply<Cursor> {
    switch question {
    case .findUser(let name, let kind): return Reply(.found(findUser(named: name, kind: kind)))
    case .user(let id, let viewer, let includesBlocked):
      return Reply(.users([try user(id, as: viewer, includesBlocked: includesBlocked)]))
    case .post(let id, let viewer, let includesAuthors):
      return Reply(.posts([try post(id, as: viewer, includesAuthors: includesAuthors)]))
    case .users(let ids, let viewer, let includesBlocked):
      return Reply(.users(try users(ids, as: viewer, includesBlocked: includesBlocked)))
    case .posts(let ids, let viewer, let includesAuthors):
      return Reply(.posts(try posts(ids, as: viewer, includesAuthors: includesAuthors)))
    case .isFollowing(let target, let user): return Reply(.flag(try isFollowing(target, as: user)))
    case .relations(let user, let targets): return Reply(.relations(try relations(of: user, to: targets)))
    case .edges(let node, let others): return Reply(.edges(try edges(between: node, and: others)))
    case .incomingCount(let user, let options):
      let found = try incomingCount(to: user, options)
      return Reply(.count(found.count, isTruncated: found.isTruncated))
    case .ancestors(let post, let limit, let viewer, let includesAuthors):
      let page = try ancestors(of: post, limit: limit, as: viewer, includesAuthors: includesAuthors)
      return Reply(.boundedPosts(page.items, isTruncated: page.isTruncated))
    case .suggestions(let user, let options):
      let page = try suggestions(for: user, options)
      let suggestions = page.map { PlainSuggestion(user: $0.user, mutualCount: $0.mutualCount, mutuals: $0.mutuals) }
      return Reply(.suggestions(suggestions, isTruncated: page.isTruncated))
    case .distance(let user, let target, let options):
      return Reply(answer(try shortestPath(from: user, to: target, options), user, target))
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
      let page = try timeline(of: user, options)
      for plan in [TimelinePlan.scan, .merge] {
        if try self.run(TimelinePosts(user: user, query: options, plan: plan)) != page {
          return Reply(.refusal(["the plans of a timeline differ"]))
        }
      }
      return reply(page)
    case .edgeList(let relation, let side, let node, var options):
      options.cursor = cursor
      let showsUsers = try state.relations.known(relation).other(side) == .user
      switch (side, showsUsers) {
      case (.targets, true): return reply(try targets(of: node, relation, options))
      case (.targets, false): return reply(try targetPosts(of: node, relation, options))
      case (.sources, true): return reply(try sources(of: node, relation, options))
      case (.sources, false): return reply(try sourcePosts(of: node, relation, options))
      }
    case .thread(let post, var options):
      options.cursor = cursor
      return reply(try thread(of: post, options))
    case .incoming(let user, var options):
      options.cursor = cursor
      let page = try incoming(to: user, options)
      return Reply(.incoming(page.map { PlainIncoming($0) }), next: page.next)
    case .likers(let post, let options): return reply(try likers(of: post, options.from(cursor)))
    case .likes(let user, let options): return reply(try likes(of: user, options.from(cursor)))
    case .followees(let user, let options): return reply(try followees(of: user, options.from(cursor)))
    case .followers(let user, let options): return reply(try followers(of: user, options.from(cursor)))
    case .blocked(let user, let options): return reply(try blocked(by: user, options.from(cursor)))
    case .muted(let user, let options): return reply(try muted(by: user, options.from(cursor)))
    case .mutuals(let user, let other, let kind, var options):
      options.cursor = cursor
      switch kind {
      case .followees: return reply(try mutualFollowees(of: user, and: other, options))
      case .followers: return reply(try mutualFollowers(of: user, and: other, options))
      case .familiar: return reply(try familiarFollowers(of: user, as: other, options))
      }
    case .twoHops(let user, var options, let followLimit):
      options.cursor = cursor
      let page = try twoHopTimeline(of: user, options, followLimit: followLimit)
      return Reply(
        .boundedPosts(page.items, isTruncated: page.isTruncated), next: page.next, previous: page.previous)
    default: preconditionFailure("not a list")
    }
  }

  private func answer(_ distance: ShortestPath, _ user: UserID, _ target: UserID) -> Answer {
    guard case .path(let way) = distance else {
      return .distance(hops: nil, gaveUp: distance == .gaveUp, isSound: true)
    }
    let isSound =
      way.first == user && way.last == target
      && zip(way, way.dropFirst()).allSatisfy { (try? isFollowing($1, as: $0)) == true }
    return .distance(hops: distance.hops, gaveUp: false, isSound: isSound)
  }

  private func reply(_ page: Page<User>) -> Reply<Cursor> {
    let ranges = page.highlights.map { $0 + (page.displayNameHighlights ?? []) }
    return Reply(.users(page.items, total: page.total, ranges: ranges), next: page.next)
  }

  private func reply(_ page: Page<Post>) -> Reply<Cursor> {
    Reply(.posts(page.items, total: page.total), next: page.next, previous: page.previous)
  }
}

extension ListQuery {
  fileprivate func from(_ cursor: Cursor?) -> ListQuery {
    var options = self
    options.cursor = cursor
    return options
  }
}
