/// The version of a file format. A higher minor version only adds what old readers may ignore; a higher major version
/// does not.
struct FormatVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  let major: UInt16
  let minor: UInt16

  static func < (left: FormatVersion, right: FormatVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  var description: String { "\(major).\(minor)" }

  func append(to writer: inout ByteWriter) {
    writer.append(major)
    writer.append(minor)
  }
}

extension ByteReader {
  /// Reads the version of a file, and the version of the oldest reader that can read it.
  /// - Throws: `unsupportedVersion` if this reader, which knows `version`, is older than that.
  mutating func readFormatVersion(of format: String, upTo version: FormatVersion) throws(KithError) -> FormatVersion {
    let found = FormatVersion(major: try readUInt16(), minor: try readUInt16())
    let minimumReader = FormatVersion(major: try readUInt16(), minor: try readUInt16())
    guard found.major == version.major, minimumReader <= version else {
      let needed = minimumReader <= version ? "" : ", which needs a reader of \(minimumReader)"
      throw .unsupportedVersion(found: "\(format) format \(found)\(needed)", readable: "up to \(version)")
    }
    return found
  }
}
