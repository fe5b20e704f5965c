import Testing

@testable import KithCLI

/// Who may ask an explorer. The whole interface is tested by `Tests/Explorer/contract.py`.
@Suite struct AccessRuleTests {
  private static let rule = AccessRule(listening: "127.0.0.1", token: "secret")

  private func request(_ headers: HTTPRequest.Headers, _ target: String = "/api/info") -> HTTPRequest {
    HTTPRequest(method: "GET", target: target, headers: headers)
  }

  private func isRefused(_ headers: HTTPRequest.Headers, _ rule: AccessRule = rule) -> Bool {
    rule.refusal(of: request(headers))?.status == 403
  }

  @Test("Only hosts of this machine are accepted, with any port")
  func hosts() {
    for host in ["127.0.0.1", "127.0.0.1:8080", "LocalHost:1", "[::1]", "[::1]:65535"] {
      #expect(!isRefused(.init(host: host)), "\(host)")
    }
    let others = [
      "", "evil.example", "127.0.0.1.evil.example", "127.0.0.1:", "127.0.0.1:65536", "localhost:+1", "[::1",
    ]
    for host in others { #expect(isRefused(.init(host: host)), "\(host)") }
    #expect(isRefused(.init()))
  }

  @Test("The address that is listened on is a host; with all addresses, every address is, and no name")
  func listening() {
    #expect(!isRefused(.init(host: "192.0.2.1:80"), AccessRule(listening: "192.0.2.1")))
    #expect(isRefused(.init(host: "192.0.2.2"), AccessRule(listening: "192.0.2.1")))
    #expect(!isRefused(.init(host: "[2001:db8::1]"), AccessRule(listening: "2001:db8::1")))
    for all in ["0.0.0.0", "::"] {
      #expect(!isRefused(.init(host: "192.0.2.2:1"), AccessRule(listening: all)))
      #expect(!isRefused(.init(host: "[2001:db8::2]:1"), AccessRule(listening: all)))
      #expect(isRefused(.init(host: "evil.example"), AccessRule(listening: all)))
    }
  }

  @Test("An origin is refused unless it is the host of the request")
  func origins() {
    #expect(!isRefused(.init(host: "localhost:1", origin: "http://localhost:1")))
    for origin in ["null", "", "http://localhost", "http://localhost:2", "https://localhost:1", "http://127.0.0.1:1"] {
      #expect(isRefused(.init(host: "localhost:1", origin: origin)), "\(origin)")
    }
    #expect(isRefused(.init(host: "localhost", fetchSite: "same-site")))
    let opened = HTTPRequest.Headers(host: "localhost", fetchSite: "cross-site")
    #expect(Self.rule.refusal(of: request(opened, "/?token=secret")) == nil)
  }

  @Test("A token is accepted as a bearer or in a cookie, whole")
  func tokens() {
    let admitted: [HTTPRequest.Headers] = [
      .init(authorization: "Bearer secret"), .init(cookie: "kith=secret"), .init(cookie: "a=b; kith-80=secret"),
      .init(authorization: "Basic x", cookie: "kith=other; kith-1=secret"),
    ]
    for headers in admitted { #expect(Self.rule.admits(request(headers))) }
    let others: [HTTPRequest.Headers] = [
      .init(), .init(authorization: "secret"), .init(authorization: "Bearer secre"), .init(cookie: "kith=secret2"),
      .init(authorization: "Bearer "), .init(cookie: "kith"), .init(cookie: "akith=secret"), .init(cookie: "b=secret"),
    ]
    for headers in others { #expect(!Self.rule.admits(request(headers))) }
    let tokens = Set((0..<100).map { _ in AccessRule.randomToken() })
    #expect(tokens.count == 100)
    #expect(tokens.allSatisfy { $0.utf8.count == 64 })
  }

  @Test("Escapes in a query are decoded once, and what is no escape stays")
  func queries() {
    let request = request(.init(), "/a%20b?q=a+b%20c%C3%A9&x&y=%zz%&q=2&=3&%61=%2B")
    #expect(request.path == "/a%20b")
    #expect(request.query == ["q": "a b cé", "x": "", "y": "%zz%", "": "3", "a": "+"])
    #expect(HTTPRequest.decoded("%ff%41") == "\u{FFFD}A")
  }

  @Test("Parameters are checked against the table of endpoints")
  func parameters() throws {
    let defaults = try Parameters([:], of: .growth)
    #expect(defaults.integer(.buckets) == 120)
    #expect(try Parameters(["by": "pagerank"], of: .ranks).text(.by) == "pagerank")
    #expect(try Parameters(["at": "-1"], of: .query).integer(.at) == -1)
    let wrong: [([String: String], Endpoint)] = [
      (["buckets": "0"], .growth), (["buckets": "1001"], .growth), (["by": "name"], .ranks), ([:], .path),
      (["other": "1"], .info), (["user": "x"], .neighbourhood), (["at": ""], .query),
    ]
    for (query, endpoint) in wrong {
      #expect(throws: HTTPFailure.self, "\(query)") { try Parameters(query, of: endpoint) }
    }
    for endpoint in Endpoint.allCases {
      #expect(Endpoint(path: Endpoint.prefix + endpoint.rawValue) == endpoint)
    }
    #expect(Endpoint(path: "/api/info/") == nil && Endpoint(path: "info") == nil)
  }
}
