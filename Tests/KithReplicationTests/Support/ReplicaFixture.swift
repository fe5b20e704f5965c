import Foundation
import Kith
import Synchronization
import Testing

@testable import KithReplication

/// Replicas of one log in memory, and a directory that they share.
final class ReplicaFixture: Sendable {
  let server: MemoryServer
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent("kith-replica-\(UUID())").path
  let events = Mutex<[ReplicaEvent]>([])

  init(_ server: MemoryServer = MemoryServer()) throws {
    self.server = server
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  func open(
    _ name: String = "a", log: MemoryLog? = nil, own: String? = nil, shares: Bool = true,
    change: (inout ReplicaOptions) -> Void = { _ in }
  ) async throws(KithError) -> ReplicatedGraph {
    var options = ReplicaOptions(
      name: name, snapshots: shares ? .directory(directory) : .none, unavailableAfter: .seconds(3_000),
      resolveWithin: .seconds(3_000))
    options.digestInterval = 4
    options.readTimeout = .milliseconds(10)
    options.firstPause = .milliseconds(1)
    options.longestPause = .milliseconds(5)
    change(&options)
    return try await ReplicatedGraph.open(
      log: log ?? MemoryLog(server), directory: own.map { directory + "/" + $0 }, options: options
    ) { event in
      self.events.withLock { $0.append(event) }
    }
  }

  /// Waits until an event is there.
  func expect(_ what: String, _ isMeant: (ReplicaEvent) -> Bool) async {
    for _ in 0..<12_000 {
      if events.withLock({ $0.contains(where: isMeant) }) { return }
      try? await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("no event: \(what); there are \(events.withLock { $0 })")
  }

  static func isDiverged(_ event: ReplicaEvent) -> Bool {
    if case .diverged = event { true } else { false }
  }
}
