/// Where the clock of the writing machine went back, as the times of frames and snapshots show it.
package struct ClockSteps: Hashable, Sendable {
  /// A change that was written earlier, by the clock, than the one before it.
  package struct Step: Hashable, Sendable {
    package let sequence: UInt64
    package let writtenAt: Timestamp
    /// The time before it.
    package let previous: Timestamp

    /// `the clock went back before change 4, from … to …`
    package var text: String {
      "the clock went back before change \(sequence), from \(previous.exactText) to \(writtenAt.exactText)"
    }
  }

  /// The most steps that are kept: a clock can go back before each write.
  static let limit = 100

  /// The first steps, oldest first.
  package private(set) var steps: [Step] = []
  /// The number of all steps.
  package private(set) var count = 0
  private var first: (sequence: UInt64, time: Timestamp)?
  private var last: Timestamp?

  /// Notes the time of what was written next.
  mutating func pass(_ sequence: UInt64, at time: Timestamp) {
    if first == nil { first = (sequence, time) }
    if let last, time < last { note(Step(sequence: sequence, writtenAt: time, previous: last)) }
    last = time
  }

  /// Notes what was written next, with the steps in it.
  mutating func append(_ next: ClockSteps) {
    guard let first = next.first else { return }
    pass(first.sequence, at: first.time)
    for step in next.steps { note(step) }
    count += next.count - next.steps.count
    last = next.last
  }

  private mutating func note(_ step: Step) {
    count += 1
    if steps.count < Self.limit { steps.append(step) }
  }

  /// One sentence; nil if the clock never went back.
  package var remark: String? {
    steps.first.map { $0.text + (count > 2 ? ", and \(count - 1) times later" : count > 1 ? ", and once later" : "") }
  }

  package static func == (left: ClockSteps, right: ClockSteps) -> Bool {
    left.steps == right.steps && left.count == right.count && left.last == right.last
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(steps)
    hasher.combine(count)
  }
}
