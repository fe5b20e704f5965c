import CKith
import Foundation
import Kith
import Testing

@testable import KithC

/// kith.h and the engine have the same words, numbers and defaults.
@Suite struct HeaderTests {
  private let header = Header()

  @Test("Every constant has the number that the binary interface lists, and none is missing")
  func constants() throws {
    let listed = try text("bindings/c/abi.txt").matches(of: /constant (\w+) (\d+)/).map { (String($0.1), Int($0.2)) }
    #expect(header.constants == Dictionary(uniqueKeysWithValues: listed))
  }

  @Test("The rows of the engine have the size that the binary interface lists")
  func rows() throws {
    let interface = try text("bindings/c/abi.txt")
    #expect(interface.contains("struct kith_user [sizeof=\(MemoryLayout<UserRecord>.stride), "))
    #expect(interface.contains("struct kith_post [sizeof=\(MemoryLayout<PostRecord>.stride), "))
  }

  @Test("Every word has the number of its name, and every number of the header is a word's")
  func words() throws {
    check(UserQuery.Match.self)
    check(TextFolding.self)
    check(UserQuery.Order.self, names: ["name": "KITH_BY_NAME"])
    check(ListQuery.Order.self, names: ["newest": "KITH_LIST_NEWEST", "name": "KITH_LIST_BY_NAME"])
    check(EdgeQuery.Order.self, prefix: "KITH_EDGES_", names: ["name": "KITH_EDGES_BY_NAME"])
    check(ThreadQuery.Order.self, prefix: "KITH_THREAD_")
    check(Relation.End.self, prefix: "KITH_END_")
    check(Relation.Visibility.self, prefix: "KITH_SEEN_BY_")
    check(TimelineQuery.Direction.self)
    check(SocialGraph.Durability.self)
    check(SocialGraph.PostIndexing.self, prefix: "KITH_INDEX_")
    check(SocialGraph.UniqueNames.self, prefix: "KITH_UNIQUE_")
  }

  private func check<Word: Numbered & RawRepresentable<String>>(
    _ type: Word.Type, prefix: String = "KITH_", names: [String: String] = [:]
  ) {
    var known: [String: Int] = [:]
    for word in Word.words {
      known[names[word.rawValue] ?? header.name(of: word.rawValue, prefix: prefix)] = word.number
      #expect((try? Word(numbered: Int32(word.number)))?.number == word.number)
    }
    #expect(known == header.group(of: known.keys.min() ?? ""))
    for number in [-1, Int32(known.count)] {
      #expect(throws: Failure.self, "\(type) \(number)") { _ = try Word(numbered: number) }
    }
  }

  @Test("Every status has its number and its name, and every error of the engine has a status")
  func statusNames() throws {
    let named = statuses.map { (header.name(of: $0.name), $0.number) }
    #expect(Dictionary(uniqueKeysWithValues: named) == header.group(of: "KITH_OK"))
    for (number, name) in statuses {
      #expect(kith_status_name(kith_status(number)).map { String(cString: $0) } == name)
    }
    #expect(kith_status_name(-1) == nil && kith_status_name(kith_status(statuses.count)) == nil)

    let source = try text("Sources/Kith/Model/KithError.swift")
    let code = try #require(source.firstMatch(of: /public var code: String \{(?s:.)*?\n  \}/)).0
    let codes = Set(code.matches(of: /"(\w+)"/).map { String($0.1) })
    // Those of a replicated graph, which the C library cannot open.
    let replicas: Set = ["unavailable", "inDoubt", "lagging", "conflict", "diverged"]
    #expect(codes.subtracting(replicas) == Set(statuses.map(\.name)).subtracting(["ok", "invalidHandle", "timedOut"]))
    #expect(statusCode(of: KithError.inBatch(index: 1, .unknownUser(UserID(7)))) == kith_status(KITH_UNKNOWN_USER))
  }

