import Kith

/// How the rows of a file are written.
enum RowFormat: String, CaseIterable, Sendable {
  /// Tab-separated, with escapes.
  case tsv
  /// Comma-separated, as in RFC 4180.
  case csv
  /// One JSON object a line: the request of `kith query` that adds the row.
  case jsonl

  /// By the end of a file's name, before `.zst`; nil if it is none of these.
  init?(fileName: String) {
    let name = fileName.lowercased()
    let plain = name.hasSuffix(".zst") ? String(name.dropLast(4)) : name
    switch plain.split(separator: ".").last.map(String.init) {
    case "ndjson": self = .jsonl
    case let ending?: self.init(rawValue: ending)
    case nil: return nil
    }
  }

  static let option = Option("--format", "FORMAT", "tsv, csv or jsonl (JSON Lines)", choices: allCases.map(\.rawValue))
}

extension Arguments {
  /// The value of `--format`; nil if it is not given.
  func rowFormat() throws(CommandFailure) -> RowFormat? { try choice(RowFormat.option) }
}
