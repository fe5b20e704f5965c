import Synchronization

/// Has the username index of a graph rewritten in the background, so that no writer waits for it.
///
/// A merge is a function of one instant: the lock is held only to take that instant and to put the result in its place.
/// Two lanes: full heads need not wait until a large merge is through. What the merge replaced is freed here as well,
/// which takes a millisecond where it was large.
final class NameMerger: Sendable {
  /// The serials that merges are at work on.
  private let running = Mutex<[ClosedRange<UInt32>]>([])
  private let lanes = Lanes("kith.names", maximumLaneCount: 2)

  /// A merge may be due. Nothing happens once nobody holds the graph any more.
  func wake(_ graph: SocialGraph) {
    lanes.wake { [self, weak graph] in
      guard let graph else { return false }
      return mergeOnce(graph)
    }
  }

  /// False when nothing was due.
  private func mergeOnce(_ graph: SocialGraph) -> Bool {
    let merge = graph.withNames { users -> NameMerge? in
      running.withLock { running in
        guard let merge = users.beginMerge(besides: running) else { return nil }
        running.append(merge.serials)
        return merge
      }
    }
    guard let merge else { return false }
    let segment = merge.segment()
    graph.withNames { users in
      users.adopt(segment, inPlaceOf: merge.inputs)
      running.withLock { running in running.removeAll { $0 == merge.serials } }
    }
    return true
  }
}
