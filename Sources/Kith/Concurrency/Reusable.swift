/// A value of a pool, at one address, so that a query that borrows it takes one reference.
@safe final class Reusable<Value: ~Copyable>: @unchecked Sendable {
  // Safety: the pool lends it to one query at a time, whose accesses do not overlap. Without a check of that at run
  // time, which takes 60 instructions an access.
  private let address: UnsafeMutablePointer<Value>

  init(_ value: consuming Value) {
    unsafe address = .allocate(capacity: 1)
    unsafe address.initialize(to: value)
  }

  deinit {
    unsafe address.deinitialize(count: 1)
    unsafe address.deallocate()
  }

  /// Read and changed in place.
  var value: Value {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(address) }
    @inline(__always) unsafeMutableAddress { unsafe address }
  }
}
