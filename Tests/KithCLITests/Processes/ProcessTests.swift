import Foundation
import Testing

@testable import Kith

/// The built `kith`, each run with other hash seeds.
@Suite struct ProcessTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kith-process-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false) }

  private func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  /// Runs `kith` with different hash seeds, regardless of the environment of the tests.
  private func run(_ arguments: [String], input: String = "") throws -> (status: Int32, output: String) {
    let (process, standardInput, output) = try BuiltKith.process(arguments)
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "SWIFT_DETERMINISTIC_HASHING" }
    try process.run()
    // It must fit into a pipe's buffer.
    try standardInput.write(contentsOf: Data(input.utf8))
    try standardInput.close()
    let bytes = try output.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }

  /// The frames of a store's only snapshot, without header and tables, which hold the store's identity and the time.
  private func frames(_ store: String) throws -> Data {
    let report = try #require(try StoreTools.inspect(path(store)).first)
    let end = 256 + report.sections.reduce(0) { $0 + Int($1.compressedByteCount) }
    let file = try Data(contentsOf: URL(fileURLWithPath: report.path))
    #expect(report.sections.count == GraphSections.names.count && end < file.count)
    return file[256..<end]
  }

  @Test("Two processes with different hash seeds write the same sections of the same network")
  func seeding() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let numbers = ["--users", "400", "--follows", "3000", "--posts", "700", "--likes", "900", "--seed", "3"]
    for store in ["first", "second"] { #expect(try run(["seed", path(store)] + numbers).status == 0) }
    #expect(try frames("first") == frames("second"))
    #expect(try StoreTools.inspect(path("first"))[0].storeID != StoreTools.inspect(path("second"))[0].storeID)
    #expect(try run(["verify", path("first")]).status == 0)
  }

  @Test("Two processes answer the same requests with the same bytes, and write the same sections")
  func requests() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let lines = Self.requests.joined(separator: "\n") + "\n"
    #expect(lines.utf8.count < 60_000)
    let answers = try ["first", "second"].map { try run(["query", path($0)], input: lines) }
    #expect(answers[0].status == 0 && answers[0].output == answers[1].output)
    #expect(answers[0].output.split(separator: "\n").count == Self.requests.count)
    for store in ["first", "second"] { #expect(try run(["snapshot", path(store)]).status == 0) }
    #expect(try frames("first") == frames("second"))
    let again = try run(
      ["query", path("first"), "--read-only"], input: Self.requests.suffix(6).joined(separator: "\n"))
    #expect(again.output == answers[0].output.split(separator: "\n").suffix(6).joined(separator: "\n") + "\n")
  }

  /// Users, edges and removals in an order that hashing would change, then queries.
  private static var requests: [String] {
    var lines = (0..<60).map { #"{"op":"addUser","id":\#(($0 * 37) % 61 + 1),"username":"user \#($0 % 7) é\#($0)"}"# }
    for index in 0..<200 {
      let (user, target) = ((index * 13) % 61 + 1, (index * 29 + 5) % 61 + 1)
      lines.append(#"{"op":"follow","user":\#(user),"target":\#(target),"at":\#(index % 9 * 1_000)}"#)
    }
    for index in 0..<60 {
      let author = index * 17 % 61 + 1
      lines.append(#"{"op":"addPost","user":\#(author),"text":"snow \#(index)","createdAt":\#(index % 11)}"#)
      lines.append(#"{"op":"like","user":\#(index * 7 % 61 + 1),"post":\#(index % 40 + 1),"at":\#(index % 3 * 1_000)}"#)
    }
    for index in 0..<6 {
      lines.append(#"{"op":"block","user":\#(index * 5 + 1),"target":\#(index * 8 + 2)}"#)
      lines.append(#"{"op":"removeUser","user":\#(index * 9 + 4)}"#)
    }
    return lines + [
      #"{"op":"users","query":"user","limit":100,"as":2}"#, #"{"op":"timeline","user":2,"limit":100}"#,
      #"{"op":"posts","query":"snow","limit":100}"#, #"{"op":"followers","user":2,"order":"name"}"#,
      #"{"op":"suggestions","user":2,"limit":100}"#, #"{"op":"mutuals","user":2,"target":3,"of":"followers"}"#,
    ]
  }
}
