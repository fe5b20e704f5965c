import CKith
import Kith
import Synchronization

/// The memory of a result: the engine's page, and what was made for C beside it.
final class ResultEntry: Entry {
  /// What the rows and the cursors are of; nil if all of the result was made for C.
  private var value: Answer?
  private var blocks: [UnsafeMutableRawPointer] = []
  /// The texts of the cursors, made when they are first read.
  private var texts: (next: kith_text?, previous: kith_text?) = (nil, nil)
  private let turn = Turn()

  override init() {}

  /// Keeps the page while the result lives.
  fileprivate func keep(_ value: consuming Answer) { self.value = value }

  deinit { for block in blocks { block.deallocate() } }

  /// Memory for some elements, which lives as long as the result.
  func allocate<Element: BitwiseCopyable>(_ type: Element.Type, _ count: Int) -> UnsafeMutableBufferPointer<Element> {
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: max(1, count) * MemoryLayout<Element>.stride, alignment: MemoryLayout<Element>.alignment)
    blocks.append(block)
    return UnsafeMutableBufferPointer(start: block.bindMemory(to: Element.self, capacity: max(1, count)), count: count)
  }

  func copy<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element>? {
    let memory = allocate(Element.self, elements.count)
    _ = memory.initialize(from: elements)
    return UnsafePointer(memory.baseAddress)
  }

  /// Copies texts into one area.
  func copy(texts: [String]) -> [kith_text] {
    let area = allocate(UInt8.self, texts.reduce(0) { $0 + $1.utf8.count })
    var end = 0
    return texts.map { text in
      let start = end
      for byte in text.utf8 {
        area[end] = byte
        end += 1
      }
      let data = area.baseAddress.map { UnsafeRawPointer($0 + start).assumingMemoryBound(to: CChar.self) }
      return kith_text(data: data, size: end - start)
    }
  }

  /// The text of a cursor; empty if there is none.
  func text(isNext: Bool) -> kith_text {
    turn.take {
      if let text = isNext ? texts.next : texts.previous { return text }
      let (next, previous) = value?.cursors ?? (nil, nil)
      guard let cursor = isNext ? next : previous else { return kith_text() }
      let text = copy(texts: [cursor.text])[0]
      if isNext { texts.next = text } else { texts.previous = text }
      return text
    }
  }

  /// Makes the handle of this result.
  func handle() throws -> OpaquePointer { try Handle.make(self, KITH_KIND_RESULT) }

  /// Makes a result and its handle before the body reads what can be read once, so that nothing is lost when no handle
  /// is left. The handle ends if the body says that nothing came, or fails.
  static func reserved(_ body: (ResultEntry, OpaquePointer) throws -> Bool) throws {
    let entry = ResultEntry()
    let handle = try entry.handle()
    var isUsed = false
    defer { if !isUsed { _ = Handle.end(handle) } }
    isUsed = try body(entry, handle)
  }
}

// MARK: - Pages

/// The answer to a query of C: a page, or the rows that were looked up.
extension Answer {
  /// Hands the page to C: rows and texts are the engine's, in place.
  consuming func write(to page: UnsafeMutablePointer<kith_page>) throws {
    let entry = ResultEntry()
    write(entry, try entry.handle(), to: page)
  }

  /// Hands a page of what leads to a user to C.
  consuming func write(to page: UnsafeMutablePointer<kith_incoming_page>) throws {
    guard case .incoming(let found) = self else { preconditionFailure("an answer is of what was asked") }
    let entry = ResultEntry()
    let owner = try entry.handle()
    let edges = found.rawEdges
    let names = entry.copy(texts: edges.map(\.relation))
    page.pointee.edges = entry.copy(
      edges.enumerated().map { place, edge in
        kith_incoming_edge(
          relation: names[place], second: edge.second, source: UInt32(edge.source), target: UInt32(edge.target ?? 0),
          is_from_post: edge.isFromPost ? 1 : 0, has_target: edge.target == nil ? 0 : 1, reserved: (0, 0))
      })
    page.pointee.count = edges.count
    (page.pointee.users.total, page.pointee.posts.total) = (-1, -1)
    page.pointee.users.setUsers(found.rawUsers)
    page.pointee.posts.setPosts(found.rawPosts)
    entry.add(authors: found.rawAuthors, to: &page.pointee.posts)
    if let next = found.next { page.pointee.next = entry.copy(texts: [next.text])[0] }
    page.pointee.owner = owner
    entry.keep(self)
  }

