import Foundation
import Testing

@testable import Kith

/// `SocialGraph.Options.uniqueNames`: usernames that differ only in case and accents count as one, if a host asks for
/// it.
@Suite struct UniqueNamesTests {
  private static let loosely = SocialGraph.Options { $0.uniqueNames = .loose }

  private static func taken(_ name: String) -> KithError { .usernameTaken(name) }

  @Test("A loose key has one user, in adding and renaming, until it is free again")
  func looseKeys() throws {
    let graph = SocialGraph(options: Self.loosely)
    let ann = try graph.addUser("José")
    for name in ["jose", "JOSE\u{301}", "josé", "ｊｏｓｅ", "jo\u{200B}se"] {
      #expect(throws: Self.taken(name)) { try graph.addUser(name) }
    }
    let bob = try graph.addUser("joseph")
    #expect(throws: Self.taken("JOSE")) { try graph.renameUser(bob, to: "JOSE") }
    #expect(
      try graph.renameUser(ann, to: "JOSE") && !graph.renameUser(ann, to: "JOSE"), "one's own may be spelled otherwise")
    try graph.renameUser(ann, to: "anna")
    #expect(try graph.renameUser(bob, to: "jose"))
    #expect(throws: Self.taken("Änna")) { try graph.addUser("Änna") }
    try graph.removeUser(ann)
    #expect(try graph.addUser("ANNA") == UserID(3))
    for name in ["anna", "ÄNNA", "ＡＮＮＡ"] {
      #expect(graph.read { view in view.findUser(named: name) } == 3, "\(name) is taken, so it is found")
    }
    #expect(graph.read { view in view.findUser(named: "ann") } == nil)
    #expect(graph.read { $0.verify() } == [])
    // Without the option these are several.
    let exact = SocialGraph()
    for name in ["José", "jose", "JOSE"] { try exact.addUser(name) }
    #expect(exact.read { view in view.findUser(named: "Jose") } == nil)
  }

  @Test("Names with an empty loose key count as equal")
  func emptyLooseKeys() throws {
    let graph = SocialGraph(options: Self.loosely)
    try graph.addUser("\u{301}")
    #expect(throws: Self.taken("\u{308}")) { try graph.addUser("\u{308}") }
    #expect(throws: Self.taken("\u{200D}")) { try graph.addUser("\u{200D}") }
    try graph.removeUser(UserID(1))
    #expect(try graph.addUser("\u{308}") == UserID(2))
  }

  @Test("A batch sees its own names, a failed one leaves none, and pins keep theirs")
  func batchesAndPins() throws {
    let graph = SocialGraph(options: Self.loosely)
    try graph.addUser("ann")
    #expect(throws: KithError.inBatch(index: 2, Self.taken("BÖB"))) {
      try graph.batch { batch throws(KithError) in
        try batch.apply(.renameUser(1, to: "cid"))
        try batch.apply(.addUser(id: nil, username: "bob"))
        try batch.apply(.addUser(id: nil, username: "BÖB"))
      }
    }
    #expect(graph.read { $0.verify() } == [])
    #expect(throws: Self.taken("ANN")) { try graph.addUser("ANN") }
    let pin = graph.pin()
    try graph.batch { batch throws(KithError) in
      try batch.apply(.renameUser(1, to: "cid"))
      try batch.apply(.addUser(id: nil, username: "ANN"))
    }
    #expect(throws: Self.taken("Cíd")) { try graph.addUser("Cíd") }
    #expect(pin.view.findUser(named: "ÄNN") == 1 && graph.read { $0.findUser(named: "ÄNN") } == 2)
    let found = try graph.batch { batch throws(KithError) in
      try batch.apply(.renameUser(2, to: "dee"))
      return [batch.findUser(named: "Dée"), batch.findUser(named: "ann"), batch.findUser(named: "CID")]
    }
    #expect(found == [2, nil, 1])
    try graph.renameUser(2, to: "ANN")
    #expect(pin.view.verify() == [] && graph.read { $0.verify() } == [])
    try graph.addUser("bob")
    #expect(graph.read { $0.counts.users } == 3)
  }

  @Test("Thousands of names that are added, removed and changed stay unique, as in a plain table")
  func manyNames() throws {
    let graph = SocialGraph(options: Self.loosely)
    var random = SeededRandom(seed: 5)
    var keys: [Int64: [UInt8]] = [:]
    let letters = ["a", "A", "á", "b", "B", "\u{301}", "ß", "ss", "K", "\u{212A}"]
    func name() -> String { (0...random.below(4)).map { _ in letters[random.below(letters.count)] }.joined() }
    var next: Int64 = 1
    for step in 0..<6_000 {
      let name = name()
      let key = Folding.loose(name)
      if step % 500 == 0 { _ = graph.pin() }
      if random.below(4) == 0, let id = keys.keys.sorted().dropFirst(random.below(keys.count + 1)).first {
        if random.below(3) == 0 {
          try graph.removeUser(UserID(id))
          keys[id] = nil
        } else {
          let isTaken = keys.contains { $0.key != id && $0.value == key }
          if isTaken {
            #expect(throws: Self.taken(name)) { try graph.renameUser(UserID(id), to: name) }
          } else {
            try graph.renameUser(UserID(id), to: name)
            keys[id] = key
          }
        }
      } else if keys.values.contains(key) {
        #expect(throws: Self.taken(name)) { try graph.addUser(name) }
      } else {
        #expect(try graph.addUser(name).rawValue == next)
        keys[next] = key
        next += 1
      }
    }
    #expect(keys.count > 100 && graph.read { $0.verify() } == [] && graph.read { $0.counts.users } == keys.count)
  }

  @Test("A store that breaks the rule is refused with both users, and opens unchanged without the option")
  func existingStore() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("kith-unique-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let graph = try SocialGraph.open(path)
    for (id, name) in [(9, "Ann"), (4, "bob"), (2, "ÁNN")] as [(UserID, String)] { try graph.addUser(name, id: id) }
    try graph.close()
    let collision = KithError.usernamesCollide(first: 2, second: 9, names: ["ÁNN", "Ann"])
    for access in [SocialGraph.Access.readWrite, .readOnly] {
      #expect(throws: collision) { try SocialGraph.open(path, access: access, options: Self.loosely) }
    }
    #expect(collision.description.contains("users 2 and 9") && collision.description.contains("\"ÁNN\" and \"Ann\""))
    let again = try SocialGraph.open(path)
    let pin = again.pin()
    #expect(pin.view.counts.users == 3)
    try again.renameUser(2, to: "cid")
    try again.close()
    // The journal is replayed completely, because its result is unique.
    let unique = try SocialGraph.open(path, options: Self.loosely)
    #expect(throws: Self.taken("CID")) { try unique.addUser("CID") }
    #expect(throws: Self.taken("ann")) { try unique.renameUser(4, to: "ann") }
    let bytes = try Self.bytes(of: unique, path)
    try unique.close()
    // One that is only read finds by loose key what one that is changed takes for taken.
    let files = try FileManager.default.contentsOfDirectory(atPath: path)
    let snapshot = try #require(files.filter { $0.hasPrefix("snap-") }.max())
    for place in [path, "\(path)/\(snapshot)"] {
      let reading = try SocialGraph.open(place, access: .readOnly, options: Self.loosely)
      #expect(reading.read { $0.findUser(named: "CÍD") } == 2 && reading.read { $0.verify() } == [])
      #expect(try SocialGraph.open(place, access: .readOnly).read { $0.findUser(named: "CÍD") } == nil)
    }
    let restored = try SocialGraph(snapshot: bytes, options: Self.loosely)
    #expect(throws: Self.taken("CID")) { try restored.addUser("CID") }
    #expect(try SocialGraph(snapshot: bytes).addUser("CID") == UserID(10), "it is not stored in the files")
  }

  private static func bytes(of graph: SocialGraph, _ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: try graph.snapshot().path)))
  }

  @Test("An import obeys the rule")
  func bulkImport() throws {
    let graph = SocialGraph(options: Self.loosely)
    try graph.bulk { batch throws(KithError) in
      _ = try batch.importChange(.addUser(id: 1, username: "ann"))
      do throws(KithError) {
        _ = try batch.importChange(.addUser(id: 2, username: "ÄNN"))
        Issue.record("a second name of one key is taken")
      } catch { #expect(error == Self.taken("ÄNN")) }
    }
    #expect(graph.read { $0.counts.users } == 1 && graph.read { $0.verify() } == [])
  }
}
