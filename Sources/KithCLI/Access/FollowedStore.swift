import Foundation
import Kith
import Synchronization

/// The graph of a store that another process may write: a thread follows its journal, without a lock. If changes are in
/// no journal any more, as after an import, the store is read again.
final class FollowedStore: Sendable {
  enum Event {
    /// Changes that the graph has taken, and the number of the first.
    case changes([Change], first: UInt64)
    /// The store was read again: another graph has taken the place of the one before.
    case replaced
    /// The store cannot be followed. Reported at each attempt.
    case failed(KithError)
    /// It is followed, at first and after a failure.
    case began
  }

  private static let pause = 0.02
  private static let pauseAfterFailure = 1.0

  private let path: String
  private let options: SocialGraph.Options
  private let newest: Mutex<SocialGraph>
  /// Cancelled at the end.
  private let reading = ReadControl()
  private let follows = DispatchGroup()

  /// - Parameter graph: the store, opened for reading.
  init(_ path: String, _ graph: SocialGraph, _ options: SocialGraph.Options) {
    self.path = path
    self.options = options
    newest = Mutex(graph)
  }

  /// The newest graph. A later one replaces it if the store had to be read again.
  var graph: SocialGraph { newest.withLock { $0 } }

  /// Begins to follow. To be called once.
  /// - Parameter note: called on the thread that follows.
  func follow(_ note: @escaping @Sendable (Event) -> Void) throws(CommandFailure) {
    follows.enter()
    let hasThread = Threads.run { [self] in
      run(note)
      follows.leave()
    }
    if hasThread { return }
    follows.leave()
    throw .no(KithError.limitExceeded(.threads).sentence)
  }

  /// Ends the thread. What was read stays.
  func close() {
    reading.cancel()
    follows.wait()
  }

  private func run(_ note: (Event) -> Void) {
    var needsReading = false
    while !reading.isCancelled {
      do throws(KithError) {
        if needsReading {
          let graph = try SocialGraph.read(path, at: .newest, options: options, control: reading)
          newest.withLock { $0 = graph }
          note(.replaced)
        }
        needsReading = false
        var follower = try StoreFollower(path, from: graph.read { view in view.sequence } + 1)
        note(.began)
        while !needsReading, !reading.isCancelled { needsReading = try !takeNext(from: &follower, note) }
      } catch {
        if reading.isCancelled { return }
        note(.failed(error))
        Thread.sleep(forTimeInterval: Self.pauseAfterFailure)
      }
    }
  }

  /// False if the graph lacks changes that are in no journal, or cannot take them.
  private func takeNext(from follower: inout StoreFollower, _ note: (Event) -> Void) throws(KithError) -> Bool {
    switch try follower.next() {
    case .nothing:
      Thread.sleep(forTimeInterval: Self.pause)
      return true
    case .missed: return false
    case .changes(let changes, let first):
      do throws(KithError) { try graph.follow(changes) } catch { return false }
      note(.changes(changes, first: first))
      return true
    }
  }
}
