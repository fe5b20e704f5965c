/// One value of a parsed line.
///
/// Fields of requests are integers, strings, booleans, lists and references, so a number that is not written as plain
/// digits or does not fit 64 bits keeps no value of its own: no field takes it, and a tag comes back by its source
/// bytes.
enum JSONValue: Equatable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case otherNumber
  case string(String)
  case array([JSONValue])
  case object([JSONMember])
}

/// A member of an object, with the place of its value in the line.
struct JSONMember: Equatable, Sendable {
  let name: String
  let value: JSONValue
  /// Byte offsets of the value in the line, white space around it left out.
  let source: Range<Int>
}

extension [JSONMember] {
  /// The member of that name, compared byte by byte: `String` equality would hold some other spellings for the same
  /// name.
  func named(_ name: String) -> JSONMember? {
    first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}

/// Why a line is not one JSON value, and the byte offset where that shows.
struct JSONError: Error, Equatable, CustomStringConvertible {
  enum Reason: Equatable {
    case unexpectedEnd
    case unexpectedByte(UInt8)
    case controlCharacter
    case invalidEscape
    case loneSurrogate
    case invalidUTF8
    case tooDeep
    case duplicateName(String)
    case trailingBytes
  }

  let reason: Reason
  let offset: Int

  var description: String {
    switch reason {
    case .unexpectedEnd: "it ends too early, at byte \(offset)"
    case .unexpectedByte(let byte): "unexpected byte \(byte) at byte \(offset)"
    case .controlCharacter: "a control character in a string at byte \(offset)"
    case .invalidEscape: "an escape that does not exist at byte \(offset)"
    case .loneSurrogate: "half of a surrogate pair at byte \(offset)"
    case .invalidUTF8: "the string at byte \(offset) is not valid UTF-8"
    case .tooDeep: "nested more than \(JSONReader.maximumDepth) deep at byte \(offset)"
    case .duplicateName(let name): "the field \(name) occurs twice, again at byte \(offset)"
    case .trailingBytes: "more bytes after the value, at byte \(offset)"
    }
  }
}
