import Foundation
import Testing

@testable import Kith

/// The engine against a plain model of its rules, over seeded changes.
///
/// `KITH_MODEL_SEEDS` and `KITH_MODEL_STEPS` set how many runs, and how long: 20 and 5,000 take some minutes.
@Suite struct ModelTests {
  private static func setting(_ name: String, default value: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? value
  }

  static let seeds = 1...UInt64(setting("KITH_MODEL_SEEDS", default: 5))
  static let stepCount = setting("KITH_MODEL_STEPS", default: 600)

  @Test("A few users with many interactions answer like the model", arguments: seeds, ListForm.allCases)
  func fewUsers(seed: UInt64, form: ListForm) throws {
    var run = try ModelRun(seed: seed, users: 9, form)
    for _ in 0..<Self.stepCount { try run.advance() }
    try run.checkWhole()
  }

  @Test("A few users with a schema that is drawn answer like the model", arguments: seeds, ListForm.allCases)
  func schema(seed: UInt64, form: ListForm) throws {
    var run = try ModelRun(seed: seed &+ 2_000, users: 9, form, hasSchema: true)
    for _ in 0..<Self.stepCount { try run.advance() }
    try run.checkWhole()
  }

  @Test("Many users, with lists long enough for every plan, answer like the model", arguments: seeds, ListForm.allCases)
  func crowd(seed: UInt64, form: ListForm) throws {
    var run = try ModelRun(seed: seed &+ 1_000, users: 130, form)
    for _ in 0..<Self.stepCount / 4 { try run.advance() }
    try run.checkWhole()
  }
}
