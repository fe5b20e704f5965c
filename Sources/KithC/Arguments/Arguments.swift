import CKith
import Kith

/// Runs the body of a C function: its error becomes the status, and the message if one is wanted.
@inline(__always)
func finish(_ error: UnsafeMutablePointer<kith_error>?, _ body: () throws -> Void) -> kith_status {
  do {
    try body()
    return kith_status(KITH_OK)
  } catch let failure {
    return report(failure, to: error)
  }
}

/// Writes an error where the caller wants it, and returns its status.
@inline(never)
func report(_ failure: any Error, to error: UnsafeMutablePointer<kith_error>?) -> kith_status {
  let status = statusCode(of: failure)
  guard let error else { return status }
  error.pointee.status = status
  error.pointee.index = -1
  error.pointee.system_error = 0
  if case .inBatch(let index, _)? = failure as? KithError { error.pointee.index = Int32(index) }
  if case .change(let index, _)? = failure as? Failure { error.pointee.index = Int32(index) }
  if case .system(let number, _, _)? = failure as? KithError { error.pointee.system_error = number }
  let size = withUnsafeMutableBytes(of: &error.pointee.message) { copy(message(of: failure), to: $0) }
  error.pointee.message_size = UInt32(size)
  return status
}

/// Copies a text and a zero byte after it; as many whole characters as fit. Returns their bytes.
func copy(_ text: String, to bytes: UnsafeMutableRawBufferPointer) -> Int { copy(Array(text.utf8), to: bytes) }

/// Copies the bytes of a text or a path.
func copy(_ text: [UInt8], to bytes: UnsafeMutableRawBufferPointer) -> Int {
  var utf8 = Array(text.prefix(bytes.count - 1))
  if utf8.count < text.count {
    // A byte 10xxxxxx continues a character.
    while let last = utf8.last, last & 0xC0 == 0x80 { utf8.removeLast() }
    utf8.removeLast()
  }
  bytes.copyBytes(from: utf8)
  bytes[utf8.count] = 0
  return utf8.count
}

private func message(of failure: any Error) -> String {
  switch failure {
  case let error as KithError: error.description
  case Failure.handle: "the handle is not one, or was freed, or is of another kind"
  case Failure.timedOut: "nothing happened in time"
  case Failure.invalid(let reason): reason
  case Failure.change(let index, let error): "change \(index): \(message(of: error))"
  case Failure.body(let value): "the callback returned \(value)"
  default: "\(failure)"
  }
}

func statusCode(of failure: any Error) -> kith_status {
  switch failure {
  case let error as KithError: status(code: error.code)
  case Failure.handle: kith_status(KITH_INVALID_HANDLE)
  case Failure.timedOut: kith_status(KITH_TIMED_OUT)
  case Failure.body(let value): value
  default: kith_status(KITH_INVALID_REQUEST)
  }
}

/// The names of the statuses in memory that lasts, for C.
private let statusNames = statuses.map { (number: kith_status($0.number), name: CString($0.name)) }
private let versionText = CString("\(KITH_VERSION_MAJOR).\(KITH_VERSION_MINOR).\(KITH_VERSION_PATCH)")

/// A string that ends with a zero byte and is never freed.
struct CString: @unchecked Sendable {
  let start: UnsafePointer<CChar>

  init(_ text: String) {
    let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: text.utf8.count + 1)
    for (index, byte) in text.utf8.enumerated() { bytes[index] = CChar(bitPattern: byte) }
    bytes[text.utf8.count] = 0
    start = UnsafePointer(bytes)
  }
}

/// Described in kith.h.
@c @implementation
public func kith_status_name(_ status: kith_status) -> UnsafePointer<CChar>? {
  statusNames.first { $0.number == status }?.name.start
}

/// Described in kith.h.
@c @implementation
public func kith_version() -> UnsafePointer<CChar>? { versionText.start }

/// Described in kith.h.
@c @implementation
public func kith_version_number() -> UInt32 {
  UInt32(KITH_VERSION_MAJOR * 1_000_000 + KITH_VERSION_MINOR * 1_000 + KITH_VERSION_PATCH)
}

// MARK: - Arguments

typealias Limits = SocialGraph.Limits

/// A pointer that must not be null.
@inline(__always)
func needed<Pointer>(_ pointer: Pointer?, _ name: StaticString) throws -> Pointer {
  guard let pointer else { throw Failure.invalid("\(name) is null") }
  return pointer
}

/// The elements of an array; a null pointer is valid for none.
func buffer<Element>(
  _ start: UnsafePointer<Element>?, _ count: Int, _ name: StaticString
) throws -> UnsafeBufferPointer<Element> {
  guard count >= 0, count <= Int.max / max(1, MemoryLayout<Element>.stride) else {
    throw Failure.invalid("the count of \(name) is no length")
  }
  return UnsafeBufferPointer(start: count == 0 ? nil : try needed(start, name), count: count)
}

/// A text argument.
func string(_ text: kith_text, _ name: StaticString) throws -> String {
  let bytes = try bytes(of: text, name)
  guard let string = String.fromUTF8(bytes.span) else { throw Failure.invalid("\(name) is not valid UTF-8") }
  return string
}

/// A text argument that may be missing: with null data.
func optionalString(_ text: kith_text, _ name: StaticString) throws -> String? {
  text.data == nil && text.size == 0 ? nil : try string(text, name)
}

/// The path of a file: not empty, without a zero byte. It need not be UTF-8.
func path(_ text: kith_text, _ name: StaticString) throws -> String {
  let bytes = try bytes(of: text, name)
  if bytes.isEmpty || bytes.contains(0) { throw Failure.invalid("\(name) is not the path of a file") }
  return String(pathBytes: bytes)
}

private func bytes(of text: kith_text, _ name: StaticString) throws -> UnsafeBufferPointer<UInt8> {
  // A length over half of the address space is negative here.
  guard (0...Int(KITH_TEXT_LIMIT)).contains(text.size) else {
    throw Failure.invalid("\(name) has more than \(KITH_TEXT_LIMIT) bytes")
  }
  if text.size == 0 { return UnsafeBufferPointer(start: nil, count: 0) }
  let data = UnsafeRawPointer(try needed(text.data, name)).assumingMemoryBound(to: UInt8.self)
  return UnsafeBufferPointer(start: data, count: text.size)
}

/// Bytes as a string; nil unless they are valid UTF-8.
func validated(_ data: UnsafePointer<CChar>, _ count: Int) -> String? {
  data.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
    String.fromUTF8(UnsafeBufferPointer(start: bytes, count: count).span)
  }
}
