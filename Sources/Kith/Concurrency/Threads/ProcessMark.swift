import CSupport

/// The process that made an object.
///
/// The child of a fork has the objects of its parent, but none of its threads: a lock that one of them held is never
/// released, and what belongs to the parent is not the child's to end. So what an object does when it is released, it
/// does in its own process alone.
package struct ProcessMark: Sendable {
  private let number = kith_process_number()

  package init() {}

  /// Whether this is the process that made the object, and no child of it. One comparison.
  package var isOwn: Bool {
    @inline(__always) get { kith_process_number() == number }
  }
}
