import Kith
import Testing

@testable import KithReplication

/// What an operator should know of a log.
@Suite struct LogReviewTests {
  private static let clock: Int64 = 1_700_000_000_000

  /// A log without trouble: a replica, two checked snapshots.
  private func review(
    change: (inout LogHealth, inout [ReplicaReport], inout [LogSnapshot]) -> Void = { _, _, _ in },
    dissents: [LogDissent] = []
  ) -> LogReview {
    var health = LogHealth(
      clock: Timestamp(Self.clock), newest: 100, newestAt: at(0), first: 1, retention: .seconds(86_400), dueSince: 0,
      standbyNames: "ANY 1 (b, c)", isQuorumDemanded: true, neededStandbys: 1, connectedStandbys: 2, written: 1_000,
      flushed: 1_000, problem: "")
    var reports = ["a", "b"].map { name in
      ReplicaReport(name: name, session: .random(), applied: 100, outcomeChain: 0, seen: at(1))
    }
    var snapshots = [90, 80].map { position in
      LogSnapshot(
        position: position, sequence: 1, chain: [], outcomeChain: 0, digest: 0, byteCount: 1_000, place: "p\(position)",
        writer: "a", verifiers: ["b"], at: at(3_600))
    }
    change(&health, &reports, &snapshots)
    return LogReview(health: health, reports: reports, snapshots: snapshots, dissents: dissents)
  }

  private func at(_ secondsAgo: Int64) -> Timestamp { Timestamp(Self.clock - secondsAgo * 1_000) }

  private func kinds(_ review: LogReview, since earlier: LogHealth? = nil) -> [ReplicaTrouble.Kind] {
    review.troubles(since: earlier).map(\.kind)
  }

  @Test("A log without trouble has none")
  func sound() { #expect(kinds(review()) == []) }

  @Test("A missing quorum is found by the names, by what is connected, and by what standbys have written")
  func quorum() {
    #expect(kinds(review { health, _, _ in health.standbyNames = "" }) == [.noQuorum])
    let away = review { health, _, _ in health.connectedStandbys = 0 }
    #expect(kinds(away) == [.noQuorum] && away.troubles()[0].reason.contains("ANY 1 (b, c)"))
    let stuck = review { health, _, _ in (health.written, health.flushed) = (3_000, 1_000) }
    var earlier = stuck.health
    (earlier.clock, earlier.written) = (at(3), 2_000)
    #expect(kinds(stuck) == [] && kinds(stuck, since: earlier) == [.noQuorum])
    let late = review { health, _, _ in (health.written, health.flushed) = (3_000, 2_000) }
    #expect(kinds(late, since: earlier) == [], "they have what was written then")
    #expect(
      kinds(
        review { health, _, _ in
          (health.isQuorumDemanded, health.standbyNames, health.connectedStandbys) = (false, "", 0)
        }) == [])
    #expect(kinds(review { health, _, _ in health.problem = "fsync = off" }) == [.unsafeServer])
  }

  @Test("A replica that is behind, away or has differed is reported by name")
  func replicas() {
    let behind = review { _, reports, _ in reports[1].behindSince = at(9) }
    #expect(
      kinds(behind) == [.lagging] && behind.troubles()[0].replica == "b" && behind.lag(of: behind.reports[1]) == 9)
    #expect(kinds(review { _, reports, _ in reports[1].behindSince = at(2) }) == [])
    let away = review { _, reports, _ in reports[0].seen = at(60) }
    #expect(kinds(away) == [.away] && away.troubles()[0].replica == "a")
    let differed = review(dissents: [LogDissent(replica: "b", position: 7, at: at(100))])
    #expect(kinds(differed) == [.diverged] && differed.troubles()[0].kind.isCritical)
  }

  @Test("A snapshot that no other checks is reported, if others run, after a time for its bytes")
  func snapshots() {
    #expect(kinds(review { _, _, snapshots in snapshots[0].verifiers = [] }) == [.snapshots])
    #expect(kinds(review { _, _, snapshots in snapshots[1].verifiers = [] }) == [], "a newer one is checked")
    let huge = review { _, _, snapshots in (snapshots[0].verifiers, snapshots[0].byteCount) = ([], 1 << 40) }
    #expect(kinds(huge) == [])
    let alone = review { _, reports, snapshots in
      snapshots[0].verifiers = []
      reports.removeLast()
    }
    #expect(kinds(alone) == [])
  }

  @Test("Records that stay too long are reported, with what keeps them")
  func trimming() {
    func reason(_ change: (inout LogHealth, inout [ReplicaReport], inout [LogSnapshot]) -> Void) -> String? {
      let found = review { health, reports, snapshots in
        health.dueSince = at(3_601)
        change(&health, &reports, &snapshots)
      }.troubles().filter { $0.kind == .nothingTrimmed }
      return found.first?.reason
    }
    #expect(reason { _, _, _ in }?.contains("run kith replica trim") == true)
    #expect(reason { _, _, snapshots in snapshots.removeLast() }?.contains("two are needed") == true)
    #expect(reason { _, reports, _ in reports[1].applied = 1 }?.contains("replica b") == true)
    #expect(reason { health, _, _ in health.dueSince = at(3_000) } == nil)
    #expect(reason { health, _, _ in (health.dueSince, health.retention) = (at(20), .zero) } != nil)
  }
}
