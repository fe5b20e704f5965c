import Foundation
import Testing

@testable import Kith

@Suite struct PathTextTests {
  @Test("The string of a path leads back to its bytes, and no two paths have the same")
  func roundTrips() {
    let pieces: [[UInt8]] = [
      Array("a".utf8), Array("é".utf8), Array("e\u{301}".utf8), [0xE9], [0xC3], [0xA9], [0xF4, 0x8F, 0xBF], [0xFF],
      Array("\u{10FFE9}".utf8), Array("\u{10FF80}".utf8), [0xED, 0xA0, 0x80], [0xF8], [UInt8(ascii: "/")],
    ]
    var bytes: Set<[UInt8]> = [[]]
    for _ in 0..<4 { bytes.formUnion(bytes.flatMap { start in pieces.map { start + $0 } }) }
    var texts: Set<[Unicode.Scalar]> = []
    for path in bytes {
      let text = String(pathBytes: path)
      #expect(text.pathBytes == path)
      texts.insert(Array(text.unicodeScalars))
    }
    #expect(texts.count == bytes.count && bytes.count > 10_000)
    #expect(String(pathBytes: Array("café".utf8)) == "café")
    #expect(String(pathBytes: [0x63, 0xE9]).shownPath == "c\\xE9")
  }

  @Test("The parts of a path are found by bytes")
  func parts() {
    #expect("a/\u{301}b".parentPath == "a" && "a/\u{301}b".lastPathComponent == "\u{301}b")
    #expect("a/b//".parentPath == "a" && "/b".parentPath == "/" && "//".parentPath == "/" && "b".parentPath == ".")
    #expect("a/".appendingPathComponent("b") == "a/b" && "a".appendingPathComponent("b") == "a/b")
  }

  @Test("A path with a zero byte is refused, since the system would take what precedes it")
  func zeroByte() {
    #expect(throws: KithError.self) { try SocialGraph.open("a\0b") }
  }
}
