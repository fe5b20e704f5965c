/// Usernames like real ones: mixed case, digits, `_` and `.`, and two in a hundred not in ASCII. They repeat: a name
/// that is taken is made longer.
struct NameGenerator {
  private static let accents: [Character: String] = ["a": "á", "e": "é", "i": "ï", "o": "ö", "u": "ü"]
  private static let cyrillic = ["ба", "во", "ди", "ка", "ле", "ми", "но", "ра", "са", "та", "ша", "ян"]
  private static let greek = ["αλ", "βα", "γι", "δη", "κω", "λε", "μα", "νι", "ρο", "σο", "τη", "φι"]
  private static let chinese = ["李", "王", "小", "明", "龍", "美", "玲", "山", "花", "雪", "月", "安"]
  private static let emoji = ["🌱", "🔥", "⭐️", "👩‍🚒", "🎧", "🐙"]

  private var random: RandomSource

  init(_ random: RandomSource) { self.random = random }

  mutating func next() -> String { random.below(50) == 0 ? foreignName() : plainName() }

  /// A name with a digit appended.
  mutating func longer(_ name: String) -> String { name + String(random.below(10)) }

  private mutating func plainName() -> String {
    let given = Syllables.word(2, &random)
    switch random.below(20) {
    case 0..<4: return given + digits()
    case 4..<6: return capitalized(given) + digits()
    case 6..<10: return given + "." + family()
    case 10..<12: return given + "_" + family()
    case 12..<15: return capitalized(given) + capitalized(family())
    case 15: return given.uppercased() + "_" + digits()
    case 16: return "xX_" + capitalized(given) + "_Xx"
    case 17: return capitalized(given) + "." + family().prefix(1).uppercased() + digits()
    default: return given + family()
    }
  }

  private mutating func foreignName() -> String {
    switch random.below(5) {
    case 0, 1: return accented(Syllables.word(2, &random)) + digits()
    case 2: return capitalized(word(Self.cyrillic))
    case 3: return random.below(2) == 0 ? capitalized(word(Self.greek)) : word(Self.chinese)
    default: return Syllables.word(2, &random) + random.pick(Self.emoji)
    }
  }

  private mutating func family() -> String { Syllables.word(1 + random.below(2), &random) }

  private mutating func digits() -> String { String(random.below([10, 100, 1_000, 10_000][random.below(4)])) }

  private mutating func word(_ syllables: [String]) -> String {
    (0..<(2 + random.below(2))).map { _ in random.pick(syllables) }.joined()
  }

  private mutating func accented(_ word: String) -> String {
    String(word.flatMap { Self.accents[$0] ?? String($0) })
  }

  private func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }
}
