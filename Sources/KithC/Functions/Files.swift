import CKith
import Kith

/// Described in kith.h.
@c @implementation
public func kith_snapshot(
  _ graph: OpaquePointer?, _ progress: (@convention(c) (UnsafeMutableRawPointer?, Int64) -> Void)?,
  _ context: UnsafeMutableRawPointer?, _ info: UnsafeMutablePointer<kith_snapshot_info>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) {
    let written = try Handle(graph).withGraphEntry { entry in
      try entry.callWriting {
        try entry.kept { entry in
          try entry.graph.snapshot { step in
            guard let progress else { return }
            Nesting.callback(holding: entry.snapshots) { progress(context, step.byteCount) }
          }
        }
      }
    }
    write(written, to: info)
  }
}

/// Described in kith.h.
@c @implementation
public func kith_write_snapshot(
  _ graph: OpaquePointer?, _ descriptor: Int32, _ sequence: UnsafeMutablePointer<UInt64>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  sequence?.pointee = 0
  return finish(error) {
    let written = try Handle(graph).withGraph { try $0.graph.writeSnapshot(to: descriptor) }
    sequence?.pointee = written
  }
}

/// Described in kith.h.
@c @implementation
public func kith_restore(
  _ source: kith_text, _ target: kith_text, _ point: UnsafePointer<kith_restore_point>?,
  _ info: UnsafeMutablePointer<kith_snapshot_info>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) { _ = try restore(source, target, point?.pointee, info) }
}

/// Described in kith.h.
@c @implementation
public func kith_restore_noting(
  _ source: kith_text, _ target: kith_text, _ point: UnsafePointer<kith_restore_point>?,
  _ info: UnsafeMutablePointer<kith_snapshot_info>?, _ remarks: UnsafeMutablePointer<kith_table>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  answer(remarks, error) { try restore(source, target, point?.pointee, info).map { TableRow(message: $0) } }
}

/// Returns the remarks.
private func restore(
  _ source: kith_text, _ target: kith_text, _ point: kith_restore_point?,
  _ info: UnsafeMutablePointer<kith_snapshot_info>?
) throws -> [String] {
  let (source, target) = (try path(source, "source"), try path(target, "target"))
  var (goal, limit, remarks) = (RecoveryTarget.newest, Int64(0), [String]())
  if let point {
    if point.sequence != 0 && point.has_time != 0 { throw Failure.invalid("a point is a sequence number or a time") }
    if point.sequence != 0 { goal = .sequence(point.sequence) }
    if point.has_time != 0 { goal = .time(Timestamp(point.time)) }
    limit = point.maximum_bytes
  }
  let restored = try StoreTools.restore(
    from: source, to: target, at: goal, allowedByteCount: limit == 0 ? nil : Int(limit),
    noting: { remarks = $0.remarks })
  write(restored, to: info)
  return remarks
}

extension SnapshotInfo.Progress {
  /// The bytes for the callback of C.
  fileprivate var byteCount: Int64 {
    switch self {
    case .writing(let byteCount): Int64(byteCount)
    case .verifying: -1
    }
  }
}

private func write(_ written: SnapshotInfo, to info: UnsafeMutablePointer<kith_snapshot_info>?) {
  guard let info else { return }
  info.pointee.sequence = written.sequence
  _ = withUnsafeMutableBytes(of: &info.pointee.path) { copy(written.path.pathBytes, to: $0) }
}

// MARK: - Tables

/// A row of a table, before its texts are in the memory of the result.
private struct TableRow {
  var name = ""
  var place = ""
  var message = ""
  var count = 0
  var bytes = 0
}

private func answer(
  _ table: UnsafeMutablePointer<kith_table>?, _ error: UnsafeMutablePointer<kith_error>?,
  _ rows: () throws -> [TableRow]
) -> kith_status {
  table?.pointee = kith_table()
  return finish(error) {
    let table = try needed(table, "table")
    let rows = try rows()
    let entry = ResultEntry()
    let texts = entry.copy(texts: rows.flatMap { [$0.name, $0.place, $0.message] })
    var made = kith_table()
    made.rows = entry.copy(
      rows.enumerated().map { index, row in
        kith_table_row(
          name: texts[3 * index], place: texts[3 * index + 1], message: texts[3 * index + 2], count: Int64(row.count),
          bytes: Int64(row.bytes))
      })
    made.count = rows.count
    made.owner = try entry.handle()
    table.pointee = made
  }
}

private func rows(_ violations: [SocialGraph.Violation]) -> [TableRow] {
  violations.map { TableRow(name: $0.code, place: $0.place.shownPath, message: $0.message) }
}

/// Described in kith.h.
@c @implementation
public func kith_verify(
  _ graph: OpaquePointer?, _ violations: UnsafeMutablePointer<kith_table>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  answer(violations, error) { rows(try Handle(graph).read { view in view.verify() }) }
}

/// Described in kith.h.
@c @implementation
public func kith_verify_files(
  _ path: kith_text, _ violations: UnsafeMutablePointer<kith_table>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  answer(violations, error) { rows(try StoreTools.verify(try KithC.path(path, "path"))) }
}

/// Described in kith.h.
@c @implementation
public func kith_recovery_remarks(
  _ graph: OpaquePointer?, _ remarks: UnsafeMutablePointer<kith_table>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  answer(remarks, error) {
    try Handle(graph).withGraph { $0.graph.recovery?.remarks ?? [] }.map { TableRow(message: $0) }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_memory_report(
  _ graph: OpaquePointer?, _ report: UnsafeMutablePointer<kith_table>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  answer(report, error) {
    let memory = try Handle(graph).read { view in view.memoryReport() }
    return memory.entries.map { TableRow(name: $0.name, bytes: $0.byteCount) }
      + memory.units.map { TableRow(name: $0.name, place: "unit", count: $0.count, bytes: $0.byteCount) }
  }
}
