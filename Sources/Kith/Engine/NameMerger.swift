import Dispatch
import Synchronization

/// Has the username index of a graph rewritten in the background, so that no writer waits for it.
///
/// A merge is a function of one instant: the lock is held only to take that instant and to put the result in its place.
/// Two lanes: full heads need not wait until a large merge is through. What the merge replaced is freed here as well,
/// which takes a millisecond where it was large.
final class NameMerger: Sendable {
  private struct State: Sendable {
    /// The serials that merges are at work on.
    var running: [ClosedRange<UInt32>] = []
    var laneCount = 0
    /// How often it was woken: a lane that found nothing looks again if that changed meanwhile.
    var wakeCount = 0
  }

  private static let maximumLaneCount = 2
  private static let queue = DispatchQueue(label: "kith.names", qos: .utility, attributes: .concurrent)

  private let state = Mutex(State())

  /// A merge may be due.
  func wake(_ graph: SocialGraph) {
    let starts = state.withLock { state in
      state.wakeCount += 1
      if state.laneCount == Self.maximumLaneCount { return false }
      state.laneCount += 1
      return true
    }
    if starts { Self.queue.async { [weak graph] in self.work(for: { graph }) } }
  }

  /// Merges until nothing is due, or nobody holds the graph any more.
  private func work(for graph: () -> SocialGraph?) {
    while true {
      let wakeCount = state.withLock { $0.wakeCount }
      if let graph = graph(), mergeOnce(graph) { continue }
      let ends = state.withLock { state in
        if state.wakeCount != wakeCount && graph() != nil { return false }
        state.laneCount -= 1
        return true
      }
      if ends { return }
    }
  }

  /// False when nothing was due.
  private func mergeOnce(_ graph: SocialGraph) -> Bool {
    let merge = graph.withNames { users -> NameMerge? in
      state.withLock { state in
        guard let merge = users.beginMerge(besides: state.running) else { return nil }
        state.running.append(merge.serials)
        return merge
      }
    }
    guard let merge else { return false }
    let segment = merge.segment()
    graph.withNames { users in
      users.adopt(segment, inPlaceOf: merge.inputs)
      state.withLock { state in state.running.removeAll { $0 == merge.serials } }
    }
    return true
  }
}
