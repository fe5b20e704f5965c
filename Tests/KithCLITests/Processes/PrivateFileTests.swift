import Foundation
import Testing

/// Files that commands write are readable by their owner alone under any umask. Also `verify --quick` and `--memory`.
@Suite struct PrivateFileTests {
  private let playground: Playground

  init() throws { playground = try Playground() }

  private func shell(_ line: String) throws -> (status: Int32, output: String) {
    try BuiltKith.shell(line, in: playground.path)
  }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: playground.path(name))[.posixPermissions] as? Int
  }

  @Test(
    "export and seed --tsv create files with mode 0600 and folders with 0700 under any umask",
    arguments: ["000", "022", "377"])
  func modes(umask: String) throws {
    let counts = "--users 3 --follows 2 --posts 2 --likes 1"
    let seeded = try shell("umask \(umask); kith seed store \(counts) --tsv deep/down/tsv")
    #expect(seeded.status == 0, "\(seeded.output)")
    let exported = try shell("umask \(umask); kith export store other/tsv")
    #expect(exported.status == 0, "\(exported.output)")
    for folder in ["deep", "deep/down", "deep/down/tsv", "other", "other/tsv", "store"] {
      #expect(try mode(folder) == 0o700, "\(folder)")
    }
    for file in ["users", "follows", "posts", "likes", "blocks", "mutes"] {
      #expect(try mode("other/tsv/\(file).tsv") == 0o600 && mode("deep/down/tsv/\(file).tsv") == 0o600, "\(file)")
    }
    for file in try playground.names("store") { #expect(try mode("store/\(file)") == 0o600, "\(file)") }
  }

  @Test("An export changes neither an existing folder nor its files")
  func existing() throws {
    #expect(try shell("kith seed store --users 3 --follows 2 --posts 2 --likes 1; mkdir -m 750 tsv").status == 0)
    #expect(
      try shell("ln -s nowhere tsv/posts.tsv; kith export store tsv").status == 2, "a link is nothing to write to")
    #expect(try playground.names("tsv") == ["posts.tsv"], "what was begun is gone, what was there is not")
    #expect(try shell("rm tsv/posts.tsv; kith export store tsv").status == 0)
    #expect(try mode("tsv") == 0o750 && mode("tsv/posts.tsv") == 0o600)
  }

  @Test("verify --quick says that it did not try to restore, and excludes --deep")
  func quick() throws {
    #expect(try shell("kith seed store --users 3 --follows 2 --posts 2 --likes 1").status == 0)
    let whole = try shell("kith verify store")
    #expect(whole.status == 0 && whole.output.contains(": sound, as of change"), "\(whole.output)")
    for path in ["store", "store/snap-*"] {
      let quick = try shell("kith verify \(path) --quick")
      #expect(quick.status == 0 && quick.output.contains("restoring was not tried), as of change"), "\(quick.output)")
      #expect(!quick.output.contains("sound"))
      #expect(try shell("kith verify \(path) --quick --json").output.contains(#""quick":true"#))
      #expect(try shell("kith verify \(path) --json").output.contains(#""quick":false"#))
    }
    #expect(try shell("kith verify store --quick --deep").status == 2)
    #expect(try shell("kith verify --help").output.contains("restoring was not tried"))
    // Later damage on the disk is found too.
    #expect(try shell("for f in store/snap-*; do printf x | dd of=$f bs=1 seek=700 conv=notrunc; done").status == 0)
    for extent in ["", "--quick", "--deep"] { #expect(try shell("kith verify store \(extent)").status == 1) }
  }

  @Test("--memory is a number of bytes, and raises the limit that the file's size sets")
  func memory() throws {
    #expect(try shell("kith seed store --users 3 --follows 2 --posts 2 --likes 1").status == 0)
    for command in ["verify store/snap-*", "restore store/snap-* new", "salvage store/snap-* saved"] {
      #expect(try shell("kith \(command) --memory 0").status == 2)
      #expect(try shell("kith \(command) --memory lots").status == 2)
      #expect(try shell("kith \(command) --memory 4000000000").status == 0, "\(command)")
    }
  }
}
