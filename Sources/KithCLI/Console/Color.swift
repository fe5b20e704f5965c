import Foundation
import Synchronization

/// Whether headings and errors are set off by colour: see https://no-color.org.
enum Color {
  enum Choice: String, CaseIterable, Sendable {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
    case auto
    case always, never
  }

  private static let chosen = Mutex(Choice.auto)

  static func choose(_ choice: Choice) { chosen.withLock { $0 = choice } }

  static func bold(_ text: String, on stream: ByteStream = .output) -> String { set(text, "1", on: stream) }

  static func red(_ text: String, on stream: ByteStream) -> String { set(text, "1;31", on: stream) }

  private static func set(_ text: String, _ code: String, on stream: ByteStream) -> String {
    isUsed(chosen.withLock { $0 }, isTerminal: stream.isTerminal, ProcessInfo.processInfo.environment)
      ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  static func isUsed(_ choice: Choice, isTerminal: Bool, _ environment: [String: String]) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto: isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
  }
}
