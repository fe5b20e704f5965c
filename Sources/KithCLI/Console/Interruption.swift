import Kith
import Synchronization

/// Ctrl-C during a command: it ends with status 130, and one line says what is left behind.
enum Interruption {
  /// Directories that an interruption removes.
  private static let temporaries = Mutex<Set<String>>([])

  /// From now on, Ctrl-C reports what has changed at these paths.
  static func explain(_ paths: [String]) {
    let remainders = paths.map(Remainder.init)
    // Without a thread for it, Ctrl-C ends the command as it ends others.
    _ = Signals.take([Signals.interrupt]) { signal in
      for path in temporaries.withLock({ $0 }) { TemporaryDirectory.delete(path) }
      Console.printError(.no("interrupted; \(text(remainders.compactMap(\.text)))"))
      leaveAtOnce(with: Signals.status(of: signal))
    }
  }

  static func text(_ remainders: [String]) -> String {
    remainders.isEmpty ? "nothing was changed" : remainders.joined(separator: "; ")
  }

  static func addTemporary(_ path: String) { temporaries.withLock { _ = $0.insert(path) } }
  static func removeTemporary(_ path: String) { temporaries.withLock { _ = $0.remove(path) } }
}

/// What a command has left at a path so far, compared with what was there when it began.
struct Remainder: Sendable {
  /// Files of a store without a graph.
  private static let markers: Set<String> = ["LOCK", "ACK", "UNFINISHED"]
  private static let shownCount = 6

  let path: String
  /// The names in the directory; none for a file; nil if nothing was there.
  private let before: Set<String>?

  init(_ path: String) {
    self.path = path
    before = Self.names(path)
  }

  private static func names(_ path: String) -> Set<String>? {
    PathAccess.exists(path) ? Set(PathAccess.names(in: path) ?? []) : nil
  }

  /// Nil if nothing has changed.
  var text: String? {
    guard let after = Self.names(path), after != before else { return nil }
    let added = after.subtracting(before ?? []).sorted()
    let shown = added.prefix(Self.shownCount).joined(separator: ", ")
    let list = added.count > Self.shownCount ? "\(shown) and \(grouped(added.count - Self.shownCount)) more" : shown
    let unfinished = added.filter { !$0.hasSuffix(".tmp") && !Self.markers.contains($0) }.isEmpty
    if before == nil || before?.isEmpty == true {
      if added.isEmpty { return "\(path) was begun and is incomplete: remove it" }
      let state = unfinished ? "holds no graph" : "may be incomplete"
      return "\(path) was begun and \(state) (\(list)): remove it"
    }
    if added.isEmpty { return "\(path): files that are not needed any more were removed" }
    return unfinished
      ? "\(path) holds what it held before, and \(list), which its next use removes" : "\(path) has the new \(list)"
  }
}
