import Foundation
import Kith
import Synchronization

/// A recovery drill: a store is changed, backed up, damaged and restored, each time compared with its former state.
///
/// It works in a directory of its own. The first difference ends it.
struct Drill {
  /// A step that succeeded.
  struct Step {
    let name: String
    let duration: Duration
    let result: String
  }

  private let directory: String
  private let seed: UInt64
  private(set) var steps: [Step] = []
  private let noting: (Step) throws(CommandFailure) -> Void
  /// The content of the store, by the number of its last change.
  private var marks: [GraphDigest] = []

  private static let network = SeededNetwork(
    userCount: 2_000, followCount: 40_000, postCount: 10_000, likeCount: 20_000, seed: 1)

  private var store: String { "\(directory)/store" }
  private var backup: String { "\(directory)/backup.kith.zst" }

  /// - Parameters:
  ///   - directory: an existing, empty directory.
  ///   - noting: is called after every step that succeeded.
  init(in directory: String, seed: UInt64, noting: @escaping (Step) throws(CommandFailure) -> Void) {
    self.directory = directory
    self.seed = seed
    self.noting = noting
  }

  /// - Parameters:
  ///   - source: a snapshot or a store to begin with, which is only read; nil for a synthetic graph.
  ///   - changeCount: how many changes are made.
  mutating func run(from source: String?, changeCount: Int) throws(CommandFailure) {
    try step("a store") { drill throws(CommandFailure) in try drill.make(from: source) }
    try step("changes, with a snapshot and a backup") { drill throws(CommandFailure) in
      try drill.live(changeCount)
    }
    try step("the newest state, restored") { drill throws(CommandFailure) in
      try drill.compare(restoring: drill.store, at: .newest, with: drill.newest)
    }
    try step("earlier states, restored by their numbers") { drill throws(CommandFailure) in
      for mark in drill.marks { try drill.compare(restoring: drill.store, at: .sequence(mark.sequence), with: mark) }
      return "\(counted(drill.marks.count, "state")), equal"
    }
    try step("the backup, restored beside the store at its number") { drill throws(CommandFailure) in
      let backup = try drill.digest(restoring: drill.backup, at: .newest)
      return try drill.compare(restoring: drill.store, at: .sequence(backup.sequence), with: backup)
    }
    try step("the newest snapshot damaged") { drill throws(CommandFailure) in try drill.damageSnapshot() }
    try step("the newest journal damaged") { drill throws(CommandFailure) in try drill.damageJournal() }
  }

  private mutating func step(
    _ name: String, _ body: (inout Drill) throws(CommandFailure) -> String
  ) throws(CommandFailure) {
    let began = ContinuousClock().now
    let result: String
    do throws(CommandFailure) {
      result = try body(&self)
    } catch {
      throw .no("\(name): \(error.message)")
    }
    let step = Step(name: name, duration: ContinuousClock().now - began, result: result)
    steps.append(step)
    try noting(step)
  }

  // MARK: - Before the damage

  private mutating func make(from source: String?) throws(CommandFailure) -> String {
    if let source { _ = try Self.files { () throws(KithError) in try StoreTools.restore(from: source, to: store) } }
    let graph = try StoreAccess.open(store, access: .readWrite)
    if source == nil {
      try SeedCommand.fill(graph, with: Self.network)
      _ = try StoreAccess.snapshot(graph)
    }
    let counts = graph.read { view in view.counts }
    try StoreAccess.close(graph)
    return counts.text
  }

  /// Records the state at several changes. Half of them come after the snapshot, and the backup is taken in between,
  /// while changes continue.
  private mutating func live(_ changeCount: Int) throws(CommandFailure) -> String {
    let graph = try StoreAccess.open(store, access: .readWrite)
    var load = graph.read { view in DrillLoad(view, seed: seed) }
    for part in 0..<4 {
      _ = try Self.files { () throws(KithError) in try load.run(graph, changeCount: max(1, changeCount / 8)) }
      marks.append(try GraphDigest(graph.pin().view))
      if part == 1 { _ = try StoreAccess.snapshot(graph) }
      if part == 2 {
        let copying = try DrillBackup(of: store, to: backup)
        _ = try Self.files { () throws(KithError) in try load.run(graph, changeCount: max(1, changeCount / 2)) }
        try Self.files { () throws(KithError) in try copying.wait() }
      }
    }
    try StoreAccess.close(graph)
    return "up to change \(grouped(newest.sequence))"
  }

