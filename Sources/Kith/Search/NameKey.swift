/// A place in the order of usernames: by loose key, then by the exact name, both as unsigned UTF-8 bytes.
///
/// A name at that place need not exist: cursors keep the place of someone who has gone.
struct NameKey: Hashable, Comparable, Sendable {
  let loose: [UInt8]
  let name: [UInt8]
  /// Whether the very name lies behind the place too: somebody else bears it now, with a higher id. The order is by
  /// loose key, name, then id, and the index does not know ids.
  var precedesItsName = false

  init(name: [UInt8]) {
    loose = Folding.loose(name.span)
    self.name = name
  }

  /// The place behind all names whose loose key begins with a text, which is not empty.
  static func behindAll(beginningWith text: [UInt8]) -> NameKey {
    var loose = text
    loose[loose.count - 1] += 1  // the bytes of UTF-8 end at 0xF4
    return NameKey(loose: loose, name: [])
  }

  private init(loose: [UInt8], name: [UInt8]) {
    self.loose = loose
    self.name = name
  }

  static func < (left: NameKey, right: NameKey) -> Bool {
    let order = ByteSearch.compare(left.loose.span, right.loose.span)
    return order < 0 || (order == 0 && ByteSearch.compare(left.name.span, right.name.span) < 0)
  }
}
