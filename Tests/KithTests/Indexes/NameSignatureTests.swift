import Testing

@testable import Kith

/// The signatures by which a scan of many users omits names.
@Suite struct NameSignatureTests {
  private static let letters = ["a", "b", "Z", "0", "_", "é", "ß", "日", "🙂", "\u{301}", "ﬁ", "’", "か", "\u{3099}"]

  @Test("A name's signature lets every part of its loose key pass")
  func parts() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<3_000 {
      let kinds = 2 + random.below(Self.letters.count - 1)
      let name = Array((0..<random.below(24)).map { _ in Self.letters[random.below(kinds)] }.joined().utf8)
      let key = Folding.loose(name.span)
      let signature = NameSignature(key: key.span)
      var digests = NameDigests()
      digests.grow(to: 2)
      digests.set(1, name: name.span, displayName: Span())
      #expect(digests.holds(1, key: key.span) && digests.signature(0).bits == 0, "seed 5: \(name)")
      let start = random.below(key.count + 1)
      let part = key[start..<start + random.below(key.count - start + 1)]
      #expect(signature.mayHold(NameSignature(key: part.span)), "seed 5: \(name), \(part)")
    }
  }

  @Test("A signature refuses most names without a text")
  func selective() {
    var random = SeededRandom(seed: 6)
    func word(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(97 + random.below(26)) } }
    let names = (0..<500).map { _ in NameSignature(key: word(12).span) }
    let queries = (0..<100).map { _ in NameSignature(key: word(4).span) }
    let passed = queries.reduce(0) { count, query in count + names.count { $0.mayHold(query) } }
    #expect(passed < 100 * 500 / 100, "seed 6: \(passed) of 50,000 pass")
  }

  @Test("Abbreviated keys have the order of the keys, where they differ")
  func order() {
    var random = SeededRandom(seed: 7)
    let keys = (0..<300).map { _ in (0..<random.below(7)).map { _ in UInt8([1, 97, 98, 200, 255][random.below(5)]) } }
    for left in keys {
      for right in keys {
        let (one, other) = (NameDigests.abbreviated(left.span), NameDigests.abbreviated(right.span))
        if one < other { #expect(left.lexicographicallyPrecedes(right), "seed 7: \(left), \(right)") }
        if left.prefix(4) == right.prefix(4) { #expect(one == other, "seed 7: \(left), \(right)") }
      }
    }
  }

  @Test("A signature stays with the user through changes of the name, the posts and the follows")
  func kept() throws {
    let graph = SocialGraph()
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
    let post = try graph.addPost("a", by: ann)
    try graph.renameUser(ann, to: "Éve")
    try graph.removePost(post)
    try graph.follow(bob, as: ann)
    let found = try graph.read { view throws(KithError) in
      try view.searchUsers("ve", UserQuery(order: .followedFirst, viewer: bob)).map(\.id)
    }
    #expect(found == [ann] && graph.pin().view.verify() == [])
  }
}
