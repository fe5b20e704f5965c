import Synchronization

/// One line on standard error with the progress of long work: count, rate and remaining time.
///
/// It appears after a second, and only on a terminal: nothing is written to a pipe or a file. Updates can come at any
/// rate; the line changes at most five times a second, and is never longer than the terminal is wide.
struct Progress {
  /// Whether a line is shown, so that a message replaces it.
  private static let hasLine = Atomic(false)
  /// What removes the line that is shown; nothing without one.
  static var clearing: String { hasLine.exchange(false, ordering: .relaxed) ? "\r\u{1B}[K" : "" }

  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(200)
  private static let usualWidth = 80

  private let isShown: Bool
  private let clock = ContinuousClock()
  private var began: ContinuousClock.Instant
  private var lastShown: ContinuousClock.Instant
  private let created: ContinuousClock.Instant
  private var phase = ""
  private var (stepCount, step) = (0, 0)

  init(isShown: Bool = ByteStream.error.isTerminal) {
    self.isShown = isShown
    created = clock.now
    began = created
    lastShown = created
  }

  /// Begins a part of the work with a rate of its own.
  mutating func begin(_ phase: String) {
    self.phase = phase
    began = clock.now
  }

  /// Reports how many items of this part are done, and their share of the whole, from 0 to 1; nil when unknown.
  mutating func update(done: Int, of unit: String, share: Double?) {
    guard isShown else { return }
    let now = clock.now
    guard now - created >= Self.patience, now - lastShown >= Self.interval else { return }
    show(Self.line(phase, done: done, of: unit, share: share, elapsed: (now - began).seconds), at: now)
  }

  /// Reports work that cannot be counted.
  mutating func note(_ text: String) {
    guard isShown, clock.now - created >= Self.patience else { return }
    show(text, at: clock.now)
  }

  /// Begins work of this many steps of about equal length.
  mutating func begin(stepCount: Int) {
    (self.stepCount, step) = (stepCount, 0)
    began = clock.now
  }

  /// Begins the next step.
  mutating func next(_ text: String) {
    let elapsed = (clock.now - began).seconds
    var parts = [text, "\(grouped(step + 1)) of \(grouped(stepCount))"]
    if step > 0, step < stepCount {
      parts.append("\(Self.timeLeft(elapsed * Double(stepCount - step) / Double(step))) left")
    }
    step += 1
    note(parts.joined(separator: "   "))
  }

  /// Removes the line.
  func finish() { try? ByteStream.error.write(Array(Self.clearing.utf8)) }

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
    Self.hasLine.store(true, ordering: .relaxed)
    let width = (ByteStream.error.columnCount ?? Self.usualWidth) - 1
    try? ByteStream.error.write(Array("\r\(text.shortened(to: width))\u{1B}[K".utf8))
  }
}
