import Kith

/// Runs on Kith what the drivers in `comparison/` run on the other systems, in the same way: all input is read before,
/// the clock is around the engine's call and the reading of its rows, and results are lines of numbers.
///
/// `kith-driver STORE [DURABILITY ROUNDS DEPTH] < LINES`: a line is a key, an operation and its arguments, separated by
/// tabs. Without DURABILITY the store is only read. Everything is run ROUNDS (2) times, and every second round is
/// reported. Up to DEPTH (1) changes of a kind are one batch, and each takes its share of the time.
///
/// `kith-driver STORE lists [DURABILITY] < LINES` has no index of words; its last line is the bytes of the graph.
/// `kith-driver STORE threads SECONDS READERS WRITES SAVES` runs several threads at once (`Shared`).
/// `kith-driver SNAPSHOT border [measured|instrument [PAGES]]` measures single calls (`Border`).
@main
enum Main {
  static func main() async throws {
    try await run(Array(CommandLine.arguments.dropFirst()))
  }

  private static func run(_ words: [String]) async throws {
    guard let store = words.first else { throw Misuse(message: "STORE [DURABILITY ROUNDS DEPTH] < LINES") }
    if words.count == 6, words[1] == "threads" { return try Shared.run(store, words.dropFirst(2).map { Int($0) ?? 0 }) }
    if words.count > 1, words[1] == "border" { return try Border.run(store, Array(words.dropFirst(2))) }
    var questions: [Question] = []
    while let line = readLine() { questions.append(try Question(line)) }
    if words.count > 1, words[1] == "lists" {
      return try askLists(store, words.count > 2 ? words[2] : nil, questions)
    }
    let graph = try open(store, words.count > 1 ? words[1] : nil)
    // As for the other systems, the indexes are complete before the first query.
    while !graph.read({ $0.isPostSearchIndexed }) { try await Task.sleep(for: .milliseconds(50)) }
    let numbers = words.dropFirst(2).map { Int($0) ?? 1 } + [2, 1].dropFirst(max(0, words.count - 2))
    for round in 0..<numbers[0] {
      try ask(questions[...], graph, depth: numbers[1], tells: !round.isMultiple(of: 2))
    }
    try await graph.close()
  }

  private static func askLists(_ store: String, _ durability: String?, _ questions: [Question]) throws {
    let graph = try open(store, durability, indexing: .off)
    for tells in [false, true] { try ask(questions[...], graph, depth: 1, tells: tells) }
    print("bytes\t\(graph.read { $0.memoryReport().byteCount })\t")
    try graph.close()
  }

  private static func ask(
    _ questions: ArraySlice<Question>, _ graph: SocialGraph, depth: Int, tells: Bool
  ) throws {
    var page = HostPage()
    let clock = ContinuousClock()
    var rest = questions
    while let first = rest.first {
      let isBatch = depth > 1 && first.change != nil
      let window = rest.prefix(isBatch ? depth : 1).prefix { $0.key == first.key }
      rest = rest.dropFirst(window.count)
      page.clear()
      let began = clock.now
      if isBatch {
        try graph.batch { (batch) throws(KithError) in
          for change in window.lazy.compactMap(\.change) { try batch.apply(change) }
        }
      } else {
        try first.ask(graph, &page)
      }
      let share = Int((clock.now - began) / .nanoseconds(1)) / window.count
      if tells { for question in window { print("\(question.key)\t\(share)\t\(page.text)") } }
    }
  }

  private static func open(
    _ store: String, _ durability: String?, indexing: SocialGraph.PostIndexing = .textsAndAuthors
  ) throws -> SocialGraph {
    var options = SocialGraph.Options()
    options.postIndex = indexing
    guard let durability else { return try SocialGraph.open(store, access: .readOnly, options: options) }
    guard let durability = SocialGraph.Durability(rawValue: durability) else {
      throw Misuse(message: "no durability \(durability)")
    }
    options.durability = durability
    return try SocialGraph.open(store, options: options)
  }
}

struct Misuse: Error, CustomStringConvertible {
  let message: String
  var description: String { message }
}
