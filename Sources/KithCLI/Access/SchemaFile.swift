import Foundation
import Kith

/// A schema file: `{"relations":[{"name":"bookmark","from":"user","to":"post","visibility":"source"}]}`.
enum SchemaFile {
  static let option = Option("--schema", "FILE", "declares the relations of a schema file that the graph lacks")

  /// The most bytes of a file that is read.
  private static let byteLimit = 1 << 20

  /// Reads a schema. Whether it can be declared, the graph decides.
  static func read(_ path: String) throws(CommandFailure) -> SocialGraph.Schema {
    var file = try InputFile(path)
    var bytes: [UInt8] = []
    while try file.read(into: &bytes) {
      if bytes.count > byteLimit { throw .usage("\(path): more than \(byteLimit) bytes; a schema is smaller") }
    }
    do {
      return try JSONDecoder().decode(SocialGraph.Schema.self, from: Data(bytes))
    } catch {
      throw .usage("\(path): no schema: \(reason(error))")
    }
  }

  private static func reason(_ error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.reduce("") { $0 + ($1.intValue.map { "[\($0)]" } ?? ($0.isEmpty ? "" : ".") + $1.stringValue) }
    }
    switch error {
    case DecodingError.keyNotFound(let key, let context): return "\(place(context.codingPath + [key])) is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      return "\(place(context.codingPath)) is of another type than it must be"
    case DecodingError.dataCorrupted(let context):
      return context.codingPath.isEmpty
        ? context.debugDescription : "\(place(context.codingPath)): \(context.debugDescription)"
    default: return "\(error)"
    }
  }
}

extension Arguments {
  /// The schema of `--schema`; nil if it is not given.
  func schema() throws(CommandFailure) -> SocialGraph.Schema? {
    guard let path = value(SchemaFile.option) else { return nil }
    return try SchemaFile.read(path)
  }
}
