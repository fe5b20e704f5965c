/// A position in the order of usernames: by loose key, then by exact name, both as unsigned UTF-8 bytes.
///
/// No name need exist at the position: a cursor keeps the position of a user who was deleted since.
struct NameKey: Hashable, Comparable, Sendable {
  let loose: [UInt8]
  let name: [UInt8]
  /// Whether the name itself also sorts after the position, because a user with a higher id has it now. The order is by
  /// loose key, name, then id, and the index does not know ids.
  var precedesItsName = false
  /// The id of the user at the position: users of one name, of different kinds, come by it.
  var id: Int64 = 0

  init(name: [UInt8]) {
    loose = Folding.loose(name.span)
    self.name = name
  }

  /// The position after all names whose loose key begins with a nonempty text.
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
