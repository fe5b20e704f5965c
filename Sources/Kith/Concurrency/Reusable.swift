/// A value of a pool, as one object, so that a query that borrows it takes one reference.
@safe final class Reusable<Value>: @unchecked Sendable {
  // Safety: the pool lends it to one query at a time, whose accesses do not overlap. Without a check of that at run
  // time, which takes 60 instructions an access.
  @exclusivity(unchecked) private var stored: Value

  init(_ value: Value) { unsafe stored = value }

  var value: Value {
    @inline(__always) get { unsafe stored }
    @inline(__always) _modify { yield unsafe &stored }
  }
}
