import Foundation
import Synchronization
import Testing

@testable import Kith

/// Several callers wait for one disk: each gets the outcome of its own change.
@Suite struct GroupCommitTests {
  private static let failure = KithError.system(errno: 5, call: "sync", path: "journal")

  /// A group, and a disk whose flushes wait until this many other callers wait.
  private final class Callers: Sendable {
    let group = GroupCommit(committed: 0)
    private let flushes: Mutex<[Result<UInt64, KithError>]>
    private let flushCount = Atomic(0)

    init(flushes: [Result<UInt64, KithError>]) { self.flushes = Mutex(flushes) }

    /// Starts callers of these numbers, which queue in this order while the first one's flush runs.
    /// - Returns: the outcome of each, and the number of flushes.
    func run(_ sequences: [UInt64]) -> (outcomes: [CommitOutcome], flushCount: Int) {
      var waiting: [WaitingWriter] = []
      let first = CommitOutcome(of: sequences[0]) { () throws(KithError) in
        try group.commit(sequences[0]) { () throws(KithError) in
          for sequence in sequences.dropFirst() {
            waiting.append(
              WaitingWriter(sequence) { (sequence) throws(KithError) in
                try self.group.commit(sequence, flush: self.flush)
              })
            while group.waiterCount < waiting.count { Thread.sleep(forTimeInterval: WaitingWriter.lookInterval) }
          }
          return try flush()
        }
      }
      return ([first] + waiting.map { $0.outcome() }, flushCount.load(ordering: .relaxed))
    }

    private func flush() throws(KithError) -> UInt64 {
      flushCount.wrappingAdd(1, ordering: .relaxed)
      return try flushes.withLock { $0.removeFirst() }.get()
    }
  }

  @Test("Waiters of a failed flush get its error, and none flushes again", arguments: [1, 2, 5])
  func failedFlush(_ count: Int) {
    let sequences = (1...UInt64(1 + count)).map(\.self)
    let (outcomes, flushCount) = Callers(flushes: [.failure(Self.failure)]).run(sequences)
    for (sequence, outcome) in zip(sequences, outcomes) {
      #expect(outcome.failure == .indeterminate(sequence: sequence, cause: Self.failure))
    }
    #expect(outcomes.count == sequences.count && flushCount == 1)
  }

  @Test("Changes that a flush made durable are acknowledged, the others get the next flush's error")
  func nextFlushFails() {
    let (outcomes, flushCount) = Callers(flushes: [.success(2), .failure(Self.failure)]).run([1, 2, 3, 4])
    #expect(outcomes.map { $0.failure == nil } == [true, true, false, false])
    for outcome in outcomes.dropFirst(2) {
      #expect(outcome.failure == .indeterminate(sequence: outcome.sequence, cause: Self.failure))
    }
    #expect(flushCount == 2)
  }

  @Test("After a failure the next caller leads, and none waits forever")
  func nextLeader() {
    let callers = Callers(flushes: [.failure(Self.failure), .success(9), .success(9)])
    #expect(callers.run([1, 2]).outcomes.allSatisfy { $0.failure != nil })
    let (outcomes, flushCount) = callers.run([8, 9])
    #expect(outcomes.allSatisfy { $0.failure == nil } && flushCount == 2)
    #expect(callers.group.waiterCount == 0)
  }

  // MARK: - A store

  /// Several concurrent changes, on a disk of which one call fails.
  /// - Returns: the outcome of each caller, and the disk as a power cut leaves it.
  private static func commit(
    _ fault: FaultPlan.Fault, at call: Int
  ) throws -> (outcomes: [CommitOutcome], disk: SimulatedDisk) {
    let disk = SimulatedDisk(seed: UInt64(call))
    let session = try CrashSession(disk)
    func add() -> UInt64 {
      let id = UserID(Int64(session.sequence + 1))
      _ = try? session.apply(.addUser(id: id, username: "user \(id)"))
      return session.sequence
    }
    try session.commit(add())
    let first = add()
    disk.plan(FaultPlan(faultAtCall: call, fault: fault))
    let outcomes = session.commit(first) { (0..<3).map { _ in add() } }
    // An error of closing was reported before.
    try? session.close()
    return (outcomes, disk)
  }

  @Test(
    "No waiter gets an acknowledgement for a change that a failing disk can lose",
    arguments: [FaultPlan.Fault.inputOutputError, .noSpace, .shortWrite])
  func failingDisk(
    _ fault: FaultPlan.Fault
  ) throws {
    var failedCounts: Set<Int> = []
    for call in 1...12 {
      let (outcomes, disk) = try Self.commit(fault, at: call)
      #expect(outcomes.map(\.sequence) == [2, 3, 4, 5])
      #expect(CommitOutcome.objection(to: outcomes) == nil, "\(fault) at call \(call)")
      failedCounts.insert(outcomes.count { $0.failure != nil })
      disk.restart(after: .powerCut)
      let safe = outcomes.last { $0.failure == nil }?.sequence ?? 1
      #expect(try CrashSession(disk).sequence >= safe, "\(fault) at call \(call): change \(safe) is lost")
    }
    // The leader's own call failed, then one of the next leader, then none of theirs.
    #expect(failedCounts == [4, 3, 0], "\(failedCounts)")
  }
}
