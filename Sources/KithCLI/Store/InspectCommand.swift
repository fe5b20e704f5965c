import Kith

/// `kith inspect`: the content of files.
enum InspectCommand {
  static let command = Command(
    name: "inspect",
    summary: "shows the content of snapshots and journals: headers, sections, sizes, ratios, bits per follow",
    positionals: [
      Positional(
        "STORE|SNAPSHOT", "a snapshot, - for one on standard input, or a store directory (all its files); only read"
      )
    ],
    options: [.json],
    examples: ["inspect ./store", "inspect - < backup.kith.zst", "inspect ./store/snap-….kith.zst --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let path = arguments.positionals[0]
    var found = Found()
    do throws(KithError) {
      if path == ByteStream.sign {
        found.snapshots = [try StoreTools.inspect(bytes: try SnapshotStream.bytes(), named: path)]
      } else if try StoreTools.isFile(path) {
        found.snapshots = try StoreTools.inspect(path)
      } else {
        found = Found(try StoreTools.list(path))
      }
    } catch {
      throw error.isDamage ? .no(error.sentence) : .usage(error.sentence)
    }
    for problem in found.problems { Console.note(problem.place, "damaged: \(problem.message)") }
    if arguments.flag(.json) {
      try Console.writeJSON { found.write(to: &$0) }
    } else {
      let texts = found.snapshots.map(\.text) + found.journals.map(\.text)
      try Console.write(texts.isEmpty ? "\(printable(path)): an empty store\n" : texts.joined(separator: "\n"))
    }
    return found.problems.isEmpty ? 0 : 1
  }

  /// The results, the newest first.
  private struct Found {
    var snapshots: [SnapshotReport] = []
    var journals: [JournalReport] = []
    var problems: [SocialGraph.Violation] = []

    init() {}

    init(_ listing: StoreListing) {
      snapshots = listing.snapshots.reversed().compactMap(\.report)
      journals = listing.journals.reversed()
      problems = listing.problems
    }

    func write(to writer: inout JSONWriter) {
      writer.objects("snapshots", snapshots) { $1.write(to: &$0) }
      writer.objects("journals", journals) { $1.writeMembers(to: &$0) }
    }
  }
}

extension SnapshotReport {
  /// Bits of a follow in the file, without and with its time; nil without follows.
  private var bitsPerFollow: (edge: Double, withTime: Double)? {
    let follows = sections.filter { $0.name.hasPrefix("follows.") }
    guard let edges = sections.first(where: { $0.name == "follows.target" })?.elementCount, edges > 0 else {
      return nil
    }
    func bits(_ sections: [SectionReport]) -> Double {
      Double(sections.reduce(0) { $0 + $1.compressedByteCount }) * 8 / Double(edges)
    }
    return (bits(follows.filter { !$0.name.hasSuffix("second") }), bits(follows))
  }

  /// A paragraph and a table.
  var text: String {
    let content = sections.reduce(0) { $0 + $1.contentByteCount }
    var text = """
      \(printable(path))
        format \(formatVersion), store \(storeID), Unicode \(printable(unicodeVersion))
        as of change \(grouped(sequence)), generation \(generation), written \(timeText(writtenAt.rawValue)) UTC
        \(byteText(Int(fileByteCount))) for \(byteText(content)) of content\(Self.ratio(content, Int(fileByteCount)))

      """
    var table = Table([.left, .right, .right, .right, .right, .left])
    table.addHeading("section", "elements", "content", "in file", "ratio", "encoding")
    for section in sections {
      table.add(
        printable(section.name), grouped(section.elementCount), byteText(section.contentByteCount),
        byteText(Int(section.compressedByteCount)),
        decimal(Double(section.contentByteCount) / Double(max(1, section.compressedByteCount)), places: 2),
        section.encoding)
    }
    text += table.text()
    if let bits = bitsPerFollow {
      text += "  \(decimal(bits.edge)) bits per follow, \(decimal(bits.withTime)) with its time\n"
    }
    return text
  }

  private static func ratio(_ content: Int, _ file: Int) -> String {
    file > 0 ? ", ratio \(decimal(Double(content) / Double(file), places: 2))" : ""
  }

  func write(to writer: inout JSONWriter) {
    writer.member("path", path.shownPath)
    writer.member("byteCount", fileByteCount)
    writer.member("formatVersion", formatVersion)
    writer.member("store", storeID)
    writer.member("sequence", sequence)
    writer.member("generation", generation)
    writer.member("writtenAt", writtenAt.rawValue)
    writer.member("unicodeVersion", unicodeVersion)
    writer.objects("sections", sections) { writer, section in
      writer.member("id", section.id)
      writer.member("name", section.name)
      writer.member("elements", section.elementCount)
      writer.member("contentBytes", section.contentByteCount)
      writer.member("fileBytes", section.compressedByteCount)
      writer.member("frames", section.frameCount)
      writer.member("encoding", section.encoding)
    }
    writer.name("bitsPerFollow")
    if let bits = bitsPerFollow { writer.string(decimal(bits.edge, places: 2)) } else { writer.null() }
  }
}
