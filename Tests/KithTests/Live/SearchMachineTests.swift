import Foundation
import Testing

@testable import Kith

/// The search box's plain machine, played against a world in which anything may happen in any order.
///
/// `KITH_INTERLEAVINGS=1000000` for the full number; `KITH_INTERLEAVING_SEED` plays one again.
@Suite struct SearchMachineTests {
  @Test("Whatever the order of keystrokes, timers, answers and changes: nothing stale, nothing lost, all in order")
  func interleavings() {
    let count = CrashEnvironment.number("KITH_INTERLEAVINGS") ?? 3_000
    let first = CrashEnvironment.number("KITH_INTERLEAVING_SEED") ?? 1
    var taken = 0
    for seed in first..<first + count {
      var world = SearchWorld(seed: UInt64(seed))
      if let fault = world.play() {
        Issue.record("seed \(seed): \(fault)")
        return
      }
      taken += world.takenCount
    }
    print("SearchMachine: \(count) interleavings, \(taken) answers taken, none stale, lost or out of order")
    #expect(taken > count)
  }
}

/// An answer that knows its instant.
private struct WorldAnswer: SearchAnswer {
  let text: String
  let names: [String]
  let isComplete: Bool
  let instant: Int

  static let limit = 3

  init(_ text: String, _ names: [String], instant: Int) {
    let found = names.filter { $0.contains(text) || text.isEmpty }
    self.text = text
    self.names = Array(found.prefix(Self.limit))
    isComplete = found.count <= Self.limit
    self.instant = instant
  }

  func narrowed(to text: String) -> WorldAnswer? {
    isComplete && (self.text.isEmpty || text.contains(self.text)) ? WorldAnswer(text, names, instant: instant) : nil
  }

  static func == (left: WorldAnswer, right: WorldAnswer) -> Bool {
    left.text == right.text && left.names == right.names && left.isComplete == right.isComplete
  }
}

/// A box, its machine, and everything that happens around it, one thing at a time, drawn from a seed.
private struct SearchWorld {
  private struct Search {
    let text: String
    let number: Int
    var answer: WorldAnswer?
  }

  private var random: SeededRandom
  private var machine: SearchMachine<WorldAnswer>
  /// The names of each instant.
  private var instants: [[String]] = [["a", "ab", "b"]]
  private var timers: [Int] = []
  private var searches: [Search] = []
  /// Whether changes are told, and how many are still on their way.
  private var isWatching = false
  private var untold = 0
  private var isTold = true
  private var last: WorldAnswer?
  private(set) var takenCount = 0

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    machine = SearchMachine(debounces: seed % 3 > 0)
  }

  /// What went wrong, if anything did.
  mutating func play() -> String? {
    for _ in 0..<10 + random.below(40) {
      if let fault = happen() { return fault }
    }
    // Now nobody types, and all that is on its way arrives.
    for _ in 0..<1_000 where isTold || untold > 0 || !timers.isEmpty || !searches.isEmpty {
      if untold > 0 { tell() }
      if !timers.isEmpty { fire() }
      while !searches.isEmpty { finish(0) }
      if isTold, let fault = take() { return fault }
    }
    let truth = WorldAnswer(machine.text, instants[instants.count - 1], instant: 0)
    return last == truth ? nil : "lost: \(truth) is never shown, but \(String(describing: last))"
  }

  private mutating func happen() -> String? {
    switch random.below(20) {
    case 0..<4: type()
    case 4..<6: fire()
    case 6..<9: if let place = someSearch() { look(place) }
    case 9..<12: if let place = someSearch() { finish(place) }
    case 12..<14: change()
    case 14..<16: tell()
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

  /// A timer goes off, perhaps one that was stopped a moment too late.
  private mutating func fire() {
    if timers.isEmpty { return }
    perform(machine.waited(timers.remove(at: random.below(timers.count))))
  }

  private mutating func someSearch() -> Int? { searches.isEmpty ? nil : random.below(searches.count) }

  /// A search reads the world.
  private mutating func look(_ place: Int) {
    if searches[place].answer != nil { return }
    let instant = instants.count - 1
    searches[place].answer = WorldAnswer(searches[place].text, instants[instant], instant: instant)
  }

  /// A search comes to its end, perhaps long after it read.
  private mutating func finish(_ place: Int) {
    look(place)
    let search = searches.remove(at: place)
    guard let answer = search.answer else { return }
    if machine.awaits(search.number), !isWatching {
      isWatching = true
      // As `Watch` does: what changed before it watched is not told later.
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

  private mutating func tell() {
    if untold == 0 { return }
    untold -= 1
    isTold = true
    perform(machine.touched())
  }

  /// Whoever took the answers goes, and another comes.
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
    if answer != WorldAnswer(answer.text, instants[answer.instant], instant: 0) { return "\(answer) was never true" }
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
      case .tell: isTold = true
      }
    }
  }
}
