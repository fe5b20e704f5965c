import Kith

/// A line of the input, ready to be asked.
struct Question {
  typealias Ask = (SocialGraph, inout Page) throws(KithError) -> Void

  let key: String
  /// What it changes; nil where it only asks.
  let change: Change?
  let ask: Ask

  init(_ line: String) throws {
    var words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)[...]
    guard words.count >= 3 else { throw Misuse(message: "too short: \(line)") }
    key = words.removeFirst()
    let operation = words.removeFirst()
    var arguments = Arguments(words: Array(words))
    if let ask = try Self.reading(operation, &arguments) {
      (change, self.ask) = (nil, ask)
    } else if let change = try Self.changing(operation, &arguments) {
      self.change = change
      ask = { (graph, _) throws(KithError) in try graph.apply(change) }
    } else {
      throw Misuse(message: "no operation \(operation)")
    }
  }

  /// The arguments of a line, in order; texts have a `'` before them.
  private struct Arguments {
    var words: [String]

    mutating func text() throws -> String {
      guard !words.isEmpty else { throw Misuse(message: "an argument is missing") }
      let word = words.removeFirst()
      return word.hasPrefix("'") ? String(word.dropFirst()) : word
    }

    mutating func number() throws -> Int64 {
      let word = try text()
      guard let number = Int64(word) else { throw Misuse(message: "\(word) is no number") }
      return number
    }

    mutating func user() throws -> UserID { UserID(try number()) }
    mutating func post() throws -> PostID { PostID(try number()) }
  }

  private static func reading(_ operation: String, _ arguments: inout Arguments) throws -> Ask? {
    switch operation {
    case "search", "prefix":
      let (query, viewer) = (try arguments.text(), try arguments.user())
      let search = UserSearch(match: operation == "prefix" ? .prefix : .substring, viewer: viewer, excluding: viewer)
      return users { (view) throws(KithError) in
        try view.searchUsers(query, search)
      } extra: { user in
        user.following == true ? 1 : 0
      }
    case "timeline":
      let user = try arguments.user()
      return { (graph, page) throws(KithError) in
        for post in try graph.read({ (view) throws(KithError) in try view.timeline(of: user) }) { page.keep(post) }
      }
    case "posts":
      let query = try arguments.text()
      return { (graph, page) throws(KithError) in
        for post in try graph.read({ (view) throws(KithError) in try view.searchPosts(query) }) { page.keep(post) }
      }
    case "is following":
      let (user, target) = (try arguments.user(), try arguments.user())
      return { (graph, page) throws(KithError) in
        page.keep(try graph.read { (view) throws(KithError) in try view.isFollowing(user, target) })
      }
    case "likers":
      let post = try arguments.post()
      return users { (view) throws(KithError) in try view.likers(of: post) }
    case "followers":
      let user = try arguments.user()
      return users { (view) throws(KithError) in try view.followers(of: user) }
    case "mutuals":
      let (user, target) = (try arguments.user(), try arguments.user())
      return users { (view) throws(KithError) in try view.mutualFollowees(of: user, and: target) }
    case "suggestions":
      let user = try arguments.user()
      return { (graph, page) throws(KithError) in
        for found in try graph.read({ (view) throws(KithError) in try view.suggestions(for: user) }) {
          page.keep(found.user, extra: found.mutualCount)
        }
      }
    default: return nil
    }
  }

  private static func users(
    _ ask: @escaping (borrowing GraphView) throws(KithError) -> UserPage, extra: @escaping (User) -> Int? = { _ in nil }
  ) -> Ask {
    { (graph, page) throws(KithError) in
      for user in try graph.read({ (view) throws(KithError) in try ask(view) }) { page.keep(user, extra: extra(user)) }
    }
  }

  private static func changing(_ operation: String, _ arguments: inout Arguments) throws -> Change? {
    let user = try arguments.user()
    switch operation {
    case "follow":
      let (target, time) = (try arguments.user(), Timestamp(try arguments.number() * 1_000))
      return .follow(user, target, at: time)
    case "unfollow": return .unfollow(user, try arguments.user())
    case "like":
      let (post, time) = (try arguments.post(), Timestamp(try arguments.number() * 1_000))
      return .like(user, post, at: time)
    case "unlike": return .unlike(user, try arguments.post())
    case "post":
      let time = Timestamp(try arguments.number())
      return .addPost(id: nil, author: user, text: try arguments.text(), createdAt: time)
    default: return nil
    }
  }
}
