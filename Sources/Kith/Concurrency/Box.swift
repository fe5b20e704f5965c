/// A value at an address of its own, for one who has exclusive access to it by other means: a lock, or a pool that
/// lends it to one query at a time.
///
/// Run-time exclusivity checks do not see it: they were a fifth of a like (550 of 2,900 instructions). A reader of a
/// lock can be lent its address, and a query that borrows it takes one reference.
@safe final class Box<Value: ~Copyable>: @unchecked Sendable {
  // Safety: the owner of a box accesses its value only inside one lock, as many readers or one writer, or while a pool
  // lends it to one query. A writer passes the access on from call to call and never begins a second one.
  private let stored: UnsafeMutablePointer<Value>

  init(_ value: consuming Value) {
    unsafe stored = .allocate(capacity: 1)
    unsafe stored.initialize(to: value)
  }

  deinit {
    unsafe stored.deinitialize(count: 1)
    unsafe stored.deallocate()
  }

  /// Read and changed in place.
  var value: Value {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(stored) }
    @inline(__always) unsafeMutableAddress { unsafe stored }
  }

  /// Where the value is, for a reader of the lock.
  @inline(__always)
  @unsafe var address: UnsafePointer<Value> { unsafe UnsafePointer(stored) }
}