  @Test("Every kind of change of the header becomes the change of its name, and that the kind again")
  func changes() throws {
    let kinds = header.group(of: "KITH_ADD_USER")
    // Of relations that a host in Swift declared, which C only reads.
    let ends = (Node.user(UserID(1)), Node.post(PostID(2)))
    let relation = Relation("bookmark", from: .user, to: .post)
    let read: [String: Change] = [
      "KITH_ADD_EDGE": .addEdge(relation, from: ends.0, to: ends.1, at: 3),
      "KITH_REMOVE_EDGE": .removeEdge(relation, from: ends.0, to: ends.1), "KITH_DECLARE": .declare(.init()),
    ]
    for (name, change) in read {
      let (raw, text, _, _, _) = change.raw
      #expect(Int(raw.kind) == kinds[name], "\(name)")
      if name != "KITH_DECLARE" { #expect(raw.user == 1 && raw.target == 2 && text == "bookmark") }
      #expect(throws: Failure.self) { _ = try Change(raw) }
    }
    for (name, kind) in kinds where read[name] == nil {
      var raw = kith_change()
      (raw.kind, raw.user, raw.target) = (Int32(kind), 1, 2)
      let change = try Change(raw)
      #expect(Int(change.raw.change.kind) == kind, "\(name)")
      let word = try #require("\(change)".firstMatch(of: /^\w+/)).0
      #expect(header.name(of: String(word)) == name)
    }
    for kind in [0, Int32(kinds.count) + 1] {
      var raw = kith_change()
      raw.kind = kind
      #expect(throws: Failure.self) { _ = try Change(raw) }
    }
  }

  @Test("Every relation has a kind of change to add an edge and one to remove it, by name")
  func relations() throws {
    for relation in RelationKind.allCases {
      let name = header.name(of: relation.facts.name)
      let kinds = try #require(relation.changeKinds, "kith.h has no kind of change for \(relation)")
      #expect(kinds.add == header.constants[name], "\(relation)")
      #expect(kinds.remove == header.constants[name.replacing("KITH_", with: "KITH_UN")], "\(relation)")
    }
  }

  @Test("Every kind of query of the header is a read, and no other number")
  func queries() throws {
    let kinds = header.group(of: "KITH_SEARCH_USERS").values.sorted()
    #expect(kinds == Array(1...kinds.count))
    for kind in 0...kinds.count + 1 {
      var query = kith_query()
      query.kind = Int32(kind)
      if kind == KITH_INCOMING {
        _ = try PageQuery(&query).incoming()
      } else if kinds.contains(kind) {
        _ = try PageQuery(&query).read()
      } else {
        #expect(throws: Failure.self) { _ = try PageQuery(&query).read() }
      }
    }
  }

  @Test("Flags and parts are all bits of their groups")
  func bits() {
    #expect(PageQuery.allFlags == header.group(of: "KITH_HAS_AFTER").values.reduce(0, |))
    #expect(Int(exportParts) == header.group(of: "KITH_EXPORT_USERS").values.reduce(0, |))
  }

  @Test("Options that are 0 are the engine's defaults, and the header's comments say these")
  func options() throws {
    var zero = kith_options()
    let options = try SocialGraph.Options(&zero)
    #expect(options == SocialGraph.Options())
    let values: [String: Int?] = [
      "snapshot_after_changes": options.snapshotAfterChangeCount,
      "snapshot_after_bytes": options.snapshotAfterByteCount,
      "snapshot_after_seconds": seconds(options.snapshotAfter),
      "snapshot_bytes_per_second": options.snapshotBytesPerSecond, "snapshot_cores": options.snapshotCoreCount,
      "heal_after_seconds": seconds(options.healAfter), "low_disk_bytes": Int(options.lowDiskByteCount),
      "retained_snapshots": options.retention.snapshotCount, "retained_seconds": seconds(options.retention.duration),
      "retained_bytes": options.retention.byteCount.map { Int($0) }, "maximum_users": options.maximumUserCount,
      "maximum_posts": options.maximumPostCount, "maximum_bytes": options.maximumByteCount,
    ]
    #expect(header.defaults == values)
  }

  private func seconds(_ duration: Duration?) -> Int? { duration.map { Int($0.components.seconds) } }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: repositoryRoot.appending(path: path), encoding: .utf8)
  }
}

/// What the text of kith.h and kith_records.h says.
private struct Header {
  private let groups: [[String: Int]]
  /// The members of `kith_options` that are numbers, with what a comment says that 0 means; nil for no limit or rule.
  let defaults: [String: Int?]

  init() {
    let paths = ["Sources/CKith/include/kith.h", "Sources/CSupport/include/kith_records.h"]
    let text = paths.map { (try? String(contentsOf: repositoryRoot.appending(path: $0), encoding: .utf8)) ?? "" }
      .joined()
    groups = text.matches(of: /enum \{((?s:.)*?)\}/).map { group in
      Dictionary(
        uniqueKeysWithValues: group.1.matches(of: /(KITH_\w+) = (\d+)/).map { (String($0.1), Int($0.2) ?? -1) })
    }
    let options = text.firstMatch(of: /struct kith_options \{(?s:.)*?\} kith_options;/)?.0 ?? ""
    let members = options.matches(of: /int64_t (\w+); +\/\/ (?:0: ([^;\n]+)|likewise)/)
    defaults = Dictionary(
      uniqueKeysWithValues: members.map { member in
        let meaning = member.2.map { $0 == "1 GiB" ? "1073741824" : $0.replacing(",", with: "") }
        return (String(member.1), meaning.flatMap { Int($0) })
      })
  }

  var constants: [String: Int] { groups.reduce(into: [:]) { all, group in all.merge(group) { first, _ in first } } }

  /// The constants of the enumeration that has one of a name.
  func group(of name: String) -> [String: Int] { groups.first { $0[name] != nil } ?? [:] }

  /// The name in C of a word of the engine: `KITH_ID_TAKEN` of `idTaken`.
  func name(of word: String, prefix: String = "KITH_") -> String {
    prefix + word.replacing(/[A-Z]/) { "_" + $0.output }.uppercased()
  }
}
