/// The end of a graph in the child of a fork: another thread of the parent may have been in the middle of anything.
extension SocialGraph {
  /// Marks the graph as closed. False for one that was torn by a fork during another thread's change, of which the
  /// child only lets go.
  func closeState() -> Bool {
    lock.serially {
      if lock.isTorn { return false }
      lock.exclusively { live.close() }
      return true
    }
  }

  /// Called when a child frees its copy of the graph: closes its copy of the lock's descriptor, and frees nothing that
  /// a thread of the parent may have been changing. The memory is the parent's, too, until it is written.
  func leaveToParent(_ locked: Box<GraphView>) {
    try? store?.close()
    let kept: [AnyObject?] = [
      locked, lockedObservers, pins, recorder, store, asyncWork, nameMaintainer, postMaintainer,
    ]
    for object in kept.compactMap(\.self) { _ = unsafe Unmanaged.passRetained(object) }
  }
}
