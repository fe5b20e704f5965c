import CKith
import Kith

/// Described in kith.h.
@c @implementation
public func kith_export(
  _ graph: OpaquePointer?, _ parts: UInt32, _ control: OpaquePointer?, _ exported: UnsafeMutablePointer<kith_exported>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  exported?.pointee = kith_exported()
  return finish(error) {
    let exported = try needed(exported, "exported")
    guard parts & ~exportParts == 0 else { throw Failure.invalid("parts has unknown bits") }
    let (pin, control) = (try Handle(graph).pinned(), try Handle.control(control))
    let rows = ExportRows(pin: pin, control: control)
    var columns = kith_import_columns()
    func isWanted(_ part: Int) -> Bool { parts == 0 || parts & UInt32(part) != 0 }
    if isWanted(KITH_EXPORT_USERS) { columns.users = try rows.users() }
    if isWanted(KITH_EXPORT_FOLLOWS) { columns.follows = try rows.edges(.follow) }
    if isWanted(KITH_EXPORT_POSTS) { columns.posts = try rows.posts() }
    if isWanted(KITH_EXPORT_LIKES) { columns.likes = try rows.edges(.like) }
    if isWanted(KITH_EXPORT_BLOCKS) { columns.blocks = try rows.edges(.block) }
    if isWanted(KITH_EXPORT_MUTES) { columns.mutes = try rows.edges(.mute) }
    exported.pointee = kith_exported(owner: try rows.entry.handle(), columns: columns)
  }
}

/// All parts of an export.
let exportParts = [
  KITH_EXPORT_USERS, KITH_EXPORT_FOLLOWS, KITH_EXPORT_POSTS, KITH_EXPORT_LIKES, KITH_EXPORT_BLOCKS, KITH_EXPORT_MUTES,
].reduce(0) { $0 | UInt32($1) }

/// Copies the rows of a graph to columns of a result.
private struct ExportRows {
  let entry = ResultEntry()
  let pin: SocialGraph.Pin
  let control: PassControl

  func users() throws -> kith_users_column {
    var (ids, names) = ([Int64](), TextArea())
    try pin.view.forEachUser { id, name, _ in
      try check(ids.count)
      ids.append(id.rawValue)
      names.append(name)
    }
    return kith_users_column(
      count: ids.count, ids: entry.copy(ids), offsets: entry.copy(names.offsets), usernames: entry.copy(names),
      usernames_size: names.bytes.count)
  }

  func posts() throws -> kith_posts_column {
    var (ids, authors, times, texts) = ([Int64](), [Int64](), [Int64](), TextArea())
    try pin.view.forEachPost { id, author, time, _, text, _ in
      try check(ids.count)
      ids.append(id.rawValue)
      authors.append(author.rawValue)
      times.append(time.rawValue)
      texts.append(text)
    }
    return kith_posts_column(
      count: ids.count, ids: entry.copy(ids), authors: entry.copy(authors), times: entry.copy(times),
      offsets: entry.copy(texts.offsets), texts: entry.copy(texts), texts_size: texts.bytes.count)
  }

  func edges(_ kind: RelationKind) throws -> kith_edges_column {
    let count = pin.view.counts[kind]
    let (users, targets) = (entry.allocate(Int64.self, count), entry.allocate(Int64.self, count))
    let times = kind.facts.hasTime ? entry.allocate(Int64.self, count) : nil
    var index = 0
    try pin.view.forEachEdge(of: kind) { user, target, time in
      try check(index)
      (users[index], targets[index]) = (user.rawValue, target)
      if let times, let time { times[index] = time.rawValue }
      index += 1
    }
    return kith_edges_column(
      count: count, users: UnsafePointer(users.baseAddress), targets: UnsafePointer(targets.baseAddress),
      times: UnsafePointer(times?.baseAddress))
  }

  /// Ends the export if it was cancelled. Looks once in a thousand rows.
  private func check(_ row: Int) throws {
    if row & 1_023 == 0 && control.isCancelled { throw KithError.cancelled }
  }
}

/// Texts one after the other.
private struct TextArea {
  var bytes: [UInt8] = []
  /// Where each text begins, and the end of the last.
  var offsets: [Int64] = [0]

  mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    offsets.append(Int64(bytes.count))
  }
}

extension ResultEntry {
  fileprivate func copy(_ texts: TextArea) -> UnsafePointer<CChar>? {
    copy(texts.bytes).map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
  }
}
