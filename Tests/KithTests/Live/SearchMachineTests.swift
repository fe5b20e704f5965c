import Foundation
import Testing

@testable import Kith

/// The state machine of the search session, in a simulated environment where events come in any order.
///
/// `KITH_INTERLEAVINGS=1000000` for the full number; `KITH_INTERLEAVING_SEED` replays one.
@Suite struct SearchMachineTests {
  @Test(
    "In any order of keystrokes, timers, answers and changes nothing is stale, lost or out of order",
    arguments: [WorldAnswer.Kind.narrowed, .searched])
  fileprivate func interleavings(kind: WorldAnswer.Kind) {
    let count = CrashEnvironment.number("KITH_INTERLEAVINGS") ?? 3_000
    let first = CrashEnvironment.number("KITH_INTERLEAVING_SEED") ?? 1
    var taken = 0
    for seed in first..<first + count {
      var world = SearchWorld(seed: UInt64(seed), kind)
      if let fault = world.play() {
        Issue.record("seed \(seed), \(kind): \(fault)")
        return
      }
      taken += world.takenCount
    }
    print("SearchMachine: \(count) interleavings, \(kind), \(taken) answers taken, none stale, lost or out of order")
    #expect(taken > count)
  }
}

/// An answer with its version.
private struct WorldAnswer: SearchAnswer {
  /// Whether a complete answer is narrowed, as that of a search for users, or every text is searched, as for posts.
  enum Kind: Sendable { case narrowed, searched }

  let kind: Kind
  let text: String
  let names: [String]
  let isComplete: Bool
  let instant: Int

  static let limit = 3

  init(_ kind: Kind, _ text: String, _ names: [String], instant: Int) {
    self.kind = kind
    let found = names.filter { $0.contains(text) || text.isEmpty }
    self.text = text
    self.names = Array(found.prefix(Self.limit))
    isComplete = found.count <= Self.limit
    self.instant = instant
  }

  func narrowed(to text: String) -> WorldAnswer? {
    guard kind == .narrowed, isComplete, self.text.isEmpty || text.contains(self.text) else { return nil }
    return WorldAnswer(kind, text, names, instant: instant)
  }

  static func == (left: WorldAnswer, right: WorldAnswer) -> Bool {
    left.text == right.text && left.names == right.names && left.isComplete == right.isComplete
  }
}

/// A session's machine and its environment, one event at a time, drawn from a seed.
private struct SearchWorld {
  private struct Search {
    let text: String
    let number: Int
    var answer: WorldAnswer?
  }

  private let kind: WorldAnswer.Kind
  private var random: SeededRandom
  private var machine: SearchMachine<WorldAnswer>
  /// The names of each version.
  private var instants: [[String]] = [["a", "ab", "b"]]
  private var timers: [Int] = []
  private var searches: [Search] = []
  /// Whether changes are observed, and how many are not delivered yet.
  private var isWatching = false
  private var untold = 0
  private var isTold = true
  private var last: WorldAnswer?
  private(set) var takenCount = 0

  init(seed: UInt64, _ kind: WorldAnswer.Kind) {
    self.kind = kind
    random = SeededRandom(seed: seed)
    machine = SearchMachine(debounces: seed % 3 > 0)
  }

  /// The first violation, if any.
  mutating func play() -> String? {
    for _ in 0..<10 + random.below(40) {
      if let fault = happen() { return fault }
    }
    // Now the input stops, and all pending events are delivered.
    for _ in 0..<1_000 where isTold || untold > 0 || !timers.isEmpty || !searches.isEmpty {
      if untold > 0 { notify() }
      if !timers.isEmpty { fire() }
      while !searches.isEmpty { finish(0) }
      if isTold, let fault = take() { return fault }
    }
    let truth = WorldAnswer(kind, machine.text, instants[instants.count - 1], instant: 0)
    return last == truth ? nil : "lost: \(truth) is never shown, but \(String(describing: last))"
  }

  private mutating func happen() -> String? {
    switch random.below(20) {
    case 0..<4: type()
    case 4..<6: fire()
    case 6..<9: if let place = someSearch() { look(place) }
    case 9..<12: if let place = someSearch() { finish(place) }
    case 12..<14: change()
    case 14..<16: notify()
    case 16 where random.below(10) == 0: leave()
    default: if isTold { return take() }
    }
    return nil
  }

  private mutating func type() {
    var text = machine.text
    switch random.below(5) {
    case 0: text = String(text.dropLast())
    case 1: text = ""
    default: text += random.below(2) == 0 ? "a" : "b"
    }
    perform(machine.type(text))
  }

  /// A timer fires, perhaps one that was cancelled too late.
  private mutating func fire() {
    if timers.isEmpty { return }
    perform(machine.waited(timers.remove(at: random.below(timers.count))))
  }

  private mutating func someSearch() -> Int? { searches.isEmpty ? nil : random.below(searches.count) }

  /// A search reads the current version.
  private mutating func look(_ place: Int) {
    if searches[place].answer != nil { return }
    let instant = instants.count - 1
    let text = searches[place].text
    searches[place].answer = WorldAnswer(kind, text, instants[instant], instant: instant)
  }

  /// A search ends, perhaps long after it read.
  private mutating func finish(_ place: Int) {
    look(place)
    let search = searches.remove(at: place)
    guard let answer = search.answer else { return }
    if machine.awaits(search.number), !isWatching {
      isWatching = true
      // As in `Watch`: changes before the subscription are not delivered later.
      if answer.instant < instants.count - 1 { perform(machine.touched()) }
    }
    perform(machine.answered(search.number, answer))
  }

  private mutating func change() {
    var names = instants[instants.count - 1]
    if names.count > 2 && random.below(2) == 0 {
      names.remove(at: random.below(names.count))
    } else {
      let letters = (0..<1 + random.below(3)).map { _ in random.below(2) == 0 ? "a" : "b" }
      names.append(letters.joined() + "\(instants.count)")
    }
    instants.append(names)
    if isWatching { untold += 1 }
  }

  private mutating func notify() {
    if untold == 0 { return }
    untold -= 1
    isTold = true
    perform(machine.touched())
  }

  /// The consumer ends, and another one begins.
  private mutating func leave() {
    perform(machine.left())
    (isWatching, untold, isTold, last) = (false, 0, true, nil)
  }

  private mutating func take() -> String? {
    let (answer, effects) = machine.take()
    perform(effects)
    guard let answer else {
      isTold = false
      return nil
    }
    takenCount += 1
    if answer.text != machine.text { return "stale: \(answer) for \(machine.text)" }
    if let last, answer.instant < last.instant { return "out of order: \(answer) after \(last)" }
    if answer == last { return "\(answer) twice" }
    let truth = WorldAnswer(kind, answer.text, instants[answer.instant], instant: 0)
    if answer != truth { return "\(answer) was never true" }
    last = answer
    return nil
  }

  private mutating func perform(_ effects: [SearchMachine<WorldAnswer>.Effect]) {
    for effect in effects {
      switch effect {
      case .startTimer(let number): timers.append(number)
      case .stopTimer: if random.below(2) == 0 { timers = [] }
      case .ask(let text, let number): searches.append(Search(text: text, number: number))
      case .cancelAsk: if random.below(2) == 0 { searches = [] }
      case .notify: isTold = true
      }
    }
  }
}
