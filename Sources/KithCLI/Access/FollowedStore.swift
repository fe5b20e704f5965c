import Foundation
import Kith
import Synchronization

/// The graph of a store that another process may write: a thread follows its journal, without a lock. If changes are in
/// no journal any more, as after an import, the store is read again.
final class FollowedStore: Sendable {
  private static let pause = 0.02
  private static let pauseAfterFailure = 1.0

  private let path: String
  private let options: SocialGraph.Options
  private let newest: Mutex<SocialGraph>
  /// Called after another graph has taken the place of the one before.
  private let onReplacement: @Sendable () -> Void
  /// Cancelled at the end.
  private let reading = ReadControl()
  private let follows = DispatchGroup()

  /// - Parameter graph: the store, opened for reading.
  init(
    _ path: String, _ graph: SocialGraph, _ options: SocialGraph.Options,
    onReplacement: @escaping @Sendable () -> Void
  ) throws(CommandFailure) {
    self.path = path
    self.options = options
    self.onReplacement = onReplacement
    newest = Mutex(graph)
    follows.enter()
    let hasThread = Threads.run { [self] in
      follow()
      follows.leave()
    }
    if hasThread { return }
    follows.leave()
    throw .no(KithError.limitExceeded(.threads).sentence)
  }

  /// The newest graph.
  var graph: SocialGraph { newest.withLock { $0 } }

  /// Ends the thread.
  func close() {
    reading.cancel()
    follows.wait()
  }

  private func follow() {
    var (needsReading, isFailing) = (false, false)
    while !reading.isCancelled {
      do throws(KithError) {
        if needsReading { try replace() }
        needsReading = false
        var follower = try StoreFollower(path, from: graph.read { view in view.sequence } + 1)
        if isFailing { Console.note(path, "followed again") }
        isFailing = false
        while !needsReading, !reading.isCancelled { needsReading = try !takeNext(from: &follower) }
        continue
      } catch {
        if !isFailing, !reading.isCancelled {
          let sequence = graph.read { view in view.sequence }
          Console.note(path, "cannot be followed: \(error.sentence); answers are as of change \(sequence)")
        }
        isFailing = true
      }
      if !reading.isCancelled { Thread.sleep(forTimeInterval: Self.pauseAfterFailure) }
    }
  }

  private func replace() throws(KithError) {
    let graph = try SocialGraph.read(path, at: .newest, options: options, control: reading)
    newest.withLock { $0 = graph }
    onReplacement()
  }

  /// False if the graph lacks changes that are in no journal, or cannot take them.
  private func takeNext(from follower: inout StoreFollower) throws(KithError) -> Bool {
    switch try follower.next() {
    case .nothing:
      Thread.sleep(forTimeInterval: Self.pause)
      return true
    case .missed: return false
    case .changes(let changes, _):
      do throws(KithError) { try graph.follow(changes) } catch { return false }
      return true
    }
  }
}
