/// `KithFuzz TARGET --seeds DIRECTORY` writes a target's first inputs; `KithFuzz TARGET …` hands the rest to libFuzzer.
@main
enum Main {
  private static let targets: [any FuzzTarget] = [
    SnapshotTarget(), TableTarget(), SectionsTarget(), JournalTarget(), WatermarkTarget(), RecordTarget(),
    ImportTarget(), QueryTarget(), EditsTarget(), SalvageTarget(), ListTarget(), InspectTarget(), RestoreTarget(),
    TextsTarget(),
  ]

  static func main() throws {
    let words = CommandLine.arguments
    guard words.count > 1, let target = targets.first(where: { $0.name == words[1] }) else {
      // Also for the script: the names, one a line.
      return print(targets.map(\.name).joined(separator: "\n"))
    }
    if words.count == 4, words[2] == "--seeds" { return try Files.write(target.seeds(), to: words[3]) }
    let limits = [
      "-max_len=\(target.maximumByteCount)", "-malloc_limit_mb=\(target.allocationLimitMegabytes)",
    ]
    Fuzzer.run(target, arguments: [words[0]] + words.dropFirst(2) + limits)
  }
}
