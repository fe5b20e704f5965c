/// The huge pages of the system: two megabytes on Linux for x86-64, and for ARM with pages of 4 KB.
enum HugePage {
  static let byteCount = 2 << 20

  /// The first multiple of a huge page that is not below a number of bytes or an address.
  static func roundUp(_ bytes: Int) -> Int { roundDown(bytes + byteCount - 1) }

  /// The last multiple of a huge page that is not above a number of bytes or an address.
  static func roundDown(_ bytes: Int) -> Int { bytes & ~(byteCount - 1) }
}
