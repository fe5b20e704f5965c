@testable import Kith

/// Changes and queries drawn from a seed: few ids, few names that fold alike, times that tie, and now and then a
/// violated rule.
struct Draw {
  var random: SeededRandom
  /// The approximate number of users.
  let userCount: Int
  /// Whether some changes give an id. Without, ids ascend as rows do, which faster plans rely on.
  let givesIDs: Bool
  /// The end of a range that ids and times are near; nil for ordinary ones.
  var end: Int64?
  /// How far the times of posts have come from there.
  private var ticks: Int64 = 0

  init(seed: UInt64, userCount: Int, givesIDs: Bool = true) {
    random = SeededRandom(seed: seed)
    self.userCount = userCount
    self.givesIDs = givesIDs
  }

  mutating func below(_ bound: Int) -> Int { random.below(bound) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// True with a probability of one in `count`.
  mutating func seldom(_ times: Int) -> Bool { below(times) == 0 }

  // MARK: - Ids and times

  /// Mostly an existing user, in a large model often one of the first, whose lists are long; sometimes a removed one or
  /// one that never existed.
  mutating func user(_ model: ReferenceModel) -> UserID {
    if model.users.isEmpty || seldom(25) { return UserID(Int64(below(60) - 2)) }
    if seldom(25) { return pick(model.everUsers.sorted()) }
    let users = model.users.keys.sorted()
    return userCount > 20 && seldom(4) ? pick(Array(users.prefix(4))) : pick(users)
  }

  mutating func post(_ model: ReferenceModel) -> PostID {
    if model.posts.isEmpty || seldom(25) { return PostID(Int64(below(60) - 2)) }
    if seldom(25) { return pick(model.everPosts.sorted()) }
    return pick(model.posts.keys.sorted())
  }

  /// An id to assign: mostly none, otherwise one that is free, taken, removed or out of range.
  mutating func givenID() -> Int64? {
    if let end, seldom(2) { return end + Int64(below(400)) }
    if !givesIDs { return seldom(40) ? pick([0, -1, .min]) : nil }
    return switch below(20) {
    case 0..<12: nil
    case 12..<17: Int64(1 + below(50))
    case 17..<19: (1 << 40) + Int64(below(8))
    default: pick([0, -1, .min])
    }
  }

  private static let base: Int64 = 1_700_000_000_000

  /// Ties within a second, both ends of the range of a follow's time, and beyond them.
  mutating func edgeTime() -> Timestamp {
    if end != nil, seldom(2) {
      let end: Int64 = pick([0, 1 << 31, 1 << 32, 1_000 << 31, 4_294_967_295_999, 1 << 53, .max])
      return Timestamp(end - Int64(below(4)) * 400)
    }
    return switch below(30) {
    case 0: Timestamp(pick([0, 999, 4_294_967_295_999]))
    case 1: Timestamp(pick([-1, 4_294_967_296_000, .max, .min]))
    default: Timestamp(Self.base + Int64(below(9)) * 400)
    }
  }

  /// Ties within a millisecond and within the coarse second of timelines, and times too late for its 32 bits.
  mutating func postTime() -> Timestamp {
    if let end, !seldom(12) {
      if seldom(6) { return Timestamp(end + Int64(below(Int(ticks) + 2))) }
      ticks += Int64(below(3) / 2)
      return Timestamp(end + ticks)
    }
    return switch below(30) {
    case 0: Timestamp(pick([0, 1, 1_023, 1_024, .max]))
    case 1, 2: Timestamp(4_398_046_509_056 + Int64(below(5) - 2) * 1_000)
    case 3: Timestamp(pick([-1, .min, 5]))
    case 4..<16: Timestamp(Self.base + Int64(below(4)) * 300)
    default: Timestamp(Self.base + Int64(below(40)) * 700)
    }
  }

  // MARK: - Texts

  private static let letters = [
    "a", "b", "A", "e", "é", "e\u{301}", "É", "ß", "K", "\u{212A}", "ss", "ſ", "_", "İ", "ı", "i", "Ａ", "日", "本", "🙂",
    "\u{200D}", "я", "Å", "\u{212B}", "ø", " ", ".", "か", "は", "ｶ", "\u{3099}", "\u{309A}", "ﾞ", "'", "’", "-", "‐",
    "“",
    "″", "ש", "\u{5B4}", "م", "\u{640}", "\t", "\u{1}",
  ]

  mutating func name() -> String {
    switch below(60) {
    case 0: pick(["", "a\nb", "\0", "x\u{2028}", "\u{85}", String(repeating: "é", count: 128)])
    case 1: String(repeating: "n", count: 240) + letters(5)
    default: letters(userCount > 20 ? 3 + below(6) : 1 + below(4))
    }
  }

  private mutating func letters(_ count: Int) -> String {
    let alphabet = seldom(3) ? Self.letters[...] : Self.letters[..<10]
    return (0..<count).map { _ in alphabet[below(alphabet.count)] }.joined()
  }

  private static let words = [
    "snow", "Snow", "SNÖW", "sno\u{308}w", "now", "straße", "STRASSE", "日本語", "a", "é", "x.y",
  ]

  mutating func text() -> String {
    switch below(50) {
    case 0: ""
    case 1: String(repeating: "x", count: 65_534 + below(3))
    default: (0..<1 + below(4)).map { _ in seldom(4) ? letters(3) : pick(Self.words) }.joined(separator: " ")
    }
  }

  /// Part of an existing name, random letters, or nothing.
  mutating func nameQuery(_ model: ReferenceModel) -> String {
    switch below(20) {
    case 0..<3: return ""
    case 3..<6: return letters(1 + below(3))
    case 6:
      return pick([" ", "\u{301}", "\u{200D}", "\0", "%", String(repeating: "é", count: 129), " \u{A0}a \u{3000}"])
    default:
      let user = user(model)
      let other = model.keptWithUsers[user].map(\.displayName) ?? ""
      guard let name = !other.isEmpty && seldom(2) ? other : model.users[user]?.text else { return "a" }
      let scalars = Array(name.unicodeScalars)
      let start = below(scalars.count)
      let part = scalars[start..<min(scalars.count, start + 1 + below(5))]
      return part.reduce(into: seldom(6) ? " " : "") { $0.unicodeScalars.append($1) }
    }
  }

  mutating func postQuery(_ model: ReferenceModel) -> String {
    switch below(12) {
    case 0..<3: return ""
    case 3: return pick([" \n", "\u{301}", "snow \u{301}", String(repeating: "q", count: 257)])
    case 4: return (0..<31 + below(4)).map { "w\($0)" }.joined(separator: "\u{2003}") + " w0"
    case 5: return nameQuery(model)
    default:
      let separator = pick([" ", "  ", "\u{3000}", "\n"])
      return (0..<1 + below(3)).map { _ in String(pick(Self.words).prefix(1 + below(6))) }.joined(separator: separator)
    }
  }
}
