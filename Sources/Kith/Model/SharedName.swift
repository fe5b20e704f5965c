extension RecoveryReport {
  /// Two users whose names are equal after NFC (`K` and U+212A, the Kelvin sign), as earlier releases allowed.
  ///
  /// A lookup of the name finds the user with the lower id. Both users are found by id. The sharing ends when one is
  /// renamed or removed.
  public struct SharedName: Hashable, Sendable {
    /// The user found by the name.
    public let lower: UserID
    /// The other user.
    public let higher: UserID
  }
}

extension [RecoveryReport.SharedName] {
  /// The most pairs named in a remark.
  private static var namedCount: Int { 5 }

  /// A warning for the operator; nil if no name is shared.
  var remark: String? {
    if isEmpty { return nil }
    let pairs = prefix(Self.namedCount).map { "\($0.lower.rawValue) and \($0.higher.rawValue)" }
    let more = count > Self.namedCount ? ", and \(count - Self.namedCount) more pairs" : ""
    return "users whose names are the same after NFC, of whom a name finds the lower id: "
      + pairs.joined(separator: ", ") + more + "; rename one of each pair"
  }
}
