/// A result for the text of a search box.
protocol SearchAnswer: Equatable, Sendable {
  /// The result for another text, if it can be derived from this one without a search.
  func narrowed(to text: String) -> Self?
}

/// The state machine of a search box: a pure function of its events, in any order, without clock, task or lock.
/// `SearchSession` supplies those; the tests run it through a million orders of events.
///
/// Three guarantees hold. A result taken from it is for the newest text (not stale). Its state is not older than that
/// of the previous result (in order). Once events stop, the last result is for the newest text and the newest state
/// (nothing lost).
struct SearchMachine<Answer: SearchAnswer>: Sendable {
  /// An action for the caller to perform, in order.
  enum Effect: Equatable {
    /// Call `waited` with the number after the debounce time. Replaces an earlier timer.
    case startTimer(Int)
    case stopTimer
    /// Search for the text, and call `answered` with the number.
    case ask(String, Int)
    /// The result of the last `ask` is no longer needed.
    case cancelAsk
    /// A result can be taken.
    case notify
  }

  private let debounces: Bool
  private(set) var text = ""
  /// The number of texts so far, which numbers the timers.
  private var edition = 0
  /// The number of searches so far, which numbers them.
  private var askCount = 0
  private var isAsking = false
  /// Whether the text is due for a search: its debounce time is over, or a dependency changed.
  private var isDue = true
  /// Whether the current text has a result.
  private var isAnswered = false
  /// Whether a dependency changed since the last search began.
  private var isTouched = false
  /// Whether a consumer waits for a result. Without one, nothing is searched.
  private var isWanted = false
  /// The result of the last search, unless a dependency changed since.
  private var base: Answer?
  private var ready: Answer?
  private var taken: Answer?

  /// - Parameter debounces: whether a text waits for `waited` before it is searched.
  init(debounces: Bool) { self.debounces = debounces }

  // MARK: - Events

  /// The text of the box changed.
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
    // An empty box shows all users at once.
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

  /// A dependency of the last result changed.
  mutating func touched() -> [Effect] {
    base = nil
    isTouched = true
    if !isAnswered { return [] }
    isDue = true
    return askIfDue()
  }

  /// Whether the result of this search is still needed: not if the text changed meanwhile.
  func awaits(_ number: Int) -> Bool { isAsking && number == askCount }

  /// A search ended.
  mutating func answered(_ number: Int, _ answer: Answer) -> [Effect] {
    if !awaits(number) { return [] }
    isAsking = false
    base = isTouched ? nil : answer
    let effects = offer(answer)
    if isTouched { isDue = true }
    return effects + askIfDue()
  }

  /// A consumer takes the result. If there is none, it waits for `notify`.
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

  /// The consumer is gone. No further notifications are sent, and the next consumer starts with a search.
  mutating func left() -> [Effect] {
    let effects: [Effect] = isAsking ? [.cancelAsk] : []
    // A text whose debounce time is not over continues to wait.
    isDue = isDue || isAsking || isAnswered
    (isAsking, isAnswered, isWanted) = (false, false, false)
    (base, ready, taken) = (nil, nil, nil)
    return effects
  }

  // MARK: - Effects

  private mutating func offer(_ answer: Answer) -> [Effect] {
    isAnswered = true
    ready = answer == taken ? nil : answer
    return ready == nil ? [] : [.notify]
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
