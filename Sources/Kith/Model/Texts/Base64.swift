/// Bytes as text (RFC 4648). Each sequence of bytes has exactly one text: line breaks, a wrong padding and stray bits
/// are refused.
package struct Base64: Sendable {
  /// The standard alphabet with padding (section 4): payloads on the wire.
  package static let standard = Base64("+/", isPadded: true)
  /// The alphabet of URLs without padding (section 5): cursors.
  static let url = Base64("-_", isPadded: false)

  private static let pad = UInt8(ascii: "=")
  private static let none = UInt8.max

  private let letters: [UInt8]
  private let values: [UInt8]
  private let isPadded: Bool

  private init(_ last: String, isPadded: Bool) {
    letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
    var values = [UInt8](repeating: Self.none, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    self.values = values
    self.isPadded = isPadded
  }

  /// The text of some bytes.
  package func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      var group: UInt32 = 0
      for place in 0..<3 { group = group << 8 | UInt32(start + place < bytes.count ? bytes[start + place] : 0) }
      for place in 0..<min(4, bytes.count - start + 1) {
        text.append(letters[Int(group >> UInt32(18 - 6 * place) & 63)])
      }
    }
    if isPadded { while text.count % 4 != 0 { text.append(Self.pad) } }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil for any text that `text` does not produce.
  package func bytes(_ text: String) -> [UInt8]? {
    let padCount = isPadded ? text.utf8.suffix(2).reversed().prefix { $0 == Self.pad }.count : 0
    if isPadded && text.utf8.count % 4 != 0 { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3 + 2)
    var (group, bits) = (UInt32(0), 0)
    for letter in text.utf8.dropLast(padCount) {
      let value = values[Int(letter)]
      if value == Self.none { return nil }
      group = group << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
        group &= (1 << UInt32(bits)) - 1
      }
    }
    return group == 0 && bits < 6 && (!isPadded || padCount == (3 - bytes.count % 3) % 3) ? bytes : nil
  }
}
