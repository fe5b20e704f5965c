#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a person or a program sees: standard output for answers, standard error for the rest.
enum Console {
  static var outputIsTerminal: Bool { isatty(StandardStream.output.rawValue) == 1 }
  static var errorIsTerminal: Bool { isatty(StandardStream.error.rawValue) == 1 }

  static func write(_ text: String) throws(CommandFailure) { try write(Array(text.utf8)) }

  static func write(_ bytes: [UInt8]) throws(CommandFailure) {
    do throws(StandardStream.Failure) {
      try StandardStream.output.write(bytes)
    } catch {
      throw .no("standard output: \(error)")
    }
  }

  /// Writes one JSON object and a line break.
  static func writeJSON(_ content: (inout JSONWriter) -> Void) throws(CommandFailure) {
    var writer = JSONWriter()
    writer.object(content)
    writer.newline()
    try write(writer.bytes)
  }

  /// One line on standard error; of a place in a file, in the form that editors jump to. When that fails too there is
  /// nobody left to tell.
  static func complain(_ failure: CommandFailure) {
    let prefix = failure.isAboutLine ? "" : "kith: "
    try? StandardStream.error.write(Array("\(prefix)\(printable(failure.message))\n".utf8))
  }
}

extension Console {
  /// One line on standard error about what a command did not stumble over, but somebody should know.
  static func note(_ path: String, _ remark: String) {
    try? StandardStream.error.write(Array("kith: \(printable("\(path): \(remark)"))\n".utf8))
  }
}

/// Ends the process with a status.
func leave(with status: Int32) -> Never { exit(status) }
