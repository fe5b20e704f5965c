import Foundation
import Kith
import Synchronization

/// A rehearsal of what backups are for: a store lives, is saved, is damaged and comes back, each time compared with
/// what it was.
///
/// It works in a directory of its own alone. The first thing that is not as it should be ends it.
struct Drill {
  /// Something that was rehearsed.
  struct Step {
    let name: String
    let duration: Duration
    let result: String
  }

  private let directory: String
  private let seed: UInt64
  private(set) var steps: [Step] = []
  private let noting: (Step) throws(CommandFailure) -> Void
  /// What the store held, by the number of its last change.
  private var marks: [GraphDigest] = []

  private static let network = SeededNetwork(
    userCount: 2_000, followCount: 40_000, postCount: 10_000, likeCount: 20_000, seed: 1)

  private var store: String { "\(directory)/store" }
  private var backup: String { "\(directory)/backup.kith.zst" }

  /// - Parameters:
  ///   - directory: is there, and empty.
  ///   - noting: is told of every step that went well.
  init(in directory: String, seed: UInt64, noting: @escaping (Step) throws(CommandFailure) -> Void) {
    self.directory = directory
    self.seed = seed
    self.noting = noting
  }

  /// - Parameters:
  ///   - source: a snapshot or a store to begin with, which is only read; nil for a made-up network.
  ///   - changeCount: how many changes are made meanwhile.
  mutating func run(from source: String?, changeCount: Int) throws(CommandFailure) {
    try step("a store to lose") { drill throws(CommandFailure) in try drill.make(from: source) }
    try step("changes, with a snapshot and a backup meanwhile") { drill throws(CommandFailure) in
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

  // MARK: - Before

  private mutating func make(from source: String?) throws(CommandFailure) -> String {
    if let source { _ = try Self.files { () throws(KithError) in try Snapshots.restore(from: source, to: store) } }
    let graph = try StoreAccess.open(store, access: .readWrite)
    if source == nil {
      try SeedCommand.fill(graph, with: Self.network)
      _ = try StoreAccess.snapshot(graph)
    }
    let counts = graph.read { view in view.counts }
    try StoreAccess.close(graph)
    return counts.text
  }

  /// Marks the state at several changes; half of them come after the snapshot, and the backup is taken in between,
  /// while changes go on.
  private mutating func live(_ changeCount: Int) throws(CommandFailure) -> String {
    let graph = try StoreAccess.open(store, access: .readWrite)
    var load = graph.read { view in DrillLoad(view, seed: seed) }
    for part in 0..<4 {
      _ = try Self.files { () throws(KithError) in try load.run(graph, changeCount: max(1, changeCount / 8)) }
      marks.append(try GraphDigest(graph.pin().view))
      if part == 1 { _ = try StoreAccess.snapshot(graph) }
      if part == 2 {
        let copying = DrillBackup(of: store, to: backup)
        _ = try Self.files { () throws(KithError) in try load.run(graph, changeCount: max(1, changeCount / 2)) }
        try Self.files { () throws(KithError) in try copying.wait() }
      }
    }
    try StoreAccess.close(graph)
    return "up to change \(grouped(newest.sequence))"
  }

  private var newest: GraphDigest { marks[marks.count - 1] }

  // MARK: - After

  private func digest(restoring source: String, at point: RestorePoint) throws(CommandFailure) -> GraphDigest {
    let target = "\(directory)/restored"
    defer { try? FileManager.default.removeItem(atPath: target) }
    _ = try Self.files { () throws(KithError) in try Snapshots.restore(from: source, to: target, at: point) }
    return try Self.digest(of: target)
  }

  @discardableResult
  private func compare(
    restoring source: String, at point: RestorePoint, with expected: GraphDigest
  ) throws(CommandFailure) -> String {
    guard try digest(restoring: source, at: point) == expected else {
      throw .no("what was restored is not what was there at change \(expected.sequence)")
    }
    return "equal at change \(grouped(expected.sequence))"
  }

  /// The store must open as if nothing had happened, and `verify` must tell.
  private mutating func damageSnapshot() throws(CommandFailure) -> String {
    let name = try damage("snap-") { $0 / 2 }
    guard try problems().contains(where: { $0.place.contains(name) }) else { throw .no("verify tells nothing of it") }
    guard try Self.digest(of: store) == newest else { throw .no("another state comes of an older snapshot") }
    return "told by verify; the one before it and the journals lead to the same state"
  }

  /// The state cannot be what it was, so nothing less than a refusal will do; salvage says what is lost.
  private mutating func damageJournal() throws(CommandFailure) -> String {
    let name = try damage("wal-") { _ in JournalFile.firstChange }
    guard try problems().contains(where: { $0.place.contains(name) }) else { throw .no("verify tells nothing of it") }
    if (try? Snapshots.restore(from: store, to: "\(directory)/refused")) != nil {
      throw .no("a state was restored although acknowledged changes are damaged")
    }
    let target = "\(directory)/salvaged"
    let saved = try Self.files { () throws(KithError) in try Snapshots.salvage(from: store, to: target) }
    let lost = SalvageReport.count(saved.report.lost)
    guard lost > 0, saved.report.sequence <= newest.sequence else { throw .no("salvage does not tell what is lost") }
    let rest = try Self.files { () throws(KithError) in try Snapshots.verify(target) }
    guard rest.isEmpty else { throw .no("the salvaged graph is not sound: \(rest[0].message)") }
    return "refused; salvage told of \(counted(lost, "lost change")), and gave a sound graph"
  }

  private func problems() throws(CommandFailure) -> [Problem] {
    try Self.files { () throws(KithError) in try Snapshots.verify(store) }
  }

  /// Flips a bit in the last file whose name begins so. Returns its name.
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

  /// Work on files, whose failure ends the drill.
  private static func files<R>(_ body: () throws(KithError) -> R) throws(CommandFailure) -> R {
    do throws(KithError) { return try body() } catch { throw .no(error.description) }
  }
}

/// A backup that is taken from the files of a store while it changes.
private final class DrillBackup: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let failure = Mutex<KithError?>(nil)

  init(of store: String, to file: String) {
    Thread.detachNewThread {
      do throws(KithError) {
        _ = try Snapshots.write(store, to: file)
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

/// Where things stand in a journal: `Snapshots/FORMAT.md`.
private enum JournalFile {
  /// Inside the first frame.
  static let firstChange = 4_096 + 48 + 2
}
