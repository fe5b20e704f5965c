import Synchronization

/// Has the index of a graph's posts built in the background, after a restore and as posts come, so that nobody waits
/// for it.
///
/// As names are merged: the lock is held only to take an instant and to put a segment in its place. There are as many
/// lanes as cores, for a restore has the segments of all posts built at once.
final class PostIndexer: Sendable {
  /// The rows of segments that are being built.
  private let running = Mutex<[Range<UInt32>]>([])
  private let lanes: Lanes
  private let laneCount: Int

  /// - Parameter laneCount: at least two, so that the latest posts need not wait for a large segment.
  init(laneCount: Int) {
    self.laneCount = max(2, laneCount)
    lanes = Lanes("kith.posts", maximumLaneCount: self.laneCount)
  }

  /// A segment may be due. Nothing happens once nobody holds the graph any more.
  func wake(_ graph: SocialGraph) {
    lanes.wake { [self, weak graph] in
      guard let graph else { return false }
      return buildOnce(graph)
    }
  }

  /// Many segments are due.
  func wakeAll(_ graph: SocialGraph) {
    for _ in 0..<laneCount { wake(graph) }
  }

  /// False when nothing was due.
  private func buildOnce(_ graph: SocialGraph) -> Bool {
    let build = graph.withPosts { posts -> PostSegmentBuild? in
      running.withLock { running in
        guard let build = posts.beginBuild(besides: running) else { return nil }
        running.append(build.rows)
        return build
      }
    }
    guard let build else { return false }
    let segment = build.segment()
    // What it replaced is freed behind the lock.
    _ = graph.withPosts { posts in
      running.withLock { running in running.removeAll { $0 == build.rows } }
      return posts.adopt(segment)
    }
    return true
  }
}
