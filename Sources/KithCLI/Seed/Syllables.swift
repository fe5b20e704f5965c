/// Pronounceable words out of random syllables.
enum Syllables {
  private static let onsets = [
    "b", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "br", "ch", "dr", "gr", "kl",
    "pr", "sh", "sk", "st", "th", "tr",
  ]
  private static let vowels = ["a", "e", "i", "o", "u", "a", "e", "i", "o", "u", "ai", "ea", "ie", "ou"]
  private static let codas = ["", "", "", "", "n", "r", "s", "l", "m", "t", "nd", "ck"]

  static func word(_ syllableCount: Int, _ random: inout RandomSource) -> String {
    var word = ""
    for place in 1...syllableCount {
      word += random.pick(onsets) + random.pick(vowels)
      if place == syllableCount { word += random.pick(codas) }
    }
    return word
  }
}

/// Fifty thousand different words, the frequent ones short, from which texts are drawn by Zipf's law.
struct Vocabulary: Sendable {
  static let wordCount = 50_000

  /// All words in one array, with the offset of each: an array of arrays would count references at every draw.
  private var bytes: [UInt8] = []
  private var starts: [Int] = [0]
  private let table = AliasTable(zipf: wordCount)

  init(_ random: inout RandomSource) {
    var known: Set<String> = []
    while starts.count <= Self.wordCount {
      let rank = starts.count - 1
      let syllableCount = rank < 120 ? 1 : rank < 4_000 ? 2 : 3
      let word = Syllables.word(syllableCount, &random)
      guard known.insert(word).inserted else { continue }
      bytes.append(contentsOf: word.utf8)
      starts.append(bytes.count)
    }
  }

  /// A text of sentences, about 104 bytes on average, from one short word to some 250 bytes.
  func text(_ random: inout RandomSource) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(288)
    let wordCount = 1 + random.below(15) + random.below(15)
    var startsSentence = true
    for place in 1...wordCount {
      let start = text.count
      let word = table.draw(&random)
      for index in starts[word]..<starts[word + 1] { text.append(bytes[index]) }
      if startsSentence { text[start] -= 0x20 }
      startsSentence = place < wordCount && random.below(9) == 0
      if startsSentence || place == wordCount {
        text.append(random.below(6) == 0 ? UInt8(ascii: "!") : UInt8(ascii: "."))
      } else if random.below(14) == 0 {
        text.append(UInt8(ascii: ","))
      }
      if place < wordCount { text.append(UInt8(ascii: " ")) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
