/// The first names, in order, that contain each frequent gram. A page of names with one, two or three letters is read
/// from here, without a search in blocks. Immutable, plain data.
struct FirstRanks: Sendable {
  /// The names of each gram: a page, one more to detect the next, and a few to omit.
  static let countPerGram = 24

  /// An open-addressed hash table of gram << 32 | start in `ranks`. Its size is a power of two; 0 marks a free slot.
  private let table: [UInt64]
  /// The ranks of each gram, ascending, gram after gram.
  let ranks: [UInt32]

  /// For no gram.
  init() { (table, ranks) = ([0], []) }

  init(table: [UInt64], ranks: [UInt32]) { (self.table, self.ranks) = (table, ranks) }

  var byteCount: Int { table.count * 8 + ranks.count * 4 }

  /// Where the ranks of a gram are in `ranks`; nil for a gram that is not frequent.
  func range(of gram: UInt32) -> Range<Int>? {
    let mask = table.count - 1
    var index = GramPostings.home(of: gram, mask: mask)
    while table[index] != 0 {
      if table[index] >> 32 == UInt64(gram) {
        let start = Int(table[index] & 0xFFFF_FFFF)
        return start..<start + Self.countPerGram
      }
      index = (index + 1) & mask
    }
    return nil
  }

  /// The grams, in hash order.
  var grams: [UInt32] { table.filter { $0 != 0 }.map { UInt32($0 >> 32) } }
}
