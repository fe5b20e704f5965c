/// Lists of numbers, one for each row, in one array.
struct Lists {
  /// Where each row's list begins; one more than there are rows.
  var offsets: [UInt32] = [0]
  var elements: [UInt32] = []

  mutating func append(_ list: some Sequence<UInt32>) {
    elements.append(contentsOf: list)
    offsets.append(UInt32(elements.count))
  }

  subscript(row: Int) -> ArraySlice<UInt32> { elements[Int(offsets[row])..<Int(offsets[row + 1])] }
}

/// A synthetic graph as plain arrays: the engine is filled with it, and its answers are checked against it.
///
/// Users and posts are rows from 0; their ids are one more. In-degrees, authors and likes are skewed. Most posts are in
/// order of time, one in a hundred is not, and many share a millisecond.
struct Network {
  /// Followee counts of the measured users, each with some users of exactly that count.
  struct FanIn {
    let followeeCount: Int
    let users: Range<Int>
  }

  let userCount: Int
  let compactLists: Bool
  let spreadsTimes: Bool
  var names: [String] = []
  var followees = Lists()
  var fanIns: [FanIn] = []
  var authors: [UInt32] = []
  var times: [Int64] = []
  var texts: [String] = []
  /// By user, posts ascending.
  var likes = Lists()

  static let firstTime: Int64 = 1_640_995_200_000
  static let edgeTime: Int64 = 1_735_689_600_000

  init(_ settings: Settings) {
    userCount = settings.users
    compactLists = settings.compactLists
    spreadsTimes = settings.spreadsTimes
    makeNames(seed: settings.seed)
    makeFollows(count: settings.follows, seed: settings.seed)
    makePosts(count: settings.posts, seed: settings.seed)
    makeLikes(count: settings.likes, seed: settings.seed)
  }

  var followCount: Int { followees.elements.count }
  var likeCount: Int { likes.elements.count }

  // MARK: - Creation

  private mutating func makeNames(seed: UInt64) {
    var random = RandomSource(seed: seed, stream: 1)
    var taken: Set<String> = []
    while names.count < userCount {
      var name = Self.madeUpName(&random)
      if random.below(5) < 2 || taken.contains(name) { name += String(random.below(10_000)) }
      if taken.insert(name).inserted { names.append(name) }
    }
  }

  private static let onsets = "b br ch d f g gr h j k l m n p r s sh t tr v".split(separator: " ")
  private static let vowels = "a ai e ea i ie o ou u".split(separator: " ")
  private static let codas = ["", "", "", "l", "m", "n", "nd", "r", "s", "x"]

  /// Two or three syllables.
  static func madeUpName(_ random: inout RandomSource) -> String {
    var name = ""
    for syllable in 0...(1 + random.below(2)) {
      if syllable > 0 && random.below(12) == 0 { name += random.pick(["_", "."]) }
      let part = random.pick(onsets) + random.pick(vowels) + random.pick(codas)
      name += random.below(4) == 0 ? part.prefix(1).uppercased() + part.dropFirst() : part
    }
    return name
  }

  /// The first users follow exactly 10, 100, 1,000 and 5,000 others, with an eighth of all follows; the rest is spread
  /// over the other users, unevenly.
  private mutating func makeFollows(count: Int, seed: UInt64) {
    var random = RandomSource(seed: seed, stream: 2)
    let fame = random.permutation(userCount)
    var degrees: [Int] = []
    for followeeCount in [10, 100, 1_000, 5_000] where followeeCount <= userCount / 4 {
      let users = min(200, count / 8 / followeeCount, (userCount - degrees.count) / 4)
      if users == 0 { continue }
      fanIns.append(FanIn(followeeCount: followeeCount, users: degrees.count..<degrees.count + users))
      degrees += Array(repeating: followeeCount, count: users)
    }
    let asked = degrees.count
    var left = count - degrees.reduce(0, +)
    degrees += Array(repeating: 0, count: userCount - asked)
    while left > 0 {
      let share = min(left, 1 + random.zipf(max(1, 4 * count / userCount)))
      let user = asked + random.below(userCount - asked)
      let room = min(5_000, userCount / 4) - degrees[user]
      degrees[user] += min(share, room)
      left -= max(1, min(share, room))
    }
    for user in 0..<userCount {
      followees.append(draw(degrees[user], of: userCount, besides: user, &random) { fame[$0.zipf(fame.count)] })
    }
  }

  private mutating func makePosts(count: Int, seed: UInt64) {
    var random = RandomSource(seed: seed, stream: 3)
    let eagerness = random.permutation(userCount)
    let words = (0..<20_000).map { _ in random.pick(names).prefix { $0.isLetter }.lowercased() }
    let step = max(1, 94_608_000_000 / Int64(max(1, count)))
    for post in 0..<count {
      authors.append(eagerness[random.zipf(userCount)])
      let place = random.below(100) == 0 ? random.below(count) : post
      times.append(Self.firstTime + Int64(place / 4) * 4 * step)
      var text = random.pick(words)
      while text.utf8.count < 40 + (post &* 7_919) % 120 { text += " " + words[random.zipf(words.count)] }
      texts.append(text)
    }
  }

  private mutating func makeLikes(count: Int, seed: UInt64) {
    var random = RandomSource(seed: seed, stream: 4)
    let postCount = authors.count
    for user in 0..<userCount {
      let share = count * (user + 1) / userCount - count * user / userCount
      likes.append(
        draw(min(share, postCount / 4), of: postCount, besides: -1, &random) {
          UInt32(postCount - 1 - $0.zipf(postCount))
        })
    }
  }

  /// This many different ones of 0..<all, ascending. After repeated collisions another one is taken.
  private func draw(
    _ count: Int, of all: Int, besides excluded: Int, _ random: inout RandomSource,
    _ next: (inout RandomSource) -> UInt32
  ) -> [UInt32] {
    var chosen: Set<UInt32> = []
    var tries = 0
    while chosen.count < count {
      tries += 1
      var candidate = next(&random)
      if tries > 2 * count { candidate = (candidate &+ UInt32(tries)) % UInt32(all) }
      if Int(candidate) != excluded { chosen.insert(candidate) }
    }
    return chosen.sorted()
  }
}
