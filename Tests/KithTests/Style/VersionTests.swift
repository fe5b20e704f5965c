import Testing

/// The version is stated once, in `Sources/KithCLI/Console/Version.swift`; other languages need a copy of it.
@Suite struct VersionTests {
  private static func version(in path: String, _ pattern: Regex<(Substring, Substring)>) throws -> String {
    let text = try #require(Repository.file(at: path)).text
    return text.matches(of: pattern).map { String($0.1) }.joined(separator: ".")
  }

  @Test("The C library and the Python package have the version of the command")
  func copies() throws {
    let version = try Self.version(in: "Sources/KithCLI/Console/Version.swift", /static let text = .(\d+\.\d+\.\d+)/)
    #expect(!version.isEmpty)
    #expect(try Self.version(in: "Sources/CKith/include/kith.h", /KITH_VERSION_[A-Z]+ (\d+)/) == version)
    #expect(try Self.version(in: "bindings/python/pyproject.toml", /\nversion = .([0-9.]+)/) == version)
  }
}
