/// One value of a parsed line.
///
/// Fields of requests are integers, strings, booleans, lists and references. A number that is not written as plain
/// digits or does not fit 64 bits has no value: no field accepts it, and a tag is echoed by its source bytes.
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
  /// Byte offsets of the value in the line, without the white space around it.
  let source: Range<Int>
}

extension [JSONMember] {
  /// The member of that name, compared byte by byte: `String` equality would treat canonically equivalent names as
  /// equal.
  func named(_ name: String) -> JSONMember? {
    first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}

/// Why a line is not one JSON value, and the byte offset.
struct JSONError: Error, Equatable, CustomStringConvertible {
  enum Reason: Equatable {
    case unexpectedEnd
    case unexpectedByte(UInt8)
    case controlCharacter
    case invalidEscape
    case loneSurrogate
    case invalidUTF8
    case tooDeep
    case tooManyValues
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
    case .tooManyValues: "more than \(JSONReader.maximumValueCount) values, at byte \(offset)"
    case .duplicateName(let name): "the field \(name.shown) occurs twice, again at byte \(offset)"
    case .trailingBytes: "more bytes after the value, at byte \(offset)"
    }
  }
}
