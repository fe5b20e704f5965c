/// The settings from the command line.
struct Settings {
  var users = 100_000
  var follows = 4_000_000
  var posts = 1_000_000
  var likes = 2_000_000
  var seed: UInt64 = 1
  /// Queries of each kind in one run.
  var samples = 2_000
  /// Every figure is the median over this many runs.
  var runs = 5
  var json = false
  /// Whether the graph has compact lists.
  var compactLists = false
  /// Whether the times of edges are spread over four years, instead of one second for all.
  var spreadsTimes = false
  /// The workloads to run; all of them if it is empty.
  var only: [String] = []
  /// The directory of temporary stores: the figures are those of its disk.
  var directory = "."

  static let usage = """
    usage: kith-benchmarks [--short] [--users N] [--follows N] [--posts N] [--likes N] [--seed S]
        [--samples N] [--runs N] [--only WORDS] [--directory DIR] [--json]
        [--compact-lists] [--spread-times]

      --short      a network of 20,000 users and 500 samples, for a quick look and for CI
      --users N    how many users (100,000), at least 100
      --follows N  how many follows (4,000,000), at most 1,000 for each user
      --posts N    how many posts (1,000,000), at least 100
      --likes N    how many likes (2,000,000)
      --seed S     another network for every number (1)
      --samples N  questions of each kind in one run (2,000)
      --runs N     figures are medians over so many runs (5), at least 5
      --only WORDS some workloads of timeline,filters,search,patterns,posts,questions,passes,blocks,live,
                   journal,pages,lookups,changes,pins,concurrency,stalls,memory; or names alone, --users of them;
                   or counted, which measures nothing (see guard)
      --directory DIR  where stores are made, on the disk that is meant (.)
      --json       one JSON object in the place of the table
      --compact-lists  a graph with compact lists
      --spread-times   follows and likes at random times of four years, not all in one second
    """

  struct Misuse: Error { let message: String }

  init(_ words: some Sequence<String>) throws(Misuse) {
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--short": (users, follows, posts, likes, samples) = (20_000, 600_000, 150_000, 300_000, 500)
      case "--json": json = true
      case "--compact-lists": compactLists = true
      case "--spread-times": spreadsTimes = true
      case "--only": only = (words.next() ?? "").split(separator: ",").map(String.init)
      case "--directory":
        guard let path = words.next() else { throw Misuse(message: "--directory takes a path") }
        directory = path
      case "--users": users = try Self.number(words.next(), of: word, in: 100...10_000_000)
      case "--follows": follows = try Self.number(words.next(), of: word, in: 0...1_000_000_000)
      case "--posts": posts = try Self.number(words.next(), of: word, in: 100...100_000_000)
      case "--likes": likes = try Self.number(words.next(), of: word, in: 0...1_000_000_000)
      case "--seed": seed = UInt64(try Self.number(words.next(), of: word, in: 0...Int.max))
      case "--samples": samples = try Self.number(words.next(), of: word, in: 10...10_000_000)
      case "--runs": runs = try Self.number(words.next(), of: word, in: 5...1_000)
      default: throw Misuse(message: "no option \(word)")
      }
    }
    if follows > users * min(1_000, users / 8) { throw Misuse(message: "too many follows for so few users") }
  }

  private static func number(_ word: String?, of option: String, in range: ClosedRange<Int>) throws(Misuse) -> Int {
    guard let word, let number = Int(word), range.contains(number) else {
      throw Misuse(message: "\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