  /// Hands the page to C as a result that has its handle.
  consuming func write(_ entry: ResultEntry, _ owner: OpaquePointer, to page: UnsafeMutablePointer<kith_page>) {
    describe(page, entry)
    page.pointee.owner = owner
    entry.keep(self)
  }

  /// Writes where the rows and texts are, and what the engine does not keep beside them.
  private borrowing func describe(_ page: UnsafeMutablePointer<kith_page>, _ entry: ResultEntry) {
    page.pointee.total = -1
    switch self {
    case .users(let users):
      page.pointee.setUsers(users.raw)
      page.pointee.setPayloads(users.rawPayloads)
      page.pointee.has_next = users.hasNext
      if let total = users.total { page.pointee.total = Int64(total) }
      if let highlights = users.highlights { entry.add(highlights, to: &page.pointee) }
      if let highlights = users.displayNameHighlights { entry.add(displayNames: highlights, to: &page.pointee) }
    case .posts(let posts), .timeline(let posts), .twoHopTimeline(let posts), .ancestors(let posts):
      page.pointee.setPosts(posts.raw)
      page.pointee.setPayloads(posts.rawPayloads, ofAuthors: posts.rawAuthorPayloads)
      entry.add(authors: posts.rawAuthors, to: &page.pointee)
      (page.pointee.has_next, page.pointee.has_previous) = (posts.hasNext, posts.hasPrevious)
      page.pointee.is_truncated = posts.isTruncated
      if let total = posts.total { page.pointee.total = Int64(total) }
      if let highlights = posts.highlights { entry.add(highlights, to: &page.pointee) }
    case .suggestions(let suggestions):
      page.pointee.setUsers(suggestions.raw)
      page.pointee.is_truncated = suggestions.isTruncated
      entry.add(suggestions.map(\.mutualCount), suggestions.map(\.mutuals.count), to: &page.pointee)
    case .user(let user):
      page.pointee.setUsers(user.raw)
      page.pointee.setPayloads(user.rawPayloads)
    case .post(let post):
      page.pointee.setPosts(post.raw)
      page.pointee.setPayloads(post.rawPayloads, ofAuthors: post.rawAuthorPayloads)
      entry.add(authors: post.rawAuthor, to: &page.pointee)
    case .usersByID(let users):
      page.pointee.setUsers(users.rawUsers())
      page.pointee.setPayloads(users.rawUserPayloads())
    case .postsByID(let posts):
      page.pointee.setPosts(posts.rawPosts())
      page.pointee.setPayloads(posts.rawPostPayloads(), ofAuthors: posts.rawAuthorPayloads())
      entry.add(authors: posts.rawAuthors(), to: &page.pointee)
    case .lookup, .value, .relations, .edges, .incoming, .incomingCount, .shortestPath:
      preconditionFailure("a query of C has no such answer")
    }
  }

  /// The cursors of the next and the previous page.
  var cursors: (next: Cursor?, previous: Cursor?) {
    switch self {
    case .users(let users): (users.next, nil)
    case .posts(let posts), .timeline(let posts), .twoHopTimeline(let posts), .ancestors(let posts):
      (posts.next, posts.previous)
    case .suggestions, .user, .post, .usersByID, .postsByID, .lookup, .value, .relations, .edges, .incoming,
      .incomingCount, .shortestPath:
      (nil, nil)
    }
  }
}

extension kith_page {
  // A pointer that is not null says what the rows would be.
  private static nonisolated(unsafe) let noUsers = UnsafePointer(UnsafeMutablePointer<kith_user>.allocate(capacity: 1))
  private static nonisolated(unsafe) let noPosts = UnsafePointer(UnsafeMutablePointer<kith_post>.allocate(capacity: 1))

