/// The public declarations of a module, from its sources: what a host can name.
///
/// A line is the type that a declaration belongs to, and the declaration without its body. Types come before their
/// members. Members of types that are not public, and synthesized ones, are left out.
enum PublicAPI {
  static let path = "docs/API.txt"
  static let modules = ["Kith", "KithFoundation", "KithReplication"]

  static let header = """
    # The public API, one declaration a line: its type, and the declaration. PublicAPITests compares it with the
    # sources.
    # To renew it: KITH_WRITE_API=1 swift test --filter PublicAPITests

    """

  /// The whole page.
  static func page(of files: [SourceFile]) -> String {
    modules.reduce(header) { page, module in
      let lines = lines(of: files.filter { $0.isSwift && $0.path.hasPrefix("Sources/\(module)/") })
      return page + "\n## \(module)\n\n" + lines.map { $0 + "\n" }.joined()
    }
  }

  /// Lines that only one of the pages has, removed ones with a minus and added ones with a plus.
  static func difference(from old: String, to new: String) -> [String] {
    new.split(separator: "\n").difference(from: old.split(separator: "\n")).map { change in
      switch change {
      case .remove(_, let line, _): "- \(line)"
      case .insert(_, let line, _): "+ \(line)"
      }
    }
  }

  /// The lines of one module.
  static func lines(of files: [SourceFile]) -> [String] {
    let scans = files.map { DeclarationScan($0) }
    var isPublic: [String: Bool] = [:]
    for type in scans.flatMap(\.types) { isPublic[type.path] = type.isPublic || isPublic[type.path] == true }
    // A type that the module does not declare is another module's.
    let isShown = { (path: [String]) in
      path.indices.allSatisfy { isPublic[path[...$0].joined(separator: ".")] != false }
    }
    let entries = scans.flatMap(\.entries).compactMap { entry -> Entry? in
      guard isShown(entry.path) else { return nil }
      var entry = entry
      entry.inherited.removeAll { !isShown([$0]) }
      return entry.isConformance && entry.inherited.isEmpty ? nil : entry
    }
    return Set(entries.map(\.key)).sorted { ($0.path, $0.rank, $0.text) < ($1.path, $1.rank, $1.text) }.map {
      $0.path.isEmpty ? $0.text : "\($0.path): \($0.text)"
    }
  }

  /// A public declaration, or conformances that an extension adds.
  struct Entry {
    /// The type that it belongs to, from the outside in; its own type, if it declares one.
    var path: [String]
    var isType = false
    /// The declaration up to its inheritance clause.
    var text: String
    var inherited: [String] = []
    /// What follows an inheritance clause or an extension's type: `where …`.
    var condition = ""
    var isConformance = false

    struct Key: Hashable {
      let path: String
      let rank: Int
      let text: String
    }

    var key: Key {
      let clause = inherited.isEmpty ? "" : ": " + inherited.joined(separator: ", ")
      return Key(
        path: path.joined(separator: "."), rank: isType ? 0 : isConformance ? 1 : 2,
        text: text + clause + (condition.isEmpty ? "" : " " + condition))
    }
  }
}
