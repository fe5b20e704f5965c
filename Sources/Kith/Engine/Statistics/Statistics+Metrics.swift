extension SocialGraph.Statistics {
  /// One number or histogram, with the name that monitoring systems know it by.
  public struct Metric: Hashable, Sendable {
    /// What the number means.
    @nonexhaustive
    public enum Value: Hashable, Sendable {
      /// A number that only rises while the graph is open.
      case counter(Int)
      /// A number that rises and falls.
      case gauge(Int)
      /// Counts of values by size.
      case histogram(LogLinearHistogram)
    }

    /// The name, in the style of Prometheus: `kith_operation_nanoseconds`. It names the unit where there is one.
    public let name: String
    /// What distinguishes metrics of the same name: `["operation": "timeline"]`. Empty for most.
    public let labels: [String: String]
    /// The value.
    public let value: Value

    fileprivate init(_ name: String, _ value: Value, _ labels: [String: String] = [:]) {
      self.name = "kith_" + name
      self.labels = labels
      self.value = value
    }
  }

  /// Every number as a named metric, those of one name together: for Prometheus, swift-metrics and their like.
  ///
  /// ```swift
  /// for metric in graph.statistics().metrics {
  ///   let labels = metric.labels.map { ($0.key, $0.value) }
  ///   switch metric.value {
  ///   case .counter(let count), .gauge(let count): Gauge(label: metric.name, dimensions: labels).record(count)
  ///   case .histogram(let values):
  ///     Gauge(label: metric.name + "_p99", dimensions: labels).record(values.quantile(0.99) ?? 0)
  ///   }
  /// }
  /// ```
  public var metrics: [Metric] {
    let ran = GraphOperation.allCases.compactMap { operation in
      operations[operation].map { (labels: ["operation": operation.rawValue], ran: $0) }
    }
    let compactions = [("users", userCompactions), ("posts", postCompactions)].map { index, compactions in
      (labels: ["index": index], ran: compactions)
    }
    return [
      Metric("changes_total", .counter(Int(clamping: sequence))),
      Metric("users", .gauge(counts.users)),
      Metric("posts", .gauge(counts.posts)),
      Metric("follows", .gauge(counts.follows)),
      Metric("likes", .gauge(counts.likes)),
      Metric("memory_bytes", .gauge(byteCount)),
      Metric("accepts_changes", .gauge(acceptsChanges ? 1 : 0)),
      Metric("failing", .gauge(lastFailure.map { $0.isOver ? 0 : 1 } ?? 0)),
      Metric("lock_wait_nanoseconds", .histogram(lockWaitNanoseconds)),
      Metric("pending_changes", .gauge(commits.pendingChangeCount)),
      Metric("commit_waiters", .gauge(commits.waiterCount)),
      Metric("commit_group_size", .histogram(commits.groupSizes)),
      Metric("sync_nanoseconds", .histogram(commits.syncNanoseconds)),
      Metric("pins", .gauge(pins.count)),
      Metric("oldest_pin_nanoseconds", .gauge(pins.oldestNanoseconds ?? 0)),
      Metric("live_queries", .gauge(liveQueryCount)),
      Metric("change_observers", .gauge(changeObserverCount)),
      Metric("snapshot_failures_total", .counter(snapshots.failureCount)),
      Metric("snapshot_bytes_total", .counter(snapshots.byteCount)),
      Metric("snapshot_nanoseconds", .histogram(snapshots.nanoseconds)),
    ]
      + ran.map { Metric("operation_nanoseconds", .histogram($0.ran.nanoseconds), $0.labels) }
      + ran.map { Metric("operation_failures_total", .counter($0.ran.failureCount), $0.labels) }
      + compactions.map { Metric("compactions_running", .gauge($0.ran.runningCount), $0.labels) }
      + compactions.map { Metric("compaction_nanoseconds", .histogram($0.ran.nanoseconds), $0.labels) }
  }
}
