import Foundation
import Testing

/// `docs/API.txt` lists the public API, so that every change of it is seen in a review.
@Suite struct PublicAPITests {
  @Test("The public API is the one that docs/API.txt lists")
  func listed() throws {
    let page = PublicAPI.page(of: Repository.files)
    let url = Repository.root.appendingPathComponent(PublicAPI.path)
    if ProcessInfo.processInfo.environment["KITH_WRITE_API"] != nil {
      try page.write(to: url, atomically: true, encoding: .utf8)
    }
    let difference = PublicAPI.difference(from: try String(contentsOf: url, encoding: .utf8), to: page)
    if difference.isEmpty { return }
    Issue.record(
      """
      the public API differs from \(PublicAPI.path); if that is meant, renew it with \
      KITH_WRITE_API=1 swift test --filter PublicAPITests
      \(difference.joined(separator: "\n"))
      """)
  }

  private func lines(_ texts: String...) -> [String] {
    PublicAPI.lines(of: texts.map { SourceFile(path: "Sources/Kith/Engine/A.swift", text: $0) })
  }

  @Test("A public declaration is one line, whatever its layout, without its body")
  func declarations() {
    let text = """
      /// A.
      public struct A<B: C>: D, Hashable where B: E {
        public let a: Int
        public var b = 7
        public internal(set) var c: [Int] = { [1] }()
        public var d: Int { get { 1 } set {} }
        public var e: Int { 1 }
        var f = { public in 2 }
        @discardableResult @inlinable
        public static func g(
          _ h: (borrowing I) throws(J) -> K, l: Int = 5
        )
          throws(J) -> K
        where K: L { func m() {} }
        @inline(__always) public subscript(index: Int) -> Int { index }
        func n() {}
      }
      """
    #expect(
      lines(text) == [
        "A: struct A<B: C>: D, Hashable where B: E",
        "A: @discardableResult static func g(_ h: (borrowing I) throws(J) -> K, l: Int = 5) throws(J) -> K where K: L",
        "A: internal(set) var c: [Int]",
        "A: let a: Int",
        "A: subscript(index: Int) -> Int { get }",
        "A: var b = 7",
        "A: var d: Int { get set }",
        "A: var e: Int { get }",
      ])
  }

  @Test("Cases, requirements, extensions and conformances are listed, and nothing of types that are not public")
  func scopes() {
    let text = """
      public enum A: String {
        case a, b(Int)
        indirect case c(A)
        var d: Int { switch self { case .a: 1 } }
        private enum E { case f }
      }
      public protocol P: Q {
        var g: Int { get }
        func h()
      }
      protocol Q {}
      package struct R { public let i: Int }
      extension A: Q, Codable { public struct S { public init() {} } }
      extension A.S: Q { public func < (j: Int, k: Int) -> Bool { true } }
      extension R: Hashable { public var l: Int { 1 } }
      extension P where Self: A { public func m() {} }
      extension Int { public var n: Int { 1 } }
      """
    #expect(
      lines(text) == [
        "A: enum A: String",
        "A: extension A: Codable",
        "A: case a, b(Int)",
        "A: indirect case c(A)",
        "A.S: struct S",
        "A.S: func < (j: Int, k: Int) -> Bool",
        "A.S: init()",
        "Int: var n: Int { get }",
        "P: protocol P",
        "P: func h()",
        "P: func m() where Self: A",
        "P: var g: Int { get }",
      ])
  }

  @Test("A raw value and a default are shown as they are, and a case may have the name of a modifier")
  func cases() {
    let text = """
      public enum A: String {
        case prefix
        case exact = "equal"
        case lazy, weak
        case open
      }
      public enum B {
        case infix(Int)
        indirect case c(B, d: String = "e")
      }
      """
    #expect(
      lines(text) == [
        "A: enum A: String", "A: case exact = \"equal\"", "A: case lazy, weak", "A: case open", "A: case prefix",
        "B: enum B", "B: case infix(Int)", "B: indirect case c(B, d: String = \"e\")",
      ])
  }

  @Test("A declaration that is added, removed or changed is a line of the difference")
  func difference() {
    #expect(PublicAPI.difference(from: "a\nb\n", to: "a\nc\n") == ["- b", "+ c"])
    #expect(PublicAPI.difference(from: "a\n", to: "a\n").isEmpty)
  }
}