  private var newest: GraphDigest { marks[marks.count - 1] }

  // MARK: - Restores and damage

  private func digest(restoring source: String, at point: RecoveryTarget) throws(CommandFailure) -> GraphDigest {
    let target = "\(directory)/restored"
    defer { try? FileManager.default.removeItem(atPath: target) }
    _ = try Self.files { () throws(KithError) in try StoreTools.restore(from: source, to: target, at: point) }
    return try Self.digest(of: target)
  }

  @discardableResult
  private func compare(
    restoring source: String, at point: RecoveryTarget, with expected: GraphDigest
  ) throws(CommandFailure) -> String {
    guard try digest(restoring: source, at: point) == expected else {
      throw .no("the restored state differs from the one at change \(expected.sequence)")
    }
    return "equal at change \(grouped(expected.sequence))"
  }

  /// The store must open with the same state, and `verify` must report the damage.
  private mutating func damageSnapshot() throws(CommandFailure) -> String {
    let name = try damage("snap-") { $0 / 2 }
    guard try problems().contains(where: { $0.place.contains(name) }) else { throw .no("verify does not report it") }
    guard try Self.digest(of: store) == newest else { throw .no("an older snapshot leads to another state") }
    return "reported by verify; the one before it and the journals lead to the same state"
  }

  /// The state cannot be restored, so a restore must be refused; salvage reports what is lost.
  private mutating func damageJournal() throws(CommandFailure) -> String {
    let name = try damage("wal-") { _ in JournalFile.firstChange }
    guard try problems().contains(where: { $0.place.contains(name) }) else { throw .no("verify does not report it") }
    if (try? StoreTools.restore(from: store, to: "\(directory)/refused")) != nil {
      throw .no("a state was restored although acknowledged changes are damaged")
    }
    let target = "\(directory)/salvaged"
    let saved = try Self.files { () throws(KithError) in try StoreTools.salvage(from: store, to: target) }
    let lost = SalvageReport.count(saved.report.lost)
    guard lost > 0, saved.report.sequence <= newest.sequence else { throw .no("salvage does not report what is lost") }
    let rest = try Self.files { () throws(KithError) in try StoreTools.verify(target) }
    guard rest.isEmpty else { throw .no("the salvaged graph is not sound: \(rest[0].message)") }
    return "refused; salvage reported \(counted(lost, "lost change")) and gave a valid graph"
  }

  private func problems() throws(CommandFailure) -> [SocialGraph.Violation] {
    try Self.files { () throws(KithError) in try StoreTools.verify(store) }
  }

  /// Flips a bit in the last file whose name has this prefix. Returns its name.
  private func damage(_ prefix: String, at place: (Int) -> Int) throws(CommandFailure) -> String {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: store))?.sorted() ?? []
    guard let name = names.last(where: { $0.hasPrefix(prefix) }) else { throw .no("there is no \(prefix)…") }
    let file = URL(fileURLWithPath: "\(store)/\(name)")
    do {
      var bytes = try Data(contentsOf: file)
      bytes[place(bytes.count)] ^= 1
      try bytes.write(to: file)
    } catch {
      throw .no("\(file.path): \(error.localizedDescription)")
    }
    return name
  }

  private static func digest(of store: String) throws(CommandFailure) -> GraphDigest {
    let graph = try files { () throws(KithError) in try SocialGraph.open(store, access: .readOnly) }
    return try GraphDigest(graph.pin().view)
  }

  /// Work on files; a failure ends the drill.
  private static func files<R>(_ body: () throws(KithError) -> R) throws(CommandFailure) -> R {
    do throws(KithError) { return try body() } catch { throw .no(error.sentence) }
  }
}

/// A backup that is taken from the files of a store while it changes.
private final class DrillBackup: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let failure = Mutex<KithError?>(nil)

  init(of store: String, to file: String) throws(CommandFailure) {
    try Threads.begin {
      do throws(KithError) {
        _ = try StoreTools.write(store, to: file)
      } catch {
        self.failure.withLock { $0 = error }
      }
      self.done.signal()
    }
  }

  func wait() throws(KithError) {
    done.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}

/// Offsets in a journal: see `Snapshots/FORMAT.md`.
private enum JournalFile {
  /// An offset inside the first frame.
  static let firstChange = 4_096 + 48 + 2
}
