/// A read guard: a value that a reader of a lock is lent, and the slot of the lock that it reads in.
///
/// Its parts are visible to other modules, so that reading a graph is compiled into its caller with what is read.
@safe @usableFromInline struct ReadGuard<Value: ~Copyable> {
  // Safety: made and ended by the lock that guards the value, which outlives the guard.
  @usableFromInline let address: UnsafePointer<Value>
  let slot: UnsafeMutableRawPointer

  @usableFromInline var value: Value {
    @inlinable @inline(__always) unsafeAddress { unsafe address }
  }
}
