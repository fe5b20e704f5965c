import Dispatch
import Synchronization

/// Has the username index of a graph rewritten in the background, so that no writer waits for it.
///
/// A merge is a function of one instant: the lock is held only to take that instant and to put the result in its place.
/// Two lanes: full heads need not wait until a large merge is through. When nothing is due, it waits for the names to
/// rest and has them merged further (`NameIndex.rest`). What a merge replaced is freed here as well, which takes a
/// millisecond where it was large.
///
/// The graph is not held while a merge runs: one that goes, or is closed, stops it at its next step or part.
final class NameMerger: Sendable {
  /// Runs what it is given after so many milliseconds.
  typealias Later = @Sendable (_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) -> Void

  private struct State: Sendable {
    /// The serials that merges are at work on.
    var running: [ClosedRange<UInt32>] = []
    var awaitsRest = false
  }

  private let state = Mutex(State())
  private let isStopped = Atomic(false)
  private let lanes = Lanes("kith.names", maximumLaneCount: 2)
  private let later: Later

  /// - Parameter later: tests take the place of the clock.
  init(later: @escaping Later = NameMerger.afterTime) { self.later = later }

  static let afterTime: Later = { milliseconds, body in
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: body)
  }

  /// A merge may be due. Nothing happens once nobody holds the graph any more.
  func wake(_ graph: SocialGraph) {
    let graph: @Sendable () -> SocialGraph? = { [weak graph] in graph }
    lanes.wake { [self] in
      let isMerged = merge(graph) { users, running in users.beginMerge(besides: running) }
      if !isMerged { awaitRest(graph) }
      return isMerged
    }
  }

  /// No merge begins any more, and none that runs is brought to its end.
  func stop() { isStopped.store(true, ordering: .relaxed) }

  /// False when there was nothing to do.
  private func merge(
    _ graph: () -> SocialGraph?, begin: (inout UserTable, [ClosedRange<UInt32>]) -> NameMerge?
  ) -> Bool {
    if isStopped.load(ordering: .relaxed) { return false }
    let merge = graph()?.withNames { users -> NameMerge? in
      state.withLock { state in
        guard let merge = begin(&users, state.running) else { return nil }
        state.running.append(merge.serials)
        return merge
      }
    }
    guard let merge = merge ?? nil else { return false }
    let segment = merge.segment { isStopped.load(ordering: .relaxed) }
    if isStopped.load(ordering: .relaxed) { return false }
    graph()?.withNames { users in
      users.adopt(segment, inPlaceOf: merge.inputs)
      state.withLock { state in state.running.removeAll { $0 == merge.serials } }
    }
    return true
  }

  // MARK: - Names at rest

  /// Merges further when no name came for as long as that wants; looks again when some did.
  private func awaitRest(_ graph: @escaping @Sendable () -> SocialGraph?) {
    let wait = graph()?.withNames { users -> (rest: NameIndex.Rest, moment: NameIndex.Moment)? in
      guard let rest = users.searchRest else { return nil }
      return state.withLock { state in
        if state.awaitsRest || isStopped.load(ordering: .relaxed) { return nil }
        state.awaitsRest = true
        return (rest, users.searchMoment)
      }
    }
    guard let (rest, moment) = wait ?? nil else { return }
    later(rest.quietMilliseconds) { [self] in
      state.withLock { $0.awaitsRest = false }
      _ = merge(graph) { users, running in
        guard running.isEmpty, users.searchMoment == moment, let now = users.searchRest,
          now.quietMilliseconds <= rest.quietMilliseconds
        else { return nil }
        return users.beginRestMerge()
      }
      awaitRest(graph)
    }
  }
}
