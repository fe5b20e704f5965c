#if os(Linux)
  import Foundation
  import Kith
  import Testing

  @testable import KithCLI

  /// Arguments are bytes: paths need not be UTF-8, and texts must be. (Other systems have no such names.)
  @Suite struct PathBytesTests {
    private let playground: Playground

    init() throws { playground = try Playground() }

    /// Runs lines of shell in which `kith` is the command, and `$a` and `$b` are names in Latin-1.
    private func shell(_ lines: String) throws -> (status: Int32, output: String) {
      try BuiltKith.shell("a=$(printf 'caf\\351'); b=$(printf 'caf\\350'); " + lines, in: playground.path)
    }

    @Test("Two names of different bytes are two stores")
    func twoStores() throws {
      let made = try shell(
        """
        for name in "$a" "$b"; do
          echo '{"op":"addUser","username":"ann"}' | kith query "$name" | grep -q '"id":1' || exit 1
        done
        kith search "$a" ann && kith search "$b" ann && [ -f "$a/LOCK" ] && [ -f "$b/LOCK" ] && ls | wc -l
        """)
      #expect(made.status == 0 && made.output.hasSuffix("2\n"), "\(made.output)")
    }

    @Test(
      "Every path may have any bytes",
      arguments: [
        "kith import \"$a/i\" --users \"$b.tsv\"", "kith export store \"$a/e\" && [ -f \"$a/e/users.tsv\" ]",
        "kith restore store \"$a/r\" && kith verify \"$a/r\" && kith list \"$a/r\" && kith inspect \"$a/r\"",
        "kith salvage store \"$a/v\" && kith snapshot \"$a/v\"",
        "file=$(kith snapshot store --to \"$a/$b\" 2>/dev/null; true); kith verify \"$a/$b\" && kith stats \"$a/$b\"",
        "kith restore store \"$a/p\" && kith verify \"$(kith snapshot \"$a/p\")\"",
        "kith seed \"$a/s\" --users 3 --follows 2 --posts 2 --likes 1 --tsv \"$a/t\" && [ -f \"$a/t/users.tsv\" ]",
        "kith restore - \"$a/o\" < \"$(ls store/snap-*)\"",
        "kith drill \"store\" --changes 10", "kith restore \"$a/../store\" \"$a/u\"",
      ])
    func everyPath(_ line: String) throws {
      let made = try shell(
        """
        mkdir "$a"; printf '1\\tann\\n' > "$b.tsv"
        kith seed store --users 3 --follows 2 --posts 2 --likes 1 || exit 9
        { \(line); } && ls -A . && ! ls -A . "$a" | grep -q "$(printf '\\357\\277\\275')"
        """)
      #expect(made.status == 0, "\(made.output)")
    }

    @Test("A combining character after a slash or an equals sign belongs to the name")
    func combining() throws {
      let made = try shell(
        """
        c=$(printf '\\314\\201x'); mkdir "$c"
        kith seed "$c/$c" --users 3 --follows 2 --posts 2 --likes 1
        kith snapshot "$c/$c" --to="$c" ; [ $? = 2 ] || exit 1
        kith snapshot "$c/$c" --to="$c/$c.kith" && [ -f "$c/$c.kith" ] && kith verify "$c/$c.kith"
        """)
      #expect(made.status == 0, "\(made.output)")
    }

    @Test(
      "Any other argument must be UTF-8: status 2, and nothing is touched",
      arguments: [
        "kith search store \"$a\"", "kith posts store \"$a\"", "kith search store x --as \"$a\"",
        "kith user store \"$a\"", "kith restore store r --at-time \"$a\"", "kith export store e --format=\"$a\"",
        "kith \"$a\"", "kith seed s --\"$a\" 3", "kith restore store r --only \"users$a\"",
        "kith bench --users \"$a\"", "kith man --to \"$a\"",
      ])
    func texts(_ line: String) throws {
      #expect(try shell("kith seed store --users 3 --follows 2 --posts 2 --likes 1").status == 0)
      let refused = try shell(line)
      #expect(refused.status == 2, "\(refused.output)")
      #expect(try playground.names(".") == ["store"])
      // What is a scalar of its own in a path is one like others in a text.
      let found = try shell("kith search store \"$(printf '\\364\\217\\277\\251')\"")
      #expect(found.status != 2, "\(found.output)")
    }
  }
#endif
