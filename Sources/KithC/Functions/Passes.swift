import CKith
import Kith

/// Described in kith.h.
@c @implementation
public func kith_make_control(
  _ task_limit: Int32, _ control: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  control?.pointee = nil
  return finish(error) {
    let control = try needed(control, "control")
    guard task_limit >= 0 else { throw Failure.invalid("task_limit is negative") }
    let made = PassControl(taskLimit: task_limit == 0 ? nil : Int(task_limit))
    control.pointee = try Handle.make(ControlEntry(made), KITH_KIND_CONTROL)
  }
}

/// Described in kith.h.
@c @implementation
public func kith_cancel(_ control: OpaquePointer?) -> kith_status {
  finish(nil) { try Handle(control).with(only: KITH_KIND_CONTROL, ControlEntry.self) { $0.control.cancel() } }
}

/// Described in kith.h.
@c @implementation
public func kith_fraction(_ control: OpaquePointer?, _ fraction: UnsafeMutablePointer<Double>?) -> kith_status {
  fraction?.pointee = 0
  return finish(nil) {
    let fraction = try needed(fraction, "fraction")
    fraction.pointee = try Handle(control).with(only: KITH_KIND_CONTROL, ControlEntry.self) { $0.control.fraction }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_page_rank(
  _ graph: OpaquePointer?, _ damping: Double, _ tolerance: Double, _ maximum_rounds: Int64,
  _ control: OpaquePointer?, _ ranks: UnsafeMutablePointer<kith_ranks>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  ranks?.pointee = kith_ranks()
  return finish(error) {
    let ranks = try needed(ranks, "ranks")
    let (pin, control) = (try Handle(graph).pinned(), try Handle.control(control))
    var options = PageRank.Options()
    let zero = Double(KITH_ZERO)
    if damping != 0 { options.damping = damping == zero ? 0 : damping }
    if tolerance != 0 { options.tolerance = tolerance == zero ? 0 : tolerance }
    if maximum_rounds != 0 { options.maximumRounds = maximum_rounds == Int64(KITH_ZERO) ? 0 : Int(maximum_rounds) }
    let computed = try pin.pageRank(options, control: control)
    let entry = ResultEntry()
    var made = kith_ranks()
    (made.ids, made.scores, made.count) = (entry.ids(of: pin), entry.copy(computed.scores), computed.scores.count)
    (made.rounds, made.has_converged) = (Int64(computed.rounds), computed.isSettled)
    made.owner = try entry.handle()
    ranks.pointee = made
  }
}

/// Described in kith.h.
@c @implementation
public func kith_connected_components(
  _ graph: OpaquePointer?, _ control: OpaquePointer?, _ components: UnsafeMutablePointer<kith_components>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  components?.pointee = kith_components()
  return finish(error) {
    let components = try needed(components, "components")
    let (pin, control) = (try Handle(graph).pinned(), try Handle.control(control))
    let computed = try pin.connectedComponents(control: control)
    let entry = ResultEntry()
    var made = kith_components()
    let rowCount = computed.firstRows.count
    made.ids = entry.ids(of: pin)
    let firsts = entry.allocate(Int64.self, rowCount)
    for row in 0..<rowCount { firsts[row] = made.ids[Int(computed.firstRows[row])] }
    (made.firsts, made.count) = (UnsafePointer(firsts.baseAddress), rowCount)
    made.components = entry.copy(
      computed.components.map { kith_component(first: $0.first.rawValue, user_count: Int64($0.userCount)) })
    made.component_count = computed.components.count
    made.owner = try entry.handle()
    components.pointee = made
  }
}

/// Described in kith.h.
@c @implementation
public func kith_degree_distribution(
  _ graph: OpaquePointer?, _ control: OpaquePointer?, _ degrees: UnsafeMutablePointer<kith_degrees>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  degrees?.pointee = kith_degrees()
  return finish(error) {
    let degrees = try needed(degrees, "degrees")
    let computed = try Handle(graph).pinned().degreeDistribution(control: try Handle.control(control))
    let entry = ResultEntry()
    func copy(_ histogram: DegreeDistribution.Histogram) -> UnsafePointer<kith_bucket>? {
      entry.copy(histogram.buckets.map { kith_bucket(degree: Int64($0.degree), user_count: Int64($0.userCount)) })
    }
    var made = kith_degrees()
    (made.followers, made.follower_bucket_count) = (copy(computed.followers), computed.followers.buckets.count)
    (made.followees, made.followee_bucket_count) = (copy(computed.followees), computed.followees.buckets.count)
    made.owner = try entry.handle()
    degrees.pointee = made
  }
}

/// Described in kith.h.
@c @implementation
public func kith_get_adjacency(
  _ graph: OpaquePointer?, _ control: OpaquePointer?, _ adjacency: UnsafeMutablePointer<kith_adjacency>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  adjacency?.pointee = kith_adjacency()
  return finish(error) {
    let adjacency = try needed(adjacency, "adjacency")
    let (pin, control) = (try Handle(graph).pinned(), try Handle.control(control))
    let pass = GraphPass(pin, control: control)
    let entry = ResultEntry()
    var made = kith_adjacency()
    (made.ids, made.count) = (entry.ids(of: pin), pass.rowCount)
    let offsets = entry.allocate(Int64.self, pass.rowCount + 1)
    offsets[0] = 0
    for row in 0..<pass.rowCount { offsets[row + 1] = offsets[row] + Int64(pin.view.followeeCount(at: row)) }
    let edgeCount = Int(offsets[pass.rowCount])
    let edges = AdjacencyColumns(
      offsets: try needed(UnsafePointer(offsets.baseAddress), "offsets"),
      targets: entry.allocate(UInt32.self, edgeCount),
      seconds: entry.allocate(UInt32.self, edgeCount))
    try pass.forEach { view, row in edges.write(view, row) }
    made.offsets = edges.offsets
    (made.targets, made.seconds) = (UnsafePointer(edges.targets.baseAddress), UnsafePointer(edges.seconds.baseAddress))
    made.owner = try entry.handle()
    adjacency.pointee = made
  }
}

/// The columns of an adjacency. Every row writes its own elements, on any thread.
private struct AdjacencyColumns: @unchecked Sendable {
  let offsets: UnsafePointer<Int64>
  let targets: UnsafeMutableBufferPointer<UInt32>
  let seconds: UnsafeMutableBufferPointer<UInt32>

  func write(_ view: borrowing GraphView, _ row: Int) {
    var place = Int(offsets[row])
    view.forEachFollowees(at: row) { followees in
      for index in followees.indices {
        targets[place] = followees[index].row
        seconds[place] = followees[index].second
        place += 1
      }
    }
  }
}

extension ResultEntry {
  /// The ids of all rows; 0 for users who were removed.
  fileprivate func ids(of pin: SocialGraph.Pin) -> UnsafePointer<Int64>? {
    let ids = allocate(Int64.self, pin.view.rowCount)
    for row in ids.indices { ids[row] = pin.view.user(at: row)?.rawValue ?? 0 }
    return UnsafePointer(ids.baseAddress)
  }
}
