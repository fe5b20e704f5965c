import Foundation
import Kith
import Testing

@testable import KithCLI

/// A writing process is killed at random moments, repeatedly. Every acknowledged change must be there afterwards. The
/// store must hold a prefix of the requests, cut between two of them.
///
/// `KITH_KILLS=100000` for a long run.
@Suite struct KillTests {
  private static let tellerCount = 2

  /// Most of a round is waiting for a process, so two of them run at once.
  @Test("After a kill every acknowledged change is there, and no part of a batch", arguments: 0..<tellerCount)
  func kills(teller: Int) throws {
    ByteStream.ignoreBrokenPipes()
    let asked = ProcessInfo.processInfo.environment["KITH_KILLS"].flatMap(Int.init)
    let share = ((asked ?? 100) + teller) / Self.tellerCount
    let deadline = ContinuousClock.now + .seconds(10)
    var tally = KillTally()
    var story = try KillStory(seed: UInt64(teller))
    while tally.killCount < share, asked != nil || ContinuousClock.now < deadline {
      // A graph that grows without limit would make each round slower than the one before.
      if story.roundCount == 12 { story = try KillStory(seed: UInt64(Self.tellerCount * tally.killCount + teller)) }
      try story.round(&tally)
    }
    #expect(tally.killCount > 0 && tally.answerCount > 0 && tally.changeCount > 0)
    print("Killed \(tally.killCount) times: \(tally)")
  }
}

/// Totals of many kills.
private struct KillTally: CustomStringConvertible {
  var killCount = 0
  /// Kills before the first answer.
  var earlyCount = 0
  /// Answers that were read before the kills.
  var answerCount = 0
  /// Changes that were in the store afterwards.
  var changeCount: UInt64 = 0
  /// Kills after which the store held unacknowledged changes.
  var aheadCount = 0
  /// Kills that left a torn frame.
  var tornCount = 0

  var description: String {
    "\(earlyCount) before the first answer, \(tornCount) in the midst of a frame, \(aheadCount) after one and before "
      + "its answer; \(answerCount) requests answered, \(changeCount) changes found, nothing lost"
  }
}

/// One store, the requests to it, and a graph in memory that gets the same requests.
private struct KillStory {
  private let playground: Playground
  private let store: String
  private var dice: SeededRandom
  private var model = QuerySession(SocialGraph())
  private var sequence: UInt64 = 0
  private var nextID = 1
  private(set) var roundCount = 0

  init(seed: UInt64) throws {
    playground = try Playground()
    store = playground.path("store")
    dice = SeededRandom(seed: seed)
  }

  /// Starts a writer, kills it, and checks the store.
  mutating func round(_ tally: inout KillTally) throws {
    let (process, input, output) = try BuiltKith.process(["query", store])
    // `waitUntilExit` polls every 50 ms, which would be most of a round.
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    try process.run()
    let isEarly = dice.below(5) == 0
    if isEarly { Self.kill(process, afterMicroseconds: dice.below(30_000)) }
    var requests: [String] = []
    var answers = AnswerReader(output)
    while true {
      let burst = nextBurst()
      let text = burst.map { $0 + "\n" }.joined()
      requests += burst
      let isFirst = answers.lines.isEmpty
      guard (try? input.write(contentsOf: Data(text.utf8))) != nil, answers.read(until: requests.count) else { break }
      if isFirst && !isEarly { Self.kill(process, afterMicroseconds: dice.below(12_000)) }
    }
    end.wait()
    try? input.close()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
    roundCount += 1
    tally.killCount += 1
    tally.answerCount += answers.lines.count
    if answers.lines.isEmpty { tally.earlyCount += 1 }
    try check(requests, answers.lines, &tally)
  }

  private static func kill(_ process: Process, afterMicroseconds delay: Int) {
    let id = process.processIdentifier
    // A separate thread, because queues can be busy with other tests.
    Thread.detachNewThread {
      usleep(UInt32(delay))
      _ = Foundation.kill(id, SIGKILL)
    }
  }

  // MARK: - Checks

