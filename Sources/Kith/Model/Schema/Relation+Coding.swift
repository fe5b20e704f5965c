/// Encoded as in a schema file: `{"name":"bookmark","from":"user","to":"post","visibility":"source"}`.
extension Relation: Codable, WireObject {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, from, to, isTimed, visibility, isEndedBy, endsWith, hides, entersTimelines, isThread, grantsAccess
  }

  /// Encodes the facts. Those with their default value are left out.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try write(to: &object)
  }

  package func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    try writer.member(.name, name)
    try writer.member(.from, source.rawValue)
    try writer.member(.to, target.rawValue)
    if isTimed { try writer.member(.isTimed, isTimed) }
    if visibility != .everyone { try writer.member(.visibility, visibility.rawValue) }
    if !isEndedBy.isEmpty { try writer.member(.isEndedBy, isEndedBy) }
    if let endsWith { try writer.member(.endsWith, endsWith) }
    if !facts.hides.isEmpty { try writer.member(.hides, facts.hides.map(\.rawValue)) }
    if entersTimelines { try writer.member(.entersTimelines, entersTimelines) }
    if isThread { try writer.member(.isThread, isThread) }
    if grantsAccess { try writer.member(.grantsAccess, grantsAccess) }
  }

  /// A key of any name, to find those that are no fact.
  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes the facts. Whether they are allowed is checked when a graph is opened with them.
  /// - Throws: `DecodingError` for a missing fact, one that is none, or a value that a fact cannot have.
  public init(from decoder: any Decoder) throws {
    // A relation is never altered, so a fact that is misspelled must not be passed over.
    for key in try decoder.container(keyedBy: AnyKey.self).allKeys where CodingKeys(stringValue: key.stringValue) == nil
    {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a relation has no fact \(key.stringValue)"))
    }
    let object = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try object.decode(String.self, forKey: .name), from: try object.decode(End.self, forKey: .from),
      to: try object.decode(End.self, forKey: .to),
      isTimed: try object.decodeIfPresent(Bool.self, forKey: .isTimed) ?? false,
      visibility: try object.decodeIfPresent(Visibility.self, forKey: .visibility) ?? .everyone,
      isEndedBy: try object.decodeIfPresent([String].self, forKey: .isEndedBy) ?? [],
      endsWith: try object.decodeIfPresent(String.self, forKey: .endsWith),
      hides: Set(try object.decodeIfPresent([Hidden].self, forKey: .hides) ?? []),
      entersTimelines: try object.decodeIfPresent(Bool.self, forKey: .entersTimelines) ?? false,
      isThread: try object.decodeIfPresent(Bool.self, forKey: .isThread) ?? false,
      grantsAccess: try object.decodeIfPresent(Bool.self, forKey: .grantsAccess) ?? false)
  }
}

extension Relation.End: Codable {}
extension Relation.Visibility: Codable {}
extension Relation.Hidden: Codable {}

extension SocialGraph.Schema: Codable, WireObject {
  /// Encodes the members of a schema file. Kinds are left out where there are none.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try write(to: &object)
  }

  package func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    try writer.member(.relations, relations)
    if !userKinds.isEmpty { try writer.member(.userKinds, userKinds) }
  }

  /// Decodes the members of a schema file. Whether they are allowed is checked when a graph is opened with them.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: WireKey.self)
    self.init(
      try object.decode([Relation].self, forKey: .relations),
      userKinds: try object.decodeIfPresent([String].self, forKey: .userKinds) ?? [])
  }
}
