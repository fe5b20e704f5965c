import Kith

/// A parsed line of the input.
struct Question {
  typealias Ask = (SocialGraph, inout HostPage) throws(KithError) -> Void

  let key: String
  /// The change; nil for a query.
  let change: Change?
  let ask: Ask

  init(_ line: String) throws {
    var words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)[...]
    guard words.count >= 3 else { throw Misuse(message: "too short: \(line)") }
    key = words.removeFirst()
    let operation = words.removeFirst()
    var arguments = Arguments(words: Array(words))
    if let ask = try Self.reading(operation, &arguments) ?? Microblog.reading(operation, &arguments) {
      (change, self.ask) = (nil, ask)
    } else if let change = try Self.changing(operation, &arguments) {
      self.change = change
      ask = { (graph, _) throws(KithError) in try graph.apply(change) }
    } else {
      throw Misuse(message: "no operation \(operation)")
    }
  }

  /// The arguments of a line, in order; texts have a `'` before them.
  struct Arguments {
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

  /// What is behind an operation that answers people as ids and names alone.
  private static let namesAlone = " names"

  private static func searching(_ operation: String) -> UserQuery? {
    switch operation {
    case "search": UserQuery()
    case "prefix": UserQuery(match: .prefix)
    case "fuzzy": UserQuery(match: .fuzzy)
    case "popular": UserQuery(order: .popular)
    case "followed": UserQuery(order: .followedFirst)
    default: nil
    }
  }

  private static func reading(_ whole: String, _ arguments: inout Arguments) throws -> Ask? {
    let areNames = whole.hasSuffix(namesAlone)
    let operation = areNames ? String(whole.dropLast(namesAlone.count)) : whole
    if var search = searching(operation) {
      let (query, viewer) = (try arguments.text(), try arguments.user())
      search.excludedUser = viewer
      // Without a viewer no follow is looked up.
      if !areNames || operation == "followed" { search.viewer = viewer }
      let asked = search
      return users(areNames) { (view) throws(KithError) in
        try view.searchUsers(query, asked)
      } extra: { user in
        user.isFollowedByViewer == true ? 1 : 0
      }
    }
    switch operation {
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
        page.keep(try graph.read { (view) throws(KithError) in try view.isFollowing(target, as: user) })
      }
    case "likers":
      let post = try arguments.post()
      return users(areNames) { (view) throws(KithError) in try view.likers(of: post) }
    case "followers":
      let user = try arguments.user()
      return users(areNames) { (view) throws(KithError) in try view.followers(of: user) }
    case "mutuals":
      let (user, target) = (try arguments.user(), try arguments.user())
      return users(areNames) { (view) throws(KithError) in try view.mutualFollowees(of: user, and: target) }
    case "suggestions":
      let user = try arguments.user()
      return { (graph, page) throws(KithError) in
        for found in try graph.read({ (view) throws(KithError) in try view.suggestions(for: user) }) {
          if areNames { page.keepName(found.user) } else { page.keep(found.user, extra: found.mutualCount) }
        }
      }
    default: return nil
    }
  }

  private static func users(
    _ areNames: Bool, _ ask: @escaping (borrowing GraphView) throws(KithError) -> Page<User>,
    extra: @escaping (User) -> Int? = { _ in nil }
  ) -> Ask {
    { (graph, page) throws(KithError) in
      for user in try graph.read({ (view) throws(KithError) in try ask(view) }) {
        if areNames { page.keepName(user) } else { page.keep(user, extra: extra(user)) }
      }
    }
  }

  private static func changing(_ operation: String, _ arguments: inout Arguments) throws -> Change? {
    let user = try arguments.user()
    switch operation {
    case "follow":
      let (target, time) = (try arguments.user(), Timestamp(try arguments.number() * 1_000))
      return .follow(as: user, target: target, at: time)
    case "unfollow": return .unfollow(as: user, target: try arguments.user())
    case "like":
      let (post, time) = (try arguments.post(), Timestamp(try arguments.number() * 1_000))
      return .like(as: user, post: post, at: time)
    case "unlike": return .unlike(as: user, post: try arguments.post())
    case "post":
      let time = Timestamp(try arguments.number())
      return .addPost(id: nil, by: user, text: try arguments.text(), createdAt: time)
    default: return nil
    }
  }
}
