/// Who may ask: this machine's browser, at the address that the command has printed, with its token.
struct AccessRule: Sendable {
  /// The bytes of a token.
  private static let tokenByteCount = 32
  private static let localHosts: Set<String> = ["127.0.0.1", "localhost", "[::1]"]
  private static let cookieName = "kith"

  /// In hexadecimal digits.
  let token: String
  private let hosts: Set<String>
  /// Whether any address is a valid host. A name is not: the name of another site may lead to this machine.
  private let acceptsEveryAddress: Bool

  /// - Parameter listening: the address that is listened on.
  init(listening address: String, token: String = Self.randomToken()) {
    self.token = token
    hosts = Self.localHosts.union([Self.host(of: address)])
    acceptsEveryAddress = address == "0.0.0.0" || address == "::"
  }

  /// From the system's random generator.
  static func randomToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<tokenByteCount).map { _ in
      let text = String(UInt8.random(in: 0...255, using: &generator), radix: 16)
      return text.count == 1 ? "0" + text : text
    }.joined()
  }

  /// An address as it is written in a URL.
  static func host(of address: String) -> String { address.contains(":") ? "[\(address)]" : address }

  /// The cookies that let a browser in. All ports of a host share cookies, so that a second explorer replaces the
  /// first one's: the port in the second name distinguishes them.
  func cookies(for request: HTTPRequest) -> [String] {
    let port = request.headers.host.flatMap(Self.parts)?.port
    return [Self.cookieName, port.map { "\(Self.cookieName)-\($0)" }].compactMap(\.self).map {
      "\($0)=\(token); HttpOnly; SameSite=Strict; Path=/"
    }
  }

  /// Why a request is refused before its token is checked; nil if it is not.
  func refusal(of request: HTTPRequest) -> HTTPFailure? {
    let headers = request.headers
    guard let host = headers.host, isOwn(host) else {
      return Self.forbidden("the header Host is none of this server: open the address that kith explore printed")
    }
    if let origin = headers.origin, origin.lowercased() != "http://" + host.lowercased() {
      return Self.forbidden("requests of other origins are refused")
    }
    // Only the first page may be opened from elsewhere, by a link.
    if let site = headers.fetchSite, site != "same-origin", site != "none", request.path != "/" {
      return Self.forbidden("requests of other sites are refused")
    }
    return nil
  }

  private static func forbidden(_ message: String) -> HTTPFailure {
    HTTPFailure(status: 403, code: "forbidden", message: message)
  }

  private func isOwn(_ text: String) -> Bool {
    guard let host = Self.parts(text)?.host else { return false }
    if hosts.contains(host) { return true }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    return acceptsEveryAddress && HTTPServer.isAddress(isBracketed ? String(host.dropFirst().dropLast()) : host)
  }

  /// The parts of `host:port`, in lower case; nil if the port is no number.
  private static func parts(_ text: String) -> (host: String, port: UInt16?)? {
    let text = text.lowercased()
    // Inside the brackets of an address, colons begin no port: `[::1]`.
    guard let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") else { return (text, nil) }
    let digits = text[text.index(after: colon)...]
    guard let port = UInt16(digits), digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
      return nil
    }
    return (String(text[..<colon]), port)
  }

  /// Whether a request has the token, in a cookie or as a bearer.
  func admits(_ request: HTTPRequest) -> Bool {
    let bearer = request.headers.authorization.flatMap { text in
      text.lowercased().hasPrefix("bearer ") ? isToken(text.dropFirst("bearer ".count)) : nil
    }
    if bearer == true { return true }
    let cookies = request.headers.cookie?.split(separator: ";") ?? []
    return cookies.contains { cookie in
      let parts = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == Self.cookieName || parts[0].hasPrefix(Self.cookieName + "-") else {
        return false
      }
      return isToken(parts[1])
    }
  }

  func isToken(_ text: some StringProtocol) -> Bool { Self.areEqual(text, token) }

  /// Compares in a time that does not depend on where the texts differ.
  static func areEqual(_ text: some StringProtocol, _ secret: String) -> Bool {
    let (given, own) = (Array(text.utf8), Array(secret.utf8))
    guard given.count == own.count else { return false }
    var difference: UInt8 = 0
    for place in own.indices { difference |= given[place] ^ own[place] }
    return difference == 0
  }
}
