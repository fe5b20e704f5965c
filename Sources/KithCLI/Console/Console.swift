import Kith

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Standard output for results, standard error for the rest.
enum Console {
  static func write(_ text: String) throws(CommandFailure) { try write(Array(text.utf8)) }

  /// Writes a path for other programs, and a line break. Its bytes that are not UTF-8 are written as they are.
  static func write(path: String) throws(CommandFailure) {
    let shown = path.unicodeScalars.map { $0.pathByte == nil ? printable(String($0)) : String($0) }.joined()
    try write(shown.pathBytes + [UInt8(ascii: "\n")])
  }

  static func write(_ bytes: [UInt8]) throws(CommandFailure) {
    do throws(ByteStream.Failure) {
      try ByteStream.output.write(bytes)
    } catch {
      throw .no("\(error)")
    }
  }

  /// Writes one JSON object and a line break.
  static func writeJSON(_ content: (inout JSONWriter) -> Void) throws(CommandFailure) {
    var writer = JSONWriter()
    writer.object(content)
    writer.newline()
    try write(writer.bytes)
  }

  /// One line on standard error; if it is about a line of a file, in the form that editors can jump to. A failure to
  /// write it is ignored.
  static func printError(_ failure: CommandFailure) {
    let prefix = failure.isAboutLine ? "" : Color.red("kith:", on: .error) + " "
    try? ByteStream.error.write(Array("\(Progress.clearing)\(prefix)\(printable(failure.message))\n".utf8))
  }
}

extension Console {
  /// One line on standard error: a warning that is not a failure.
  static func note(_ path: String, _ remark: String) {
    try? ByteStream.error.write(Array("\(Progress.clearing)kith: \(printable("\(path): \(remark)"))\n".utf8))
  }

  /// A line on standard error for a program.
  static func note(_ line: [UInt8]) { try? ByteStream.error.write(line) }
}

/// Ends the process with a status.
func leave(with status: Int32) -> Never { exit(status) }
