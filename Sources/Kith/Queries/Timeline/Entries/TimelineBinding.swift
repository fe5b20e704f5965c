/// What a cursor of a timeline is bound to, beside its user: the sources.
struct TimelineBinding {
  /// 0 for the followees, whose cursors hold the place alone.
  let hash: Int64
  let user: UserID
  private let kind: CursorContent.Kind

  init(_ user: UserID, _ sources: TimelineQuery.Sources, kind: CursorContent.Kind = .timeline) {
    self.user = user
    self.kind = kind
    guard let name = Self.name(of: sources) else {
      hash = 0
      return
    }
    hash = 1 + Int64(FNV1a.hash(name.utf8))
  }

  /// Nil for the followees.
  private static func name(of sources: TimelineQuery.Sources) -> String? {
    switch sources {
    case .followees: return nil
    case .targets(let relations):
      let names = Set(relations.map(\.name))
      return names == [Relation.follow.name]
        ? nil : "targets \(names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })"
    case .members(let relation, let post): return "members \(relation.name) \(post.rawValue)"
    case .users(let users): return "users \(Set(users).map(\.rawValue).sorted())"
    case .author(let user): return "author \(user.rawValue)"
    case .everyone: return "everyone"
    }
  }

  /// The cursor at an entry. One at a post of followees is that of a timeline without reposts.
  func cursor(at key: EntryKey) -> Cursor {
    let post = Int64(bitPattern: key.post)
    if hash == 0 && key.reposter == 0 {
      return Cursor(CursorPlace(kind: kind, subject: user.rawValue, first: key.time, second: post))
    }
    let numbers = [key.time, post, key.reposter] + (hash == 0 ? [] : [hash])
    return CursorContent(kind: kind, subject: user.rawValue, numbers: numbers).cursor
  }

  /// The place that a cursor is at.
  /// - Throws: `invalidCursor`.
  func key(of cursor: Cursor) throws(KithError) -> EntryKey {
    guard let content = CursorContent(cursor), content.kind == kind, content.subject == user.rawValue,
      hash == 0 ? 2...3 ~= content.numbers.count : content.numbers.count == 4 && content.numbers[3] == hash
    else { throw .invalidCursor }
    let numbers = content.numbers
    return EntryKey(
      time: numbers[0], post: UInt64(bitPattern: numbers[1]), reposter: numbers.count == 2 ? 0 : numbers[2])
  }
}
