import Kith

extension SocialGraph.Schema {
  /// The content of a schema file.
  var file: [UInt8] {
    var writer = JSONWriter()
    writer.object { $0.relations(of: self) }
    writer.newline()
    return writer.bytes
  }
}

extension JSONWriter {
  /// The member `relations` of a schema file. Facts with their default value are left out.
  mutating func relations(of schema: SocialGraph.Schema) {
    name("relations")
    array(schema.relations) { writer, relation in
      writer.object { writer in
        writer.member("name", relation.name)
        writer.member("from", relation.source.rawValue)
        writer.member("to", relation.target.rawValue)
        if relation.visibility != .everyone { writer.member("visibility", relation.visibility.rawValue) }
        if !relation.isEndedBy.isEmpty {
          writer.name("isEndedBy")
          writer.array(relation.isEndedBy) { $0.string($1) }
        }
        if let endsWith = relation.endsWith { writer.member("endsWith", endsWith) }
      }
    }
  }
}
