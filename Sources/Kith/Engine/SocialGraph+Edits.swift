/// Changes in two parts: beside readers, then alone.
extension SocialGraph {
  /// `applyNow` for a follow or a like, or the end of one. Readers wait only while it is written: it is validated,
  /// placed and enqueued before.
  @inline(__always)
  func editNow(_ change: Change) throws(KithError) -> (ChangeResult, PendingNotification?) {
    let began = beginLockWait()
    return try lock.serially { () throws(KithError) -> (ChangeResult, PendingNotification?) in
      endLockWait(began)
      try checkWritable()
      try limits.check(change, live.state)
      let sequence = live.state.sequence
      try JournalFormat.checkSequence(sequence)
      let complete = try live.state.complete(change, now: Timestamp.now)
      guard let edit = try live.state.edit(complete) else {
        return (ChangeResult(sequence: sequence, didChange: false, user: nil, post: nil), nil)
      }
      live.state.prefetch(edit)
      store?.enqueue(complete)
      return lock.exclusively {
        live.state.apply(edit)
        let applied = ChangeResult(sequence: sequence + 1, didChange: true, user: nil, post: nil)
        // Read here: an observer is counted before it reads the graph.
        guard let observers = activeObservers else { return (applied, nil) }
        observers.feed.record(complete, sequence: applied.sequence)
        let made = AppliedChange(change: complete, removedAuthor: nil)
        return (applied, PendingNotification(made: made, observers: observers))
      }
    }
  }
}
