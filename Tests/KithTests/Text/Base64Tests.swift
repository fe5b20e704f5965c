import Testing

@testable import Kith

@Suite struct Base64Tests {
  @Test("The examples of RFC 4648, section 10")
  func examples() {
    let texts = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE="]
    for (bytes, text) in texts {
      #expect(Base64.standard.text(Array(bytes.utf8)) == text)
      #expect(Base64.standard.bytes(text) == Array(bytes.utf8))
      #expect(Base64.url.text(Array(bytes.utf8)) == text.filter { $0 != "=" })
    }
    #expect(Base64.standard.text([0xFB, 0xFF]) == "+/8=" && Base64.url.text([0xFB, 0xFF]) == "-_8")
  }

  @Test(
    "What is no base64 is refused",
    arguments: [
      "Zg", "Zg=", "Zg===", "Z===", "=", "====", "Zh==", "Zm9=", "Zm 9", "Zm9v\n", "Zm9v====", "Zg==Zg==", "-_8=",
    ])
  func hostile(_ text: String) { #expect(Base64.standard.bytes(text) == nil) }

  @Test("Random bytes survive, and random texts are refused or the only ones of their bytes")
  func random() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<20_000 {
      let bytes = (0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      for form in [Base64.standard, .url] { #expect(form.bytes(form.text(bytes)) == bytes) }
      let text = String((0..<random.below(9)).map { _ in "AZaz09+/-_= \n".randomElement(using: &random) ?? "A" })
      for form in [Base64.standard, .url] {
        if let bytes = form.bytes(text) { #expect(form.text(bytes) == text) }
      }
    }
  }
}
