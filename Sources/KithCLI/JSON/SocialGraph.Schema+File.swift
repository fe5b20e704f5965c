import Kith

extension SocialGraph.Schema {
  /// The content of a schema file.
  var file: [UInt8] {
    var writer = JSONWriter()
    writer.object { write(to: &$0) }
    writer.newline()
    return writer.bytes
  }
}
