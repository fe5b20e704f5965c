import Kith

/// `kith list`: the generations of a store, and the states that each can restore.
enum ListCommand {
  static let command = Command(
    name: "list",
    summary: "lists snapshots and journals, and the changes that each can restore (point-in-time recovery)",
    positionals: [Positional("STORE", "a store directory; only read, also beside a writing process")],
    options: [.json],
    notes: [
      """
      A snapshot restores the state at its own change. With the journals since, it restores the state at any later
      change of its range. The content of snapshots is not read: kith verify checks it. Where the clock of the writing
      machine went back, a line says so: times there are not in the order of the changes.
      """
    ],
    examples: ["list ./store", "list ./store --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let listing: StoreListing
    do throws(KithError) {
      listing = try StoreTools.list(arguments.positionals[0])
    } catch {
      throw error.isDamage ? .no(error.sentence) : .usage(error.sentence)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { listing.write(to: &$0) }
    } else {
      try Console.write(listing.text)
    }
    return listing.problems.isEmpty ? 0 : 1
  }
}

extension StoreListing {
  /// A table, and the damage found.
  var text: String {
    var facts = [lastSequence.map { "leads to change \(grouped($0))" } ?? "leads to no change"]
    if let acknowledged { facts.append("acknowledged at least \(grouped(acknowledged))") }
    if let storeID { facts.append("store \(storeID)") }
    var text = "\(printable(path)): " + facts.joined(separator: ", ") + "\n"
    if !snapshots.isEmpty || !journals.isEmpty {
      let whole = table(isShort: false)
      let isNarrow = whole.fullWidth > ByteStream.output.columnCount ?? .max
      text += (isNarrow ? table(isShort: true) : whole).text()
    }
    for problem in problems { text += "  damaged: " + printable("\(problem.place): \(problem.message)") + "\n" }
    if let remark = clockSteps.remark { text += "  \(remark)\n" }
    for name in temporaries { text += "  unfinished: \(printable(name))\n" }
    for name in strays { text += "  no file of a store, passed over: \(printable(name))\n" }
    return text
  }

  /// - Parameter isShort: names files by their number, for a terminal that is too narrow for their names.
  private func table(isShort: Bool) -> Table {
    var table = Table([.whole, .left, .whole, .right, .right, .left, .left], dispensable: [4, 5, 1, 3])
    table.addHeading("file", "changes", "written (UTC)", "size", "frames", "ends", "restores")
    for snapshot in snapshots {
      table.add(
        isShort ? "snapshot \(snapshot.generation)" : snapshot.name, "up to \(grouped(snapshot.sequence))",
        snapshot.report.map { timeText($0.writtenAt.rawValue) } ?? "",
        snapshot.report.map { byteText(Int($0.fileByteCount)) } ?? "", "", snapshot.problem == nil ? "" : "damaged",
        Self.text(of: snapshot.restorable))
    }
    for (journal, restorable) in zip(journals, restorableByJournal) {
      let written = journal.lastWrittenAt ?? journal.header?.writtenAt
      table.add(
        isShort ? "journal \(journal.generation)" : journal.name, journal.changeRange,
        written.map { timeText($0.rawValue) } ?? "",
        byteText(Int(journal.fileByteCount)), grouped(journal.frameCount), journal.endText, Self.text(of: restorable))
    }
    return table
  }

  private static func text(of range: ClosedRange<UInt64>?) -> String {
    guard let range else { return "nothing" }
    let (first, last) = (range.lowerBound, range.upperBound)
    return first == last ? grouped(first) : "\(grouped(first)) to \(grouped(last))"
  }

  func write(to writer: inout JSONWriter) {
    writer.member("path", path.shownPath)
    writer.member("store", stringOrNull: storeID)
    writer.member("acknowledged", orNull: acknowledged)
    writer.member("lastSequence", orNull: lastSequence)
    writer.objects("snapshots", snapshots) { writer, snapshot in
      writer.member("name", snapshot.name)
      writer.member("sequence", snapshot.sequence)
      writer.member("generation", snapshot.generation)
      writer.member("writtenAt", orNull: snapshot.report?.writtenAt.rawValue)
      writer.member("byteCount", orNull: snapshot.report?.fileByteCount)
      Self.write(snapshot.restorable, to: &writer)
    }
    writer.objects("journals", zip(journals, restorableByJournal)) { writer, item in
      item.0.writeMembers(to: &writer)
      Self.write(item.1, to: &writer)
    }
    writer.objects("clockSteps", clockSteps.steps) { writer, step in
      writer.member("sequence", step.sequence)
      writer.member("from", step.previous.rawValue)
      writer.member("to", step.writtenAt.rawValue)
    }
    writer.strings("unfinished", temporaries)
    writer.array("strays", strays) { $0.string($1.shownPath) }
    writer.objects("problems", problems) { $1.writeMembers(to: &$0) }
  }

  private static func write(_ range: ClosedRange<UInt64>?, to writer: inout JSONWriter) {
    writer.name("restores")
    guard let range else { return writer.null() }
    writer.object { writer in
      writer.member("first", range.lowerBound)
      writer.member("last", range.upperBound)
    }
  }
}
