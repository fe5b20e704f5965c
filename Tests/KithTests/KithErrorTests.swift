import Testing

@testable import Kith

/// Every error has a stable word and says one thing in one line.
@Suite struct KithErrorTests {
  /// One of each case; the compiler asks for a new one in `code`, and `all` is counted against it below.
  private static let all: [(KithError, String)] = [
    (.unknownUser("42"), "unknownUser"), (.unknownPost(7), "unknownPost"), (.usernameTaken("zoë"), "usernameTaken"),
    (.idTaken(9), "idTaken"), (.invalidUsername(reason: "is at least one byte"), "invalidUsername"),
    (.textTooLong(byteCount: 70_000), "textTooLong"), (.cannotFollowSelf, "cannotFollowSelf"), (.blocked, "blocked"),
    (.queryTooLong, "queryTooLong"), (.invalidPattern("a parenthesis is open"), "invalidPattern"),
    (.budgetExceeded, "budgetExceeded"), (.invalidCursor, "invalidCursor"),
    (.invalidRequest(reason: "a limit is 1 to 1000"), "invalidRequest"), (.limitExceeded("users"), "limitExceeded"),
    (.unsupported("distance"), "unsupported"), (.cancelled, "cancelled"), (.closed, "closed"), (.readOnly, "readOnly"),
    (.noStore(path: ""), "noStore"), (.notAStore(path: "/data", reason: "it holds x"), "notAStore"),
    (.storeInUse(by: 12, path: "/store"), "storeInUse"),
    (.corrupt(file: "snap", offset: 99, reason: "the hash is wrong"), "corrupt"),
    (.unsupportedVersion(found: "2.0", readable: "1.0"), "unsupportedVersion"),
    (.system(errno: 28, call: "write", path: "/store/snap"), "system"),
    (.indeterminate(sequence: 5, cause: .system(errno: 5, call: "sync", path: "/store/wal")), "indeterminate"),
  ]

  @Test("Every case has its own word")
  func codes() {
    for (error, code) in Self.all { #expect(error.code == code) }
    #expect(Set(Self.all.map(\.1)).count == 25)
  }

  @Test("Every message is one line that says something")
  func messages() {
    for (error, code) in Self.all {
      let message = error.description
      #expect(message.utf8.count > 5 && !message.contains { $0.isNewline }, "\(code)")
      #expect(!message.hasSuffix(".") && message == message.trimmed, "\(code): \(message)")
    }
  }

  @Test("Messages carry what they are about")
  func details() {
    func expect(_ error: KithError, _ parts: String...) {
      for part in parts { #expect(error.description.contains(part), "\(error.description)") }
    }
    expect(.unknownUser("42"), "no user 42")
    expect(.usernameTaken("zoë"), "zoë")
    expect(.noStore(path: "/nowhere"), "/nowhere")
    expect(.noStore(path: ""), "memory")
    expect(.storeInUse(by: 12, path: "/store"), "12", "/store")
    expect(.corrupt(file: "snap", offset: 99, reason: "why"), "snap", "99", "why")
    expect(.system(errno: 28, call: "write", path: "/p"), "/p", "write", "no space", "28")
    expect(.system(errno: 99, call: "write", path: "/p"), "99")
  }

  @Test("An error of a batch has the word of what failed, and its place")
  func inBatch() {
    let error = KithError.inBatch(index: 3, .usernameTaken("zoë"))
    #expect(error.code == "usernameTaken")
    #expect(error.description.contains("3") && error.description.contains("zoë"))
    #expect(error != .inBatch(index: 4, .usernameTaken("zoë")) && error != .usernameTaken("zoë"))
  }
}

extension String {
  fileprivate var trimmed: String { Folding.trimmed(self) }
}
