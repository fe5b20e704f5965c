/// Why a command failed: the exit status, and one line for standard error that says what failed, where, and what to do
/// next.
struct CommandFailure: Error, Equatable {
  let status: Int32
  let message: String
  /// Whether the message begins with `file:line:`.
  var isAboutLine = false

  /// The answer is "no", or the data is bad.
  static func no(_ message: String) -> CommandFailure { CommandFailure(status: 1, message: message) }

  /// Wrong usage, or something cannot be opened.
  static func usage(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }

  /// A line of a file is bad.
  static func line(_ line: Int, of path: String, _ reason: String) -> CommandFailure {
    CommandFailure(status: 1, message: "\(path):\(line): \(reason)", isAboutLine: true)
  }
}
