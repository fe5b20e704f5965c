/// Writes JSON values one after another into one buffer, and adds the commas.
///
/// Names of members are constants of the protocol and need no escaping; texts are escaped where JSON requires it and
/// are otherwise copied as UTF-8.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// The bytes of one object.
  static func bytes(_ content: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(content)
    return writer.bytes
  }

  /// Removes the content and keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// Ends a line; the next value starts a new one.
  mutating func newline() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  mutating func object(_ content: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "{"))
    content(&self)
    close(UInt8(ascii: "}"))
  }

  mutating func array<Item>(_ items: some Sequence<Item>, each: (inout JSONWriter, Item) -> Void) {
    open(UInt8(ascii: "["))
    for item in items { each(&self, item) }
    close(UInt8(ascii: "]"))
  }

  mutating func integers(_ values: some Sequence<Int>) { array(values) { $0.integer($1) } }

  /// Starts a member; the next value belongs to it.
  mutating func name(_ name: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: name.utf8)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  mutating func boolean(_ value: Bool) {
    separate()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  mutating func integer(_ value: some BinaryInteger) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = UInt64(value.magnitude)
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  mutating func string(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    if text.utf8.contains(where: Self.needsEscape) {
      for byte in text.utf8 { appendEscaped(byte) }
    } else {
      bytes.append(contentsOf: text.utf8)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A value that is encoded as JSON already.
  mutating func source(_ json: ArraySlice<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
  }

  // MARK: Members

  mutating func member(_ name: String, _ value: some BinaryInteger) {
    self.name(name)
    integer(value)
  }

  /// - Parameter value: a finite number; JSON has no other.
  mutating func member(_ name: String, _ value: Double) {
    self.name(name)
    separate()
    bytes.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
  }

  mutating func member(_ name: String, _ value: Bool) {
    self.name(name)
    boolean(value)
  }

  mutating func member(_ name: String, _ value: String) {
    self.name(name)
    string(value)
  }

  mutating func member(_ name: String, orNull value: (some BinaryInteger)?) {
    self.name(name)
    if let value { integer(value) } else { null() }
  }

  mutating func member(_ name: String, stringOrNull value: String?) {
    self.name(name)
    if let value { string(value) } else { null() }
  }

  mutating func object(_ name: String, _ content: (inout JSONWriter) -> Void) {
    self.name(name)
    object(content)
  }

  mutating func array<Item>(_ name: String, _ items: some Sequence<Item>, each: (inout JSONWriter, Item) -> Void) {
    self.name(name)
    array(items, each: each)
  }

  /// A list of objects.
  mutating func objects<Item>(_ name: String, _ items: some Sequence<Item>, each: (inout JSONWriter, Item) -> Void) {
    array(name, items) { writer, item in writer.object { each(&$0, item) } }
  }

  mutating func strings(_ name: String, _ items: some Sequence<String>) { array(name, items) { $0.string($1) } }

  // MARK: Bytes

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case 0x0A: bytes += "\\n".utf8
    case 0x0D: bytes += "\\r".utf8
    case 0x09: bytes += "\\t".utf8
    case 0..<0x20:
      let digits = Array("0123456789abcdef".utf8)
      bytes += "\\u00".utf8
      bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    default: bytes.append(byte)
    }
  }
}
