extension SocialGraph.Statistics {
  /// Every number of `metrics` in the text format of Prometheus (0.0.4), for a scrape or a textfile collector.
  ///
  /// A histogram has a bucket for each power of two, up to the first that holds all values, and one for all: those of
  /// nanoseconds from 255 on, the others from 1 on.
  /// - Complexity: O(metrics).
  public var prometheus: String {
    var text = ""
    var last = ""
    for metric in metrics {
      if metric.name != last { text += "# TYPE \(metric.name) \(metric.value.typeName)\n" }
      last = metric.name
      metric.write(to: &text)
    }
    return text
  }
}

extension SocialGraph.Statistics.Metric {
  fileprivate func write(to text: inout String) {
    switch value {
    case .counter(let count), .gauge(let count): text += "\(name)\(labelText()) \(count)\n"
    case .histogram(let values):
      var bound = name.hasSuffix("nanoseconds") ? 255 : 1
      var (below, index) = (0, 0)
      while below < values.count {
        while index < values.buckets.count, values.buckets[index].upperBound <= bound {
          below += values.buckets[index].count
          index += 1
        }
        text += "\(name)_bucket\(labelText("\(bound)")) \(below)\n"
        bound = bound * 2 + 1
      }
      text += "\(name)_bucket\(labelText("+Inf")) \(values.count)\n"
      text += "\(name)_sum\(labelText()) \(values.sum)\n\(name)_count\(labelText()) \(values.count)\n"
    }
  }

  /// The labels in their order by name. Their values are names of the engine, which need no escapes.
  private func labelText(_ bound: String? = nil) -> String {
    let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }
    let all = pairs + (bound.map { ["le=\"\($0)\""] } ?? [])
    return all.isEmpty ? "" : "{\(all.joined(separator: ","))}"
  }
}

extension SocialGraph.Statistics.Metric.Value {
  fileprivate var typeName: String {
    switch self {
    case .counter: "counter"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }
}
