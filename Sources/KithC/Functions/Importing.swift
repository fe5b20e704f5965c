import CKith
import Kith

/// Described in kith.h.
@c @implementation
public func kith_import(
  _ graph: OpaquePointer?, _ columns: UnsafePointer<kith_import_columns>?,
  _ report: UnsafeMutablePointer<kith_import_report>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  report?.pointee = kith_import_report()
  return finish(error) {
    let columns = try needed(columns, "columns").pointee
    let rows = try ImportRows(columns)
    try Handle(graph).withGraphEntry { entry in
      try entry.callWriting {
        // Throws if the graph cannot be changed now.
        try entry.graph.batch { (_) throws(KithError) in }
        var counts = kith_import_report()
        let failure = entry.graph.bulk { batch in rows.add(to: &batch, &counts) }
        report?.pointee = counts
        do throws(KithError) {
          try entry.graph.snapshot()
        } catch {
          guard case .noStore = error else { throw error }
        }
        if let failure { throw failure }
      }
    }
  }
}

/// The columns of an import, checked.
private struct ImportRows {
  private let users: (ids: UnsafeBufferPointer<Int64>, names: Texts)
  private let posts: (ids: UnsafeBufferPointer<Int64>, authors: UnsafeBufferPointer<Int64>, texts: Texts)
  private let postTimes: UnsafePointer<Int64>?
  private let edges: [Edges]
  private let now = Timestamp.now()

  private struct Edges {
    let kind: RelationKind
    let columns: EdgeColumns
    let counts: WritableKeyPath<kith_import_report, kith_import_count>

    init(
      _ kind: RelationKind, _ column: kith_edges_column, at now: Timestamp,
      _ counts: WritableKeyPath<kith_import_report, kith_import_count>
    ) throws {
      self.kind = kind
      columns = EdgeColumns(
        sources: try buffer(column.users, column.count, "users of a column of edges"),
        targets: try buffer(column.targets, column.count, "targets of a column of edges"), times: column.times,
        defaultTime: now.rawValue)
      self.counts = counts
    }
  }

  /// Texts of one area.
  private struct Texts {
    private let data: UnsafePointer<CChar>?
    private let offsets: UnsafeBufferPointer<Int64>

    init(
      _ data: UnsafePointer<CChar>?, size: Int, _ offsets: UnsafePointer<Int64>?, count: Int, _ name: StaticString
    ) throws {
      self.data = data
      self.offsets = try buffer(offsets, count == 0 ? 0 : count + 1, name)
      guard size >= 0, size == 0 || data != nil else { throw Failure.invalid("the texts of \(name) are null") }
      var last: Int64 = 0
      for offset in self.offsets {
        guard offset >= last, offset <= size else { throw Failure.invalid("the \(name) do not ascend in their area") }
        last = offset
      }
    }

    /// Nil unless it is valid UTF-8.
    func text(_ index: Int) -> String? {
      let (start, end) = (Int(offsets[index]), Int(offsets[index + 1]))
      guard start < end, let data else { return "" }
      return validated(data + start, end - start)
    }
  }

  init(_ columns: kith_import_columns) throws {
    let (names, texts) = (columns.users, columns.posts)
    users = (
      try buffer(names.ids, names.count, "ids of users"),
      try Texts(names.usernames, size: names.usernames_size, names.offsets, count: names.count, "offsets of users")
    )
    posts = (
      try buffer(texts.ids, texts.count, "ids of posts"), try buffer(texts.authors, texts.count, "authors of posts"),
      try Texts(texts.texts, size: texts.texts_size, texts.offsets, count: texts.count, "offsets of posts")
    )
    postTimes = texts.times
    edges = [
      try Edges(.follow, columns.follows, at: now, \.follows), try Edges(.like, columns.likes, at: now, \.likes),
      try Edges(.block, columns.blocks, at: now, \.blocks), try Edges(.mute, columns.mutes, at: now, \.mutes),
    ]
  }

  /// Adds all rows. Returns the error of a limit that was reached.
  func add(to batch: inout SocialGraph.Batch, _ report: inout kith_import_report) -> KithError? {
    do throws(KithError) {
      try add(users.ids.count, &batch, &report.users) { index in
        users.names.text(index).map { .addUser(id: UserID(users.ids[index]), username: $0) }
      }
      try add(edges[0], &batch, &report)
      try add(posts.ids.count, &batch, &report.posts) { index in
        posts.texts.text(index).map { text in
          .addPost(
            id: PostID(posts.ids[index]), by: UserID(posts.authors[index]), text: text,
            createdAt: postTimes.map { Timestamp($0[index]) } ?? now)
        }
      }
      for edges in edges[1...] { try add(edges, &batch, &report) }
      return nil
    } catch {
      return error
    }
  }

  private func add(
    _ edges: Edges, _ batch: inout SocialGraph.Batch, _ report: inout kith_import_report
  ) throws(KithError) {
    var count = kith_import_count()
    var made = (added: 0, duplicates: 0)
    defer {
      count.added = UInt64(made.added)
      count.duplicates = UInt64(made.duplicates)
      report[keyPath: edges.counts] = count
    }
    try batch.importEdges(edges.kind, edges.columns, counts: &made) { count.refuse($0, $1) }
  }

  /// - Parameter change: of a row; nil for one that is not valid UTF-8.
  @inline(__always)
  private func add(
    _ count: Int, _ batch: inout SocialGraph.Batch, _ counts: inout kith_import_count, _ change: (Int) -> Change?
  ) throws(KithError) {
    for index in 0..<count {
      do throws(KithError) {
        guard let change = change(index) else { throw .invalidRequest(.invalidUTF8) }
        if try batch.importChange(change).didChange { counts.added += 1 } else { counts.duplicates += 1 }
      } catch {
        if case .limitExceeded = error { throw error }
        counts.refuse(index, error)
      }
    }
  }
}

extension kith_import_count {
  /// Counts a row that was refused.
  fileprivate mutating func refuse(_ index: Int, _ error: KithError) {
    if refused == 0 {
      first_refused = UInt64(index)
      first_status = statusCode(of: error)
    }
    refused += 1
  }
}