  /// The store must be the state after some number of requests, at least the acknowledged ones.
  private mutating func check(_ requests: [String], _ answers: [String], _ tally: inout KillTally) throws {
    let found = try openIfThere()
    let last = found?.read { view in view.sequence } ?? 0
    var doneCount = 0
    while doneCount < requests.count, doneCount < answers.count || sequence < last {
      let answer = perform(requests[doneCount])
      if doneCount < answers.count, !requests[doneCount].contains("snapshot") { #expect(answer == answers[doneCount]) }
      doneCount += 1
    }
    #expect(sequence == last, "change \(last) is the last, which is within a batch, or before what was answered")
    if doneCount > answers.count { tally.aheadCount += 1 }
    tally.changeCount += last
    guard let found else { return }
    if found.recovery?.droppedByteCount ?? 0 > 0 { tally.tornCount += 1 }
    #expect(try GraphDigest(found.pin().view) == GraphDigest(model.graph.pin().view))
    if roundCount % 4 == 0 { #expect(try Verification(of: store, .deep).problems == []) }
  }

  /// Nil when the process was killed before it created the store.
  private func openIfThere() throws -> SocialGraph? {
    do {
      return try SocialGraph.open(store, access: .readOnly)
    } catch KithError.noStore {
      return nil
    }
  }

  private mutating func perform(_ request: String) -> String {
    var answer = JSONWriter()
    model.answer(.line(Array(request.utf8)), to: &answer)
    sequence = model.graph.read { view in view.sequence }
    return String(decoding: answer.bytes.dropLast(), as: UTF8.self)
  }

  // MARK: - Requests

  /// Requests and answers must fit into a pipe's buffer.
  private mutating func nextBurst() -> [String] {
    var burst: [String] = []
    var byteCount = 0
    for _ in 0...dice.below(60) where byteCount < 16 << 10 {
      burst.append(nextRequest())
      byteCount += burst[burst.count - 1].utf8.count
    }
    return burst
  }

  private mutating func nextRequest() -> String {
    switch dice.below(40) {
    case 0: return #"{"op":"snapshot"}"#
    case 1..<8:
      // All of them succeed, so that the batch does.
      let changes = (0...dice.below(12)).map { _ in nextUser() }
      return #"{"op":"batch","changes":[\#(changes.joined(separator: ","))]}"#
    case 8..<20: return nextUser()
    default: return nextChange()
    }
  }

  private mutating func nextUser() -> String {
    nextID += 1
    return #"{"op":"addUser","id":\#(nextID),"username":"user \#(nextID)"}"#
  }

  /// Every field is given, so that the effect does not depend on the time of the request; it can be refused.
  private mutating func nextChange() -> String {
    let (user, other) = (1 + dice.below(nextID), 1 + dice.below(nextID))
    switch dice.below(8) {
    case 0: return #"{"op":"removeUser","user":\#(user)}"#
    case 1: return #"{"op":"block","user":\#(user),"target":\#(other)}"#
    case 2: return #"{"op":"like","user":\#(user),"post":\#(other),"at":\#(dice.below(9) * 1_000)}"#
    case 3, 4:
      nextID += 1
      let text = String(repeating: "word ", count: dice.below(40))
      return #"{"op":"addPost","id":\#(nextID),"user":\#(user),"text":"\#(text)","createdAt":\#(dice.below(99))}"#
    default: return #"{"op":"follow","user":\#(user),"target":\#(other),"at":\#(dice.below(9) * 1_000)}"#
    }
  }
}

/// Answers as they arrive through a pipe, line by line; an incomplete line is no answer.
private struct AnswerReader {
  private let handle: FileHandle
  private var rest: [UInt8] = []
  private(set) var lines: [String] = []

  init(_ handle: FileHandle) { self.handle = handle }

  /// Waits for this many answers in all; false when the pipe ends before.
  mutating func read(until count: Int) -> Bool {
    while lines.count < count {
      let data = handle.availableData
      if data.isEmpty { return false }
      rest += data
      while let end = rest.firstIndex(of: 0x0A) {
        lines.append(String(decoding: rest[..<end], as: UTF8.self))
        rest.removeFirst(end + 1)
      }
    }
    return true
  }
}
