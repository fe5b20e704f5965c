/// Results in memory, for the C library. Nil for an empty page without records.
extension User {
  package var raw: RawResult<UserRecord> { unsafe records.raw(index..<index + 1) }
}

extension Post {
  package var raw: RawResult<PostRecord> { unsafe records.raw(index..<index + 1) }

  /// The author; nil unless requested.
  package var rawAuthor: RawResult<UserRecord>? { unsafe records.authors.map { unsafe $0.raw(index..<index + 1) } }
}

extension Page<User> {
  package var raw: RawResult<UserRecord>? { unsafe anchor.map { unsafe $0.records.raw(0..<$0.records.count) } }
}

extension Page<Post> {
  package var raw: RawResult<PostRecord>? { unsafe anchor.map { unsafe $0.records.raw(0..<$0.records.count) } }

  /// The author of each post; nil unless requested.
  package var rawAuthors: RawResult<UserRecord>? {
    unsafe anchor?.records.authors.map { unsafe $0.raw(0..<$0.count) }
  }
}

extension Page<Suggestion> {
  /// The suggested users, then the mutuals of each.
  package var raw: RawResult<UserRecord>? {
    unsafe anchor.map { unsafe $0.records.users.raw(0..<$0.records.users.count) }
  }
}

extension Page<IncomingEdge> {
  /// The edges, with the places of their ends among the users and the posts of the page.
  package var rawEdges: [(relation: String, second: UInt32, isFromPost: Bool, source: Int, target: Int?)] {
    guard let records = anchor?.records else { return [] }
    return records.items.map {
      (records.relations[$0.relation].name, $0.second, $0.isFromPost, $0.source, $0.target)
    }
  }

  package var rawUsers: RawResult<UserRecord>? {
    unsafe anchor.map { unsafe $0.records.users.raw(0..<$0.records.users.count) }
  }

  package var rawPosts: RawResult<PostRecord>? {
    unsafe anchor.map { unsafe $0.records.posts.raw(0..<$0.records.posts.count) }
  }

  package var rawAuthors: RawResult<UserRecord>? {
    unsafe anchor?.records.posts.authors.map { unsafe $0.raw(0..<$0.count) }
  }
}

/// The payloads of elements, if they were asked for; of posts also those of the authors.
extension Page<User> {
  package var rawPayloads: RawResult<PayloadRecord>? { unsafe anchor?.records.rawPayloads() }
}

extension Page<Post> {
  package var rawPayloads: RawResult<PayloadRecord>? { unsafe anchor?.records.rawPayloads() }
  package var rawAuthorPayloads: RawResult<PayloadRecord>? { unsafe anchor?.records.authors?.rawPayloads() }
}

extension User {
  package var rawPayloads: RawResult<PayloadRecord>? { unsafe records.rawPayloads(index..<index + 1) }
}

extension Post {
  package var rawPayloads: RawResult<PayloadRecord>? { unsafe records.rawPayloads(index..<index + 1) }
  package var rawAuthorPayloads: RawResult<PayloadRecord>? { unsafe records.authors?.rawPayloads(index..<index + 1) }
}

extension Array {
  package func rawUserPayloads() -> RawResult<PayloadRecord>? where Element == User? {
    let found = compactMap(\.self)
    return unsafe found.first.flatMap { unsafe $0.records.rawPayloads($0.index..<$0.index + found.count) }
  }

  package func rawPostPayloads() -> RawResult<PayloadRecord>? where Element == Post? {
    let found = compactMap(\.self)
    return unsafe found.first.flatMap { unsafe $0.records.rawPayloads($0.index..<$0.index + found.count) }
  }

  package func rawAuthorPayloads() -> RawResult<PayloadRecord>? where Element == Post? {
    let found = compactMap(\.self)
    return unsafe found.first.flatMap { unsafe $0.records.authors?.rawPayloads($0.index..<$0.index + found.count) }
  }
}

extension ResultBuffer {
  /// Of some records; of all without a range.
  fileprivate func rawPayloads(_ range: Range<Int>? = nil) -> RawResult<PayloadRecord>? {
    unsafe details?.payloads.map { unsafe $0.raw(range ?? 0..<$0.count) }
  }
}

extension Page {
  /// Whether there is a cursor, without a copy of it.
  package var hasNext: Bool { if case .some = next { true } else { false } }
  package var hasPrevious: Bool { if case .some = previous { true } else { false } }
}

extension Array {
  /// The records of those that exist: they share one result, in this order.
  package func rawUsers() -> RawResult<UserRecord>? where Element == User? {
    let found = compactMap(\.self)
    return unsafe found.first.map { unsafe $0.records.raw($0.index..<$0.index + found.count) }
  }

  /// As `rawUsers`.
  package func rawPosts() -> RawResult<PostRecord>? where Element == Post? {
    let found = compactMap(\.self)
    return unsafe found.first.map { unsafe $0.records.raw($0.index..<$0.index + found.count) }
  }

  /// The author of each of them; nil unless requested.
  package func rawAuthors() -> RawResult<UserRecord>? where Element == Post? {
    let found = compactMap(\.self)
    guard let first = found.first, let authors = first.records.authors else { return nil }
    return unsafe authors.raw(first.index..<first.index + found.count)
  }
}
