/// Giving the store's lock up for a while, for a system that ends a process which is stopped while it holds one.
extension SocialGraph {
  /// Gives the store up for a while: makes all changes durable, cancels a running snapshot, and releases the lock.
  ///
  /// Queries go on from memory, and observers wait. Changes and snapshots throw `invalidRequest(.suspended)` until
  /// `resume`. Another process may open the store meanwhile. A second call does nothing, nor does one of a graph that
  /// has no lock: in memory, or read-only. `close` ends a suspended graph, too. If `onProgress` of a snapshot calls
  /// this, the lock is released when that snapshot ends.
  /// - Throws: `KithError.closed`; `system` if the last changes could not be saved: the lock is released even so, and
  ///   after `resume` a snapshot recovers the store; `storeInUse` in the child of a fork.
  /// - Complexity: O(changes not yet written), and a sync of the disk.
  public func suspend() throws(KithError) {
    try checkOpen()
    guard let store else { return }
    try store.checkProcess()
    try store.suspend { lock.write { _ = store.addObstacle(StoreObstacle.suspended) } }
  }

  /// Takes the store again after `suspend`. Does nothing if the graph is not suspended.
  ///
  /// After a failure the graph stays suspended, and its queries go on.
  /// - Throws: `KithError.storeInUse` while another process has the store open, so that it can be tried again;
  ///   `invalidRequest(.changedWhileSuspended)` if another process has opened the store for writing since: close
  ///   the graph and open it again; `closed`, `system`.
  /// - Complexity: O(files of the store).
  public func resume() throws(KithError) {
    try checkOpen()
    try store?.resume()
  }
}
