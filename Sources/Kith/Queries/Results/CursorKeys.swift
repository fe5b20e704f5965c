/// Cursors in lists by name: the name and the id of the last user of a page, then the rank if the order has one.
extension NameKey {
  /// Decodes a cursor that holds a name and an id, and a binding if there is one.
  /// - Throws: `invalidCursor`.
  init(
    _ cursor: Cursor, kind: CursorContent.Kind, subject: Int64, binding: UInt32 = 0, ofKind userKind: UInt8 = 0,
    _ users: borrowing UserTable
  ) throws(KithError) {
    let content = try CursorContent(cursor, kind: kind, subject: subject, numberCount: binding == 0 ? 1 : 2)
    if binding != 0 && content.numbers[1] != Int64(binding) { throw .invalidCursor }
    try self.init(content, ofKind: userKind, users)
  }

  /// The key in a cursor's content: a name, and an id as the first number.
  /// - Throws: `invalidCursor`.
  init(_ content: CursorContent, ofKind kind: UInt8 = 0, _ users: borrowing UserTable) throws(KithError) {
    guard String.fromUTF8(content.name.span) != nil else { throw .invalidCursor }
    self.init(name: content.name)
    id = content.numbers[0]
    // Another user may have the name now. Users of one name are sorted by id.
    if let holder = users.row(exactlyNamed: content.name.span, ofKind: kind),
      users.identifiers.id(of: holder) > content.numbers[0]
    {
      precedesItsName = true
    }
  }
}

/// Cursors in lists of posts: the time and the id of the last post.
extension Cursor {
  init(_ kind: CursorContent.Kind, subject: Int64, at row: UInt32, _ posts: borrowing PostTable) {
    let key = posts.key(row)
    self.init(CursorPlace(kind: kind, subject: subject, first: key.time, second: Int64(bitPattern: key.id)))
  }
}

extension PostKey {
  /// Decodes a cursor that holds a time and an id.
  /// - Throws: `invalidCursor`.
  init(_ cursor: Cursor, kind: CursorContent.Kind, subject: Int64) throws(KithError) {
    let place = try CursorPlace(cursor, kind: kind, subject: subject)
    self.init(time: place.first, id: UInt64(bitPattern: place.second))
  }
}
