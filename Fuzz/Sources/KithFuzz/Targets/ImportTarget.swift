@testable import Kith
@testable import KithCLI

/// TSV files of an import, separated by lines `==`: users, follows, posts, likes, blocks, mutes. They are refused by
/// line, or give a valid graph whose export is imported as the same.
struct ImportTarget: FuzzTarget {
  let name = "import"
  let maximumByteCount = 32 << 10
  /// A compressed file may ask for zstd's largest window.
  let allocationLimitMegabytes = 160
  private static let separator = Array("==\n".utf8)

  func seeds() throws -> [[UInt8]] {
    let view = GraphView(try Sample.state())
    let exported = try Self.export(view)
    // 128 KiB of line feeds in a frame of ten bytes, then a stored block with a row.
    let packed: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38, 0x02, 0x00, 0x10, 0x0A, 0x31, 0x00, 0x00]
    let odd = [
      "1\tann\n2\tbob\\t\\n\\r\\\\\n", "1\t2\n2\t1\t-5\n1\t1\n9\t9\n", "1\t1\t0\ta\\tb\\nc\\rd\\\\e\n2\t1\t5\t\n",
      "1\t1\n", "", "2\t1\n",
    ]
    let windows = ["\u{FEFF}1\tann\r\n2\tbob\r\n", "1\t2\r\n2\t1\t-5\n", "1\t1\t0\ta\rb\r\n2\t1\t5\tc"]
    return [
      Array(exported.joined(separator: Self.separator)),
      Array(odd.map { Array($0.utf8) }.joined(separator: Self.separator)),
      Array(windows.map { Array($0.utf8) }.joined(separator: Self.separator)), packed + Array("7\tbob\n".utf8),
    ]
  }

  func run(_ input: [UInt8]) {
    let graph = SocialGraph()
    guard let reports = Self.fill(graph, from: Self.files(of: input)) else { return }
    for report in reports {
      let skipped = report.skipped.reduce(0) { $0 + $1.count }
      require(report.rowCount == report.addedCount + skipped, "rows are neither added nor skipped: \(report)")
    }
    let exported = graph.read { view in
      let problems = view.verify()
      require(problems.isEmpty, "an imported graph is not sound: \(problems)")
      return succeeds("an imported graph is exported") { () throws(CommandFailure) in try Self.export(view) }
    }
    let copy = SocialGraph()
    guard let again = Self.fill(copy, from: exported) else { fatalError("an export cannot be imported") }
    require(again.allSatisfy { $0.skippedCount == 0 }, "rows of an export are skipped: \(again)")
    copy.read { view in
      let exportedAgain = succeeds("the copy is exported") { () throws(CommandFailure) in try Self.export(view) }
      require(exported == exportedAgain, "an export comes back as another")
    }
  }

  /// The input's files, in the order of `GraphComponent`; the rest after the last belongs to it.
  private static func files(of input: [UInt8]) -> [[UInt8]] {
    var files: [[UInt8]] = [[]]
    for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if Array(line) == Array(separator.dropLast()), files.count < GraphComponent.allCases.count {
        files.append([])
      } else {
        files[files.count - 1] += line + [UInt8(ascii: "\n")]
      }
    }
    return files
  }

  private static func export(_ view: borrowing GraphView) throws(CommandFailure) -> [[UInt8]] {
    var files: [[UInt8]] = []
    for kind in GraphComponent.allCases {
      let pieces = Pieces()
      _ = try RowEncoder.encode(.component(kind), of: view) { (piece) throws(CommandFailure) in pieces.bytes += piece }
      files.append(pieces.bytes)
    }
    return files
  }

  private final class Pieces { var bytes: [UInt8] = [] }

  /// Imports files; nil when a line of one is refused.
  private static func fill(_ graph: SocialGraph, from contents: [[UInt8]]) -> [ImportReport]? {
    do throws(CommandFailure) {
      var readers: [RowReader] = []
      for (kind, content) in zip(GraphComponent.allCases, contents) where !content.isEmpty {
        let file = try InputFile(scratchFile(content, kind))
        readers.append(RowReader(.component(kind), time: 1_700_000_000_000, .milliseconds, LineBlocks(file)))
      }
      return try graph.bulk { (batch) throws(CommandFailure) in
        var importer = Importer(progress: Progress(isShown: false), rejects: nil)
        var reports: [ImportReport] = []
        for reader in readers { reports.append(try importer.apply(reader, to: &batch)) }
        return reports
      }
    } catch {
      return nil
    }
  }

  /// A real file, because an import reads files; the working directory is the script's own.
  private static func scratchFile(_ content: [UInt8], _ kind: GraphComponent) -> String {
    let path = "\(kind.rawValue).\(SystemDisk().processID).scratch"
    succeeds("a scratch file is written") { () throws(KithError) in
      let disk = SystemDisk()
      let isThere = try disk.status(of: path, followingLinks: false) != nil
      let file = isThere ? try disk.open(path, writable: true) : try disk.create(path)
      try disk.truncate(file, to: 0)
      try disk.write(file, at: 0, content.span)
    }
    return path
  }
}
