#if os(Linux)
  import Foundation
  import Kith
  import Testing

  @testable import KithCLI

  /// Commands that make something new are killed before each of their system calls that change files. What is left is
  /// the whole of it, or is refused, and the same command again succeeds.
  @Suite struct InterruptedTargetTests {
    private let playground: Playground
    private let recorder: Recorder

    init() throws {
      playground = try Playground()
      recorder = try Recorder(in: playground)
      let counts = ["--users", "30", "--follows", "200", "--posts", "40", "--likes", "50"]
      #expect(try BuiltKith.run(["seed", playground.path("store")] + counts).status == 0)
      try playground.write(Array("1\tann\n2\tbob\n".utf8), to: "users.tsv")
    }

    private func arguments(_ command: String, _ target: String) -> [String] {
      let store = playground.path("store")
      return switch command {
      case "seed": ["seed", target, "--users", "30", "--follows", "200", "--posts", "40", "--likes", "50"]
      case "import": ["import", target, "--users", playground.path("users.tsv")]
      case "snapshot": ["snapshot", store, "--to", target]
      default: [command, store, target]
      }
    }

    /// Kills a command before each call, until it ends by itself; checks what each has left.
    /// - Returns: how many kills there were.
    private func killEverywhere(
      _ command: String, _ prepare: (String) throws -> Void = { _ in }, check: (String, Int) throws -> Void
    ) throws -> Int {
      for number in 1... {
        let target = playground.path("target-\(number)")
        try prepare(target)
        let end = try recorder.run(arguments(command, target), ["KITH_KILL_AT": "\(number)"])
        try check(target, number)
        if !end.isKilled {
          #expect(end.status == 0, "\(end.errors)")
          return number - 1
        }
      }
      return 0
    }

    @Test(
      "A store that is not finished is refused, and the same command again makes it",
      arguments: ["restore", "salvage", "seed", "import"], [false, true])
    func stores(_ command: String, inExisting isExisting: Bool) throws {
      var refusals = 0
      let kills = try killEverywhere(command) { target in
        if isExisting { try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false) }
      } check: { target, number in
        let isThere = PathAccess.exists(target)
        // An empty directory is what was there before.
        if isThere && !(isExisting && PathAccess.names(in: target) == []) {
          do {
            let users = try SocialGraph.open(target, access: .readOnly).read { $0.counts.users }
            #expect(users == (command == "import" ? 2 : 30), "call \(number) of \(command): \(users) users")
            return
          } catch KithError.notAStore(_, let reason) {
            #expect(reason.contains("give it again"), "\(reason)")
            #expect(throws: KithError.self) { try SocialGraph.open(target) }
            refusals += 1
          }
        }
        let again = try BuiltKith.run(arguments(command, target))
        #expect(again.status == 0, "call \(number) of \(command): \(again.errors)")
        #expect(try SocialGraph.open(target).read { $0.counts.users } == (command == "import" ? 2 : 30))
        #expect(!PathAccess.exists(target + ".unfinished"))
        #expect(try !FileManager.default.contentsOfDirectory(atPath: target).contains { $0 == "UNFINISHED" })
      }
      #expect(kills > 10 && refusals > 5, "\(kills) kills, \(refusals) refusals")
    }

    @Test("An exported directory is whole or not there, and the same command again writes it")
    func exports() throws {
      #expect(try BuiltKith.run("export", playground.path("store"), playground.path("whole")).status == 0)
      let whole = try playground.contents("whole")
      let kills = try killEverywhere("export") { target, number in
        if !PathAccess.exists(target) {
          let again = try BuiltKith.run(arguments("export", target))
          #expect(again.status == 0, "call \(number): \(again.errors)")
        }
        #expect(try playground.contents((target as NSString).lastPathComponent) == whole, "call \(number)")
        #expect(!PathAccess.exists(target + ".unfinished"))
      }
      #expect(kills > 10, "\(kills)")

      // In a directory with other files, each of the export's is whole.
      let others = try killEverywhere("export") { target in
        try? FileManager.default.removeItem(atPath: target)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
      } check: { target, number in
        let found = try playground.contents((target as NSString).lastPathComponent).filter { $0.key.hasSuffix(".tsv") }
        for (file, bytes) in found { #expect(bytes == whole[file], "call \(number): \(file) is cut off") }
        guard found.isEmpty else { return }
        let again = try BuiltKith.run(arguments("export", target))
        #expect(again.status == 0, "call \(number): \(again.errors)")
      }
      #expect(others > 10, "\(others)")
    }

    @Test("snapshot --to leaves the whole file or none, and the next removes what is left")
    func snapshots() throws {
      let kills = try killEverywhere("snapshot") { target, number in
        if !PathAccess.exists(target) {
          let again = try BuiltKith.run(arguments("snapshot", target))
          #expect(again.status == 0, "call \(number): \(again.errors)")
          let name = (target as NSString).lastPathComponent
          #expect(try playground.names(".").filter { $0.hasPrefix(name + ".") } == [])
        }
        #expect(try StoreTools.verify(target) == [])
      }
      #expect(kills > 3, "\(kills)")
    }

    // MARK: - Directories that cannot be synced

    @Test("Where directories cannot be synced, a store is refused, and copies are made with a remark")
    func unsyncable() throws {
      let (store, settings) = (playground.path("store"), ["KITH_UNSYNCABLE": "1"])
      let before = try playground.contents("store")
      try FileManager.default.createDirectory(
        atPath: playground.path("empty"), withIntermediateDirectories: false)
      for target in ["new", "empty", "store"] {
        let refused = try recorder.run(["query", playground.path(target)], settings)
        #expect(refused.status == 2 && refused.errors.contains("cannot sync directories"), "\(refused.errors)")
      }
      let counts = ["--users", "3", "--follows", "2", "--posts", "2", "--likes", "1"]
      let seeded = try recorder.run(["seed", playground.path("new")] + counts, settings)
      #expect(seeded.status == 2 && seeded.errors.contains("cannot sync directories"), "\(seeded.errors)")
      #expect(!PathAccess.exists(playground.path("new")) && PathAccess.names(in: playground.path("empty")) == [])
      let after = try playground.contents("store")
      #expect(after.filter { $0.key != "LOCK" } == before.filter { $0.key != "LOCK" })
      for command in ["restore", "salvage", "snapshot"] {
        let target = playground.path("copy-" + command)
        let made = try recorder.run(arguments(command, target), settings)
        #expect(made.status == 0 && made.errors.contains("a power cut"), "\(command): \(made.errors)")
        #expect(try StoreTools.verify(target) == [])
      }
      let read = try recorder.run(["query", store, "--read-only"], settings)
      #expect(read.status == 0, "\(read.errors)")
      let exported = try recorder.run(["export", store, playground.path("rows")], settings)
      #expect(exported.status == 0, "\(exported.errors)")
    }
  }
#endif
