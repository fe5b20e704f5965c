@testable import Kith

// MARK: - Searches

extension ReferenceModel {
  func searchUsers(_ query: String, _ search: UserQuery, _ place: Place?) throws(Refusal) -> Reply<Place> {
    let list = "users \(search.match == .fuzzy ? "by edits" : search.order.rawValue)"
    let others = search.excludedUser.map { [$0] } ?? []
    let text = search.match == .regex ? query : Folding.trimmed(query)
    var more: Set<String> = text.utf8.count > 256 ? ["queryTooLong"] : []
    if search.match == .fuzzy && search.order != .name { more.insert("invalidRequest") }
    if !userKinds.contains(search.kind ?? "user") { more.insert("invalidRequest") }
    let expression = search.match == .regex ? Self.expression(text, &more) : nil
    if search.order == .followedFirst && search.viewer.map({ $0 == .visitor }) ?? true { more.insert("invalidRequest") }
    try check(
      viewer: search.viewer, others: others, limit: search.limit, place: place, list: list, more: more)
    let (loose, strict) = (Folding.loose(text), Folding.strict(text))
    let matches = users.filter { id, name in
      if id == search.excludedUser || !isVisible(id, search.viewer, search.includesBlocked) { return false }
      if kind(of: id) != search.kind ?? "user" { return false }
      if !Self.passes(keptWithUsers[id]?.flags ?? 0, search.flags) { return false }
      if let expression { return Self.holds(expression, in: name.text) }
      return text.isEmpty || names(of: id, search.names).contains { passes($0) }
    }
    func passes(_ name: Name) -> Bool {
      if loose.isEmpty || !Self.holds(loose, in: name.loose, search.match) { return false }
      // As many edits of the strict key as the length of the loose key allows.
      if search.match == .fuzzy && search.fold == .strict {
        return leastEdits(strict, in: name.strict) <= Self.mostEdits(loose)
      }
      return search.fold == .loose || Self.holds(strict, in: name.strict, search.match)
    }
    func isFirst(_ id: UserID, _ name: Name) -> Bool {
      switch search.order {
      case .followedFirst: search.viewer.flatMap { follows[$0]?[id] } != nil
      case .prefixFirst where search.match == .regex:
        expression.map { Self.holds($0, in: name.text, atBeginning: true) } ?? false
      case .prefixFirst:
        name.loose.starts(with: loose) && (search.fold == .loose || name.strict.starts(with: strict))
      case .name, .popular: true
      }
    }
    let entries: [Entry<User>] = matches.map { id, name in
      var key = nameKey(id)
      if search.order != .name { key.numbers = [isFirst(id, name) ? 0 : 1] }
      if search.match == .fuzzy {
        let edits = names(of: id, search.names).filter { text.isEmpty || passes($0) }.map { name in
          search.fold == .strict ? leastEdits(strict, in: name.strict) : leastEdits(loose, in: name.loose)
        }
        key.numbers = [Int64(text.isEmpty ? 0 : edits.min() ?? 0)]
      }
      if search.order == .popular { key.numbers = [-Int64(followerCount(id))] }
      return (key, user(id, search.viewer))
    }
    let (items, next) = page(entries, list, after: place, limit: search.limit)
    var ranges: [[Range<Int>]]?
    if search.includesHighlights {
      let isOfBoth = search.names == .either
      ranges =
        items.map { Self.ranges(of: text, search, in: $0.username) }
        + items.map { isOfBoth ? Self.ranges(of: text, search, in: $0.displayName ?? "") : [] }
    }
    return Reply(.users(items, total: search.countsMatches ? matches.count : nil, ranges: ranges), next: next)
  }

  /// The names of a user that a search reads.
  private func names(of id: UserID, _ asked: UserQuery.Names) -> [Name] {
    let displayName = keptWithUsers[id]?.displayName ?? ""
    let own = users[id].map { [$0] } ?? []
    return asked == .either && !displayName.isEmpty ? own + [Name(displayName)] : own
  }

  static func passes(_ flags: UInt16, _ asked: FlagFilter) -> Bool {
    flags & asked.all == asked.all && flags & asked.none == 0 && (asked.any == 0 || flags & asked.any != 0)
  }

  static func holds(_ text: [UInt8], in key: [UInt8], _ match: UserQuery.Match) -> Bool {
    switch match {
    case .substring: contains(text, in: key)
    case .prefix: key.starts(with: text)
    case .exact: key == text
    case .fuzzy: leastEdits(text, in: key) <= mostEdits(text)
    case .regex: false  // decided by the expression
    }
  }

  private static func contains(_ text: [UInt8], in key: [UInt8]) -> Bool {
    if text.count > key.count { return false }
    return (0...(key.count - text.count)).contains { key[$0...].starts(with: text) }
  }

  func searchPosts(_ query: String, _ search: PostQuery, _ place: Place?) throws(Refusal) -> Reply<Place> {
    let list = "posts by \(search.author?.rawValue ?? 0) among followees: \(search.followedOnly)"
    let text = Folding.trimmed(query)
    let words = text.unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }
    let distinct = Set(words.map { search.fold == .strict ? Folding.strict($0) : Folding.loose($0) })
    var codes: Set<String> = text.utf8.count > 256 || distinct.count > 32 ? ["queryTooLong"] : []
    codes.formUnion(problems(leavingOutMuted: search.leavesOutMuted, search.viewer))
    if search.followedOnly && search.viewer.map({ $0 == .visitor }) ?? true { codes.insert("invalidRequest") }
    try check(
      viewer: search.viewer, subject: search.author, limit: search.limit, place: place, list: list, more: codes)
    var entries: [Entry<Post?>] = []
    for (id, post) in posts where isVisible(id, search.viewer) && passes(id, post, search) {
      if let author = search.author, author != post.author { continue }
      if search.followedOnly, let viewer = search.viewer, follows[viewer]?[post.author] == nil { continue }
      if let before = search.before, post.time >= before.rawValue { continue }
      if let after = search.after, post.time <= after.rawValue { continue }
      if words.allSatisfy({ occurs($0, in: post, search.fold) }) {
        entries.append((Self.newestFirst(post, id), self.post(id, search.viewer, search.includesAuthors)))
      }
    }
    let (items, next) = page(entries, list, after: place, limit: search.limit)
    return Reply(.posts(items), next: next)
  }

  /// Whether a search shows a post that has its words.
  private func passes(_ id: PostID, _ post: StoredPost, _ search: PostQuery) -> Bool {
    if !Self.passes(keptWithPosts[id]?.flags ?? 0, search.flags) { return false }
    if !search.audiences.isEmpty && !search.audiences.contains(audience(of: id)) { return false }
    if !search.includesReplies && parents[id] != nil { return false }
    return passesMutes(post.author, search.leavesOutMuted, search.viewer)
  }

  /// Whether a word occurs in a post's text or in its author's name.
  private func occurs(_ word: String, in post: StoredPost, _ fold: TextFolding) -> Bool {
    let (loose, strict) = (Folding.loose(word), Folding.strict(word))
    if loose.isEmpty { return false }
    return [post.text, users[post.author]?.text ?? ""].contains { text in
      Self.contains(loose, in: Folding.loose(text))
        && (fold == .loose || Self.contains(strict, in: Folding.strict(text)))
    }
  }

  static func newestFirst(_ post: StoredPost, _ id: PostID) -> Key { Key(numbers: [-post.time, -id.rawValue]) }
}
