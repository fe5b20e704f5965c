import Kith

/// Gives the events of a replica to its host: one at a time, in order, on a dedicated thread.
struct ReplicaEvents: Sendable {
  private let handler: (@Sendable (ReplicaEvent) -> Void)?
  private let queue = WorkQueue(isBackground: true, waitsForThread: true)

  init(_ handler: (@Sendable (ReplicaEvent) -> Void)?) { self.handler = handler }

  func post(_ event: ReplicaEvent) {
    guard let handler else { return }
    queue.post { handler(event) }
  }
}
