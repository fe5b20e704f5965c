import Kith

/// The kinds of rows, in the order in which an import takes them: blocks after follows and likes, so that an export
/// comes back whole.
enum RowKind: String, CaseIterable, Sendable {
  case users, follows, posts, likes, blocks, mutes

  /// How many fields a row may have.
  var fieldCounts: ClosedRange<Int> {
    switch self {
    case .users, .blocks, .mutes: 2...2
    case .follows, .likes: 2...3
    case .posts: 4...4
    }
  }

  /// The fields by name.
  var fields: String {
    switch self {
    case .users: "id username"
    case .follows: "from to [unix_ms]"
    case .posts: "id author unix_ms text"
    case .likes: "user post [unix_ms]"
    case .blocks, .mutes: "user target"
    }
  }
}

/// A graph as the rows of its TSV files, ids ascending, handed on in pieces: to a file, or to a digest.
struct TSVEncoder {
  static let pieceByteCount = 1 << 20

  private var bytes: [UInt8] = []
  private(set) var rowCount = 0
  private let take: ([UInt8]) throws(CommandFailure) -> Void

  private init(_ take: @escaping ([UInt8]) throws(CommandFailure) -> Void) {
    self.take = take
    bytes.reserveCapacity(Self.pieceByteCount + (256 << 10))
  }

  /// Hands all rows of a kind to `take`, in pieces of about a megabyte; answers how many rows there were.
  static func encode(
    _ kind: RowKind, of view: borrowing GraphView, take: @escaping ([UInt8]) throws(CommandFailure) -> Void
  ) throws(CommandFailure) -> Int {
    var encoder = TSVEncoder(take)
    switch kind {
    case .users:
      try view.forEachUser { (id, name) throws(CommandFailure) in try encoder.row([id.rawValue], text: name) }
    case .follows:
      try view.forEachFollow { (user, target, time) throws(CommandFailure) in
        try encoder.row([user.rawValue, target.rawValue, time.rawValue])
      }
    case .posts:
      try view.forEachPost { (id, author, time, text) throws(CommandFailure) in
        try encoder.row([id.rawValue, author.rawValue, time.rawValue], text: text)
      }
    case .likes:
      try view.forEachLike { (user, post, time) throws(CommandFailure) in
        try encoder.row([user.rawValue, post.rawValue, time.rawValue])
      }
    case .blocks:
      try view.forEachBlock { (user, target) throws(CommandFailure) in
        try encoder.row([user.rawValue, target.rawValue])
      }
    case .mutes:
      try view.forEachMute { (user, target) throws(CommandFailure) in
        try encoder.row([user.rawValue, target.rawValue])
      }
    }
    try encoder.flush()
    return encoder.rowCount
  }

  private mutating func row(_ numbers: [Int64], text: String? = nil) throws(CommandFailure) {
    for (place, number) in numbers.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: "\t")) }
      Self.append(number, to: &bytes)
    }
    if let text {
      bytes.append(UInt8(ascii: "\t"))
      Self.append(text, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\n"))
    rowCount += 1
    if bytes.count >= Self.pieceByteCount { try flush() }
  }

  private mutating func flush() throws(CommandFailure) {
    guard !bytes.isEmpty else { return }
    try take(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = number.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  /// The text with `\t \n \r \\` escaped.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\t"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
      case UInt8(ascii: "\n"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
      case UInt8(ascii: "\r"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
      case UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "\\")])
      default: bytes.append(byte)
      }
    }
  }
}
