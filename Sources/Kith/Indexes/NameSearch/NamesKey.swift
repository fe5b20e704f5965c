/// The key of an entry of the name index: the loose key of the username. If the user has a display name, a line feed
/// and the loose key of that follow. Neither name has a line feed.
///
/// So one search for a text without line feeds finds it in either name. The order is that of the usernames alone, which
/// is not that of the whole keys: a username may have bytes below the line feed.
enum NamesKey {
  static let separator: UInt8 = 0x0A

  /// Where the username's key ends.
  @inline(__always)
  static func nameEnd(_ key: Span<UInt8>) -> Int { ByteSearch.place(of: separator, in: key, from: 0) }

  /// The key of the username.
  @inline(__always)
  @_lifetime(copy key)
  static func name(_ key: Span<UInt8>) -> Span<UInt8> { key.extracting(0..<nameEnd(key)) }

  /// The key of the display name; empty if there is none.
  @inline(__always)
  @_lifetime(copy key)
  static func displayName(_ key: Span<UInt8>) -> Span<UInt8> {
    key.extracting(min(nameEnd(key) + 1, key.count)..<key.count)
  }

  /// The leading word of the username's key, by that of the whole key: without the bytes from the first line feed on.
  @inline(__always)
  static func nameWord(_ word: UInt64) -> UInt64 {
    // The highest set bit marks the first line feed: bytes are counted from the highest down, and a borrow, which
    // would set a wrong bit, goes up; so the test is one that does not borrow.
    let other = word ^ 0x0A0A_0A0A_0A0A_0A0A
    let low = 0x7F7F_7F7F_7F7F_7F7F as UInt64
    let found = ~((other & low &+ low) | other | low)
    return found == 0 ? word : word & ~(~0 &>> UInt64(found.leadingZeroBitCount))
  }

  /// Appends the key of an entry.
  /// - Parameter displayName: empty for none.
  static func append(_ name: Span<UInt8>, _ displayName: Span<UInt8>, to bytes: inout [UInt8]) {
    Folding.appendLoose(name, to: &bytes)
    if displayName.isEmpty { return }
    bytes.append(separator)
    Folding.appendLoose(displayName, to: &bytes)
  }
}

extension KeyBuffer {
  /// Appends a display name to the last key, which is that of a username.
  mutating func append(displayName: Span<UInt8>) {
    removeLast(downTo: count - 1)
    let separator = CollectionOfOne(NamesKey.separator)
    appendPart(separator.span)
    Folding.appendLoose(displayName, to: &self)
  }
}