  fileprivate mutating func setUsers(_ raw: RawResult<UserRecord>?) {
    guard let raw else { return users = Self.noUsers }
    users = raw.records
    setTexts(raw)
    display_names = text
  }

  fileprivate mutating func setPosts(_ raw: RawResult<PostRecord>?) {
    guard let raw else { return posts = Self.noPosts }
    posts = raw.records
    setTexts(raw)
  }

  fileprivate mutating func setPayloads(
    _ raw: RawResult<PayloadRecord>?, ofAuthors authors: RawResult<PayloadRecord>? = nil
  ) {
    if let raw { (payloads, payload_bytes) = (raw.records, raw.texts.assumingMemoryBound(to: UInt8.self)) }
    if let authors {
      (author_payloads, author_payload_bytes) = (authors.records, authors.texts.assumingMemoryBound(to: UInt8.self))
    }
  }

  private mutating func setTexts<Record>(_ raw: RawResult<Record>) {
    (count, text) = (raw.count, raw.texts.assumingMemoryBound(to: CChar.self))
    text_size = raw.byteCount
  }
}

extension ResultEntry {
  fileprivate func add(_ highlights: [[Range<Int>]], to page: inout kith_page) {
    (page.range_ends, page.ranges) = copy(highlights)
  }

  fileprivate func add(displayNames highlights: [[Range<Int>]], to page: inout kith_page) {
    (page.display_name_range_ends, page.display_name_ranges) = copy(highlights)
  }

  private func copy(_ highlights: [[Range<Int>]]) -> (ends: UnsafePointer<UInt32>?, UnsafePointer<kith_range>?) {
    var end = 0
    let ends = highlights.map { ranges in
      end += ranges.count
      return UInt32(end)
    }
    let ranges = highlights.joined().map { kith_range(start: UInt32($0.lowerBound), end: UInt32($0.upperBound)) }
    return (copy(ends), copy(ranges))
  }

  /// Copies the authors of a page of posts. Their usernames are those in the texts of the posts.
  fileprivate func add(authors: RawResult<UserRecord>?, to page: inout kith_page) {
    guard let authors, let posts = page.posts else { return }
    let users = allocate(kith_user.self, authors.count)
    for index in users.indices {
      users[index] = authors.records[index]
      users[index].name_start = posts[index].name_start
    }
    page.users = UnsafePointer(users.baseAddress)
    page.display_names = authors.texts.assumingMemoryBound(to: CChar.self)
  }

  /// The rows of suggestions: the count is that of the users suggested; the rows after them are the mutuals named.
  fileprivate func add(_ counts: [Int], _ named: [Int], to page: inout kith_page) {
    page.count = counts.count
    page.mutual_counts = copy(counts.map { UInt32(clamping: $0) })
    var end = counts.count
    page.mutual_ends = copy(
      named.map { count in
        end += count
        return UInt32(end)
      })
  }
}

/// Described in kith.h.
@c @implementation
public func kith_next(_ page: UnsafePointer<kith_page>?, _ cursor: UnsafeMutablePointer<kith_text>?) -> kith_status {
  readCursor(page, cursor, isNext: true)
}

/// Described in kith.h.
@c @implementation
public func kith_previous(
  _ page: UnsafePointer<kith_page>?, _ cursor: UnsafeMutablePointer<kith_text>?
) -> kith_status {
  readCursor(page, cursor, isNext: false)
}

private func readCursor(
  _ page: UnsafePointer<kith_page>?, _ cursor: UnsafeMutablePointer<kith_text>?, isNext: Bool
) -> kith_status {
  cursor?.pointee = kith_text()
  return finish(nil) {
    let (page, cursor) = (try needed(page, "page"), try needed(cursor, "cursor"))
    cursor.pointee = try Handle(page.pointee.owner).with(only: KITH_KIND_RESULT, ResultEntry.self) { entry in
      entry.text(isNext: isNext)
    }
  }
}
