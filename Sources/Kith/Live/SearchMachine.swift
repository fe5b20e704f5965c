/// An answer to what stands in a search box.
protocol SearchAnswer: Equatable, Sendable {
  /// The answer to another text, if this one says it all without a search.
  func narrowed(to text: String) -> Self?
}

/// What a search box does, as a plain function of what happens to it, in whatever order: no clock, no task, no lock.
/// `SearchSession` gives it those; the tests play a million orders against it.
///
/// What is taken from it always answers the newest text (never stale), comes from an instant not before that of the
/// last (in order), and once nothing happens any more is the answer to the newest text of the newest instant (nothing
/// is lost).
struct SearchMachine<Answer: SearchAnswer>: Sendable {
  /// What is to be done outside, in this order.
  enum Effect: Equatable {
    /// Call `waited` with the number when the debounce time is over; a timer from before is of no use any more.
    case startTimer(Int)
    case stopTimer
    /// Search for the text, and call `answered` with the number.
    case ask(String, Int)
    /// Nobody wants the answer to the last `ask` any more.
    case cancelAsk
    /// There is something to take.
    case tell
  }

  private let debounces: Bool
  private(set) var text = ""
  /// How many texts there were: the number of timers.
  private var edition = 0
  /// How many searches there were: their number.
  private var askCount = 0
  private var isAsking = false
  /// Whether the text is to be searched for: it waited long enough, or something changed since.
  private var isDue = true
  /// Whether the present text was answered.
  private var isAnswered = false
  /// Whether something changed since the last search began.
  private var isTouched = false
  /// Whether somebody waits to take an answer; nobody searches for nobody.
  private var isWanted = false
  /// The last search's answer, if nothing has changed since.
  private var base: Answer?
  private var ready: Answer?
  private var taken: Answer?

  /// - Parameter debounces: whether a text waits for `waited` before it is searched for.
  init(debounces: Bool) { self.debounces = debounces }

  // MARK: - What happens

  /// The box holds another text.
  mutating func type(_ text: String) -> [Effect] {
    if text == self.text { return [] }
    self.text = text
    edition += 1
    ready = nil
    isAnswered = false
    isDue = false
    var effects: [Effect] = isAsking ? [.cancelAsk] : []
    isAsking = false
    if let answer = base?.narrowed(to: text) { return effects + [.stopTimer] + offer(answer) }
    // An emptied box shows everybody at once.
    if debounces && !Folding.trimmed(text).isEmpty { return effects + [.startTimer(edition)] }
    isDue = true
    effects.append(.stopTimer)
    return effects + askIfDue()
  }

  /// The debounce time of a text is over.
  mutating func waited(_ edition: Int) -> [Effect] {
    if edition != self.edition || isAnswered { return [] }
    isDue = true
    return askIfDue()
  }

  /// Something changed that the last answer was made of.
  mutating func touched() -> [Effect] {
    base = nil
    isTouched = true
    if !isAnswered { return [] }
    isDue = true
    return askIfDue()
  }

  /// Whether the answer of this search is still wanted: not when somebody typed meanwhile.
  func awaits(_ number: Int) -> Bool { isAsking && number == askCount }

  /// A search came to its end.
  mutating func answered(_ number: Int, _ answer: Answer) -> [Effect] {
    if !awaits(number) { return [] }
    isAsking = false
    base = isTouched ? nil : answer
    let effects = offer(answer)
    if isTouched { isDue = true }
    return effects + askIfDue()
  }

  /// Somebody takes what there is; if there is nothing, they wait for `tell`.
  mutating func take() -> (answer: Answer?, effects: [Effect]) {
    if let ready {
      taken = ready
      self.ready = nil
      isWanted = false
      return (ready, [])
    }
    isWanted = true
    return (nil, askIfDue())
  }

  /// Whoever took answers is gone; what happens from now on is not told any more, and the next one begins anew.
  mutating func left() -> [Effect] {
    let effects: [Effect] = isAsking ? [.cancelAsk] : []
    // A text that still waits for its time goes on waiting.
    isDue = isDue || isAsking || isAnswered
    (isAsking, isAnswered, isWanted) = (false, false, false)
    (base, ready, taken) = (nil, nil, nil)
    return effects
  }

  // MARK: - What is done

  private mutating func offer(_ answer: Answer) -> [Effect] {
    isAnswered = true
    ready = answer == taken ? nil : answer
    return ready == nil ? [] : [.tell]
  }

  private mutating func askIfDue() -> [Effect] {
    guard isDue, isWanted, !isAsking, ready == nil else { return [] }
    isDue = false
    isTouched = false
    isAsking = true
    askCount += 1
    return [.ask(text, askCount)]
  }
}
