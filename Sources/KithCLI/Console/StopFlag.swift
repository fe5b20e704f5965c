import Synchronization

/// Set once, when something is to end.
final class StopFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}
