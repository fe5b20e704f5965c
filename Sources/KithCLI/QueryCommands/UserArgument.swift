import Kith

/// A user on the command line: digits alone are an id, anything else is a name; `@` makes digits a name too.
enum UserArgument {
  static let help = "an id, or a name (@42 is the name 42)"

  /// The user that an option names; nil without one.
  static func resolve(_ text: String?, in view: borrowing GraphView) throws(CommandFailure) -> UserID? {
    guard let text else { return nil }
    return try resolve(text, in: view) as UserID
  }

  static func resolve(_ text: String, in view: borrowing GraphView) throws(CommandFailure) -> UserID {
    if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
      guard let id = Int64(text) else { throw .no("no user \(text); ids have at most 19 digits") }
      return UserID(id)
    }
    let name = text.hasPrefix("@") ? String(text.dropFirst()) : text
    if let id = view.findUser(named: name) { return id }
    let near = (try? view.searchUsers(name, UserQuery(limit: 3)))?.items ?? []
    guard !near.isEmpty, !name.isEmpty else { throw .no("no user named \"\(name)\"; try kith search") }
    throw .no("no user named \"\(name)\"; did you mean \(near.map(\.username).joined(separator: ", "))?")
  }
}
