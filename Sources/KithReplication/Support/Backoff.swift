/// The pauses between attempts: each about twice as long as the one before, and random, so that hosts do not try
/// together.
struct Backoff {
  private let first: Duration
  private let longest: Duration
  private var next: Duration

  init(first: Duration, longest: Duration) {
    self.first = first
    self.longest = longest
    next = first
  }

  /// Waits, and returns early if the task is cancelled.
  mutating func pause() async {
    let pause = next * Double.random(in: 0.5...1)
    next = min(longest, next * 2)
    try? await Task.sleep(for: pause)
  }

  mutating func reset() { next = first }
}
