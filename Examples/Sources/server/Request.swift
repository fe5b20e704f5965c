import Foundation

/// A request of HTTP without a body: its parameters are in the path and in the query.
struct Request {
  let method: String
  /// The nouns of the path: `users/follows` of `/users/1/follows/2`.
  let route: String
  /// The numbers of the path: 1 and 2.
  let ids: [Int64]
  /// What follows the `?`.
  let parameters: [String: String]

  /// The longest head that is read.
  static let headByteCount = 8_192

  /// - Parameter head: everything before the empty line; nil if it is no request.
  init?(head: String) {
    let words = head.prefix { !$0.isNewline }.split(separator: " ")
    guard words.count == 3, let target = URLComponents(string: String(words[1])) else { return nil }
    let parts = target.path.split(separator: "/")
    method = String(words[0])
    route = parts.filter { Int64($0) == nil }.joined(separator: "/")
    ids = parts.compactMap { Int64($0) }
    let items = (target.queryItems ?? []).map { ($0.name, $0.value ?? "") }
    parameters = Dictionary(items) { _, last in last }
  }
}
