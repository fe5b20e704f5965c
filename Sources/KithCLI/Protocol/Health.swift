import Kith
import KithReplication

/// Whether a graph does its work.
struct Health: Sendable {
  let sequence: UInt64
  /// Why changes are refused; nil if they are accepted.
  let refusal: KithError?
  let failure: SocialGraph.Statistics.Failure?

  init(_ graph: SocialGraph, readOnly: Bool) {
    sequence = graph.read { view in view.sequence }
    refusal = readOnly ? .readOnly : graph.refusal
    failure = graph.lastFailure
  }

  /// Of a replica, whose local graph refuses changes always.
  init(_ replica: ReplicatedGraph) {
    let status = replica.status
    sequence = replica.read { view in view.sequence }
    let failure = status.failure ?? (status.isConnected ? nil : "no server is connected")
    refusal = failure.map { .unavailable(.unreachable(reason: $0)) }
    self.failure = nil
  }

  func write(to writer: inout JSONWriter) {
    writer.member("accepting", refusal == nil)
    writer.member("sequence", sequence)
    writer.name("refusal")
    if let refusal {
      writer.object { writer in
        writer.member("code", refusal.code)
        writer.member("message", refusal.sentence)
      }
    } else {
      writer.null()
    }
    writer.member(failure)
  }
}

extension JSONWriter {
  /// The last failure of a store, or null.
  mutating func member(_ failure: SocialGraph.Statistics.Failure?) {
    name("failure")
    guard let failure else { return null() }
    object { writer in
      writer.member("event", failure.name)
      writer.member("message", failure.message)
      writer.member("at", failure.time.rawValue)
      writer.member("over", failure.isOver)
    }
  }

  /// The numbers of statistics: as objects, or as the text of Prometheus.
  mutating func metrics(_ statistics: SocialGraph.Statistics, asText: Bool) {
    if asText { return member("metrics", statistics.prometheus) }
    objects("metrics", statistics.metrics) { writer, metric in
      writer.member("name", metric.name)
      for (name, value) in metric.labels.sorted(by: { $0.key < $1.key }) { writer.member(name, value) }
      switch metric.value {
      case .counter(let count), .gauge(let count): writer.member("value", count)
      case .histogram(let values):
        writer.member("count", values.count)
        writer.member("sum", values.sum)
        for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)] {
          writer.member(name, orNull: values.quantile(share))
        }
      @unknown default: break
      }
    }
  }
}
