import Kith

// Integer literals as ids: only for tests. In a host they would let an id of one kind stand in for that of another.

extension UserID: ExpressibleByIntegerLiteral {
  /// An id from a literal.
  public init(integerLiteral value: Int64) { self.init(value) }
}

extension PostID: ExpressibleByIntegerLiteral {
  /// An id from a literal.
  public init(integerLiteral value: Int64) { self.init(value) }
}
