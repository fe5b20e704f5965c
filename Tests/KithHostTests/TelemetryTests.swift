import Foundation
import HostModels
import Kith
import Synchronization
import Testing

#if canImport(os)
  import os

  /// Signposts for Instruments, an interval for each query and change. Compiled on Apple platforms alone, so never yet.
  struct SignpostInstrument: GraphInstrument {
    private let log = OSLog(subsystem: "org.example.app", category: "Kith")

    func began(_ operation: GraphOperation) -> UInt64 {
      let id = OSSignpostID(log: log)
      os_signpost(.begin, log: log, name: "Kith", signpostID: id, "%{public}s", operation.rawValue)
      return id.rawValue
    }

    func ended(_ operation: GraphOperation, id: UInt64, nanoseconds: Int, failed: Bool) {
      os_signpost(.end, log: log, name: "Kith", signpostID: OSSignpostID(id), "%{public}s", operation.rawValue)
    }
  }
#endif

/// Timers as of swift-metrics, and a log of what was slow as of swift-log.
struct TelemetryInstrument: GraphInstrument {
  let logger: Logger
  let slowNanoseconds: Int

  func ended(_ operation: GraphOperation, id: UInt64, nanoseconds: Int, failed: Bool) {
    HostModels.Timer(label: "kith", dimensions: [("operation", operation.rawValue)]).recordNanoseconds(nanoseconds)
    if nanoseconds >= slowNanoseconds {
      logger.log(level: .warning, "slow", metadata: ["operation": operation.rawValue, "failed": "\(failed)"])
    }
  }
}

/// The text that Prometheus scrapes: https://prometheus.io/docs/instrumenting/exposition_formats
private func prometheusText(_ statistics: SocialGraph.Statistics) -> String {
  var lines: [String] = []
  var last = ""
  for metric in statistics.metrics {
    let labels = metric.labels.map { "\($0)=\"\($1)\"" }
    func line(_ suffix: String, _ value: Int, _ more: [String] = []) {
      let all = (labels + more).joined(separator: ",")
      lines.append("\(metric.name)\(suffix)\(all.isEmpty ? "" : "{\(all)}") \(value)")
    }
    let type =
      switch metric.value {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    if metric.name != last { lines.append("# TYPE \(metric.name) \(type)") }
    last = metric.name
    switch metric.value {
    case .counter(let count), .gauge(let count): line("", count)
    case .histogram(let values):
      var below = 0
      for bucket in values.buckets {
        below += bucket.count
        line("_bucket", below, ["le=\"\(bucket.upperBound)\""])
      }
      line("_bucket", values.count, ["le=\"+Inf\""])
      line("_sum", values.sum)
      line("_count", values.count)
    }
  }
  return lines.joined(separator: "\n") + "\n"
}

/// A host's logs, metrics and traces on Kith's hooks, each in a few lines.
@Suite struct TelemetryTests {
  @Test("Statistics are written as Prometheus text: one type a name, cumulative buckets, sums and counts that agree")
  func prometheus() throws {
    var options = SocialGraph.Options()
    options.measuresLatency = true
    let graph = SocialGraph(options: options)
    let ann = try graph.addUser("ann"), bob = try graph.addUser("bob")
    for _ in 0..<50 { _ = try graph.read { view in try view.isFollowing(bob, as: ann) } }
    #expect(throws: KithError.self) { try graph.follow(ann, as: ann) }
    let statistics = graph.statistics()
    let lines = prometheusText(statistics).split(separator: "\n").map(String.init)
    #expect(lines.contains("# TYPE kith_changes_total counter") && lines.contains("kith_changes_total 2"))
    #expect(lines.contains(#"kith_operation_nanoseconds_count{operation="isFollowing"} 50"#))
    #expect(lines.contains(#"kith_operation_failures_total{operation="follow"} 1"#))
    #expect(lines.contains(#"kith_compactions_running{index="users"} 0"#))
    // Every name has one type, before its samples.
    let types = lines.filter { $0.hasPrefix("# TYPE") }
    #expect(Set(types).count == types.count)
    // Buckets rise to the count.
    let buckets = lines.filter { $0.hasPrefix(#"kith_operation_nanoseconds_bucket{operation="isFollowing","#) }
      .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    #expect(buckets == buckets.sorted() && buckets.last == 50 && buckets.count > 1)
    for line in lines where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: /[a-z_]+(\{[a-z]+="[^"]+"(,[a-z]+="[^"]+")?\})? \d+/) != nil, "\(line)")
    }
  }

  @Test("Events of a store are logged with their level and fields")
  func events() async throws {
    let lines = Mutex<[String]>([])
    let logger = Logger { line in lines.withLock { $0.append(line) } }
    let path = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let graph = try await SocialGraph.open(
      path,
      onEvent: { event in
        logger.log(level: event.isFailure ? .error : .info, event.name, metadata: event.fields)
      })
    try await graph.addUser("ann")
    let info = try await graph.snapshot()
    try await graph.close()
    for _ in 0..<500 where lines.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(
      lines.withLock { $0 } == [
        "info snapshotBegan sequence=1", "info snapshotWritten bytes=\(info.byteCount) path=\(info.path) sequence=1",
      ])
    let failure = StoreEvent.journalFailed(.closed)
    #expect(failure.isFailure && failure.fields == ["error": KithError.closed.description])
  }

  @Test("An instrument times every query and change, and gets back the id it gave")
  func instrument() throws {
    let lines = Mutex<[String]>([])
    let logger = Logger { line in lines.withLock { $0.append(line) } }
    let graph = SocialGraph(instrument: TelemetryInstrument(logger: logger, slowNanoseconds: 0))
    let ann = try graph.addUser("ann")
    _ = try graph.read { view in try view.timeline(of: ann) }
    #expect(throws: KithError.self) { try graph.follow(ann, as: ann) }
    #expect(
      lines.withLock { $0 } == [
        "warning slow failed=false operation=addUser", "warning slow failed=false operation=timeline",
        "warning slow failed=true operation=follow",
      ])
    #expect(HostModels.Timer.recorded.withLock { $0["kith operation=timeline"]?.count } == 1)
    let spans = SpanInstrument()
    let other = SocialGraph(instrument: spans)
    let bob = try other.addUser("bob")
    _ = try other.read { view in try view.user(bob) }
    #expect(spans.ended.withLock { $0 } == [1, 2])
  }
}

/// Numbers its spans.
private final class SpanInstrument: GraphInstrument {
  private let count = Atomic<UInt64>(0)
  let ended = Mutex<[UInt64]>([])

  func began(_ operation: GraphOperation) -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue }
  func ended(_ operation: GraphOperation, id: UInt64, nanoseconds: Int, failed: Bool) {
    ended.withLock { $0.append(id) }
  }
}
