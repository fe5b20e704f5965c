import CKith
import Kith

/// Described in kith.h.
@c @implementation
public func kith_incoming(
  _ graph: OpaquePointer?, _ query: UnsafePointer<kith_query>?, _ page: UnsafeMutablePointer<kith_incoming_page>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  page?.pointee = kith_incoming_page()
  return finish(error) {
    let page = try needed(page, "page")
    let (user, asked) = try PageQuery(query).incoming()
    let answer = try Handle(graph).read { view in try Read.incoming(to: user, asked).answer(view) }
    try answer.write(to: page)
  }
}

/// Described in kith.h.
@c @implementation
public func kith_incoming_count(
  _ graph: OpaquePointer?, _ query: UnsafePointer<kith_query>?, _ count: UnsafeMutablePointer<Int64>?,
  _ is_truncated: UnsafeMutablePointer<Bool>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) {
    let (count, isTruncated) = (try needed(count, "count"), try needed(is_truncated, "is_truncated"))
    (count.pointee, isTruncated.pointee) = (0, false)
    let (user, asked) = try PageQuery(query).incoming()
    let answer = try Handle(graph).read { view in try Read.incomingCount(to: user, asked.whole).answer(view) }
    guard case .incomingCount(let found) = answer else { preconditionFailure("an answer is of what was asked") }
    (count.pointee, isTruncated.pointee) = (Int64(found.count), found.isTruncated)
  }
}

extension IncomingQuery {
  /// The same of all pages.
  fileprivate var whole: IncomingQuery {
    IncomingQuery(relations: relations, sources: sources, before: before, after: after)
  }
}
