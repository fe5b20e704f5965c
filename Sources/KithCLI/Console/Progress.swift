/// One line on standard error that tells how far long work is, with its rate and the time left.
///
/// It appears after a second, and only on a terminal: nothing is ever written into a pipe or a file. Steps may be told
/// as often as one likes; the line changes at most five times a second.
struct Progress {
  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(200)

  private let isShown: Bool
  private let clock = ContinuousClock()
  private var began: ContinuousClock.Instant
  private var lastShown: ContinuousClock.Instant
  private var hasLine = false
  private let created: ContinuousClock.Instant
  private var phase = ""

  init(isShown: Bool = Console.errorIsTerminal) {
    self.isShown = isShown
    created = clock.now
    began = created
    lastShown = created
  }

  /// Begins a part of the work that has a rate of its own.
  mutating func begin(_ phase: String) {
    self.phase = phase
    began = clock.now
  }

  /// Tells how many items are done in this part, and which share of the whole of it, from 0 to 1; nil when unknown.
  mutating func update(done: Int, of unit: String, share: Double?) {
    guard isShown else { return }
    let now = clock.now
    guard now - created >= Self.patience, now - lastShown >= Self.interval else { return }
    show(Self.line(phase, done: done, of: unit, share: share, elapsed: (now - began).seconds), at: now)
  }

  /// Tells what goes on while nothing can be counted.
  mutating func note(_ text: String) {
    guard isShown, clock.now - created >= Self.patience else { return }
    show(text, at: clock.now)
  }

  /// Takes the line away.
  mutating func finish() {
    guard hasLine else { return }
    hasLine = false
    try? StandardStream.error.write(Array("\r\u{1B}[K".utf8))
  }

  /// `follows   1,234,567 rows   1,010,000/s   64 %   3 s left`
  static func line(_ phase: String, done: Int, of unit: String, share: Double?, elapsed: Double) -> String {
    var parts = [phase, "\(grouped(done)) \(unit)"]
    if elapsed > 0 { parts.append("\(grouped(Int(Double(done) / elapsed)))/s") }
    if let share, share > 0 {
      parts.append("\(Int(min(share, 1) * 100)) %")
      parts.append("\(timeLeft(elapsed * (1 - min(share, 1)) / share)) left")
    }
    return parts.joined(separator: "   ")
  }

  private static func timeLeft(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 360_000).rounded(.up))
    return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
  }

  private mutating func show(_ text: String, at now: ContinuousClock.Instant) {
    lastShown = now
    hasLine = true
    try? StandardStream.error.write(Array("\r\(text)\u{1B}[K".utf8))
  }
}
