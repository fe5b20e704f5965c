import Foundation

/// The files of the page: those that are built in or, for work on the page, those of a directory.
struct PageFiles: Sendable {
  static let index = "index.html"
  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml", "webmanifest": "application/manifest+json",
  ]

  /// Nil for the built-in files.
  let directory: String?

  /// The reply with a file; nil if there is none of that name.
  /// - Parameter tag: the version that the client has.
  func reply(_ name: String, unless tag: String?) -> HTTPReply? {
    guard let type = Self.types[name.split(separator: ".").last.map(String.init) ?? ""], let bytes = bytes(name) else {
      return nil
    }
    let own = Self.tag(of: bytes)
    var reply = HTTPReply(
      tag == own ? 304 : 200, type: type, .bytes(tag == own ? [] : bytes), cache: "no-cache")
    reply.headers.append(("ETag", own))
    return reply
  }

  private func bytes(_ name: String) -> [UInt8]? {
    guard let directory else { return BuiltInPage.files[name] }
    guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }), !name.hasPrefix(".")
    else { return nil }
    return FileManager.default.contents(atPath: "\(directory)/\(name)").map { Array($0) }
  }

  /// FNV-1a: the files come with the command, so no one chooses them to collide.
  private static func tag(of bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return "\"\(String(hash, radix: 16))\""
  }
}
