/// The encoding of a schema, in a journal, a log and a snapshot.
///
/// A varint, the number of its relations, then each of them: a varint, the number of its facts, then each fact, two
/// texts: its name and its value. The order is fixed, and a fact with its default value is left out. So each schema has
/// exactly one encoding.
enum SchemaCoding {
  /// The names of facts.
  private enum Fact: String {
    case name, from, to, isTimed, visibility, isEndedBy, endsWith, hides, entersTimelines, isThread, grantsAccess
  }

  static func append(_ schema: SocialGraph.Schema, to bytes: inout [UInt8]) {
    let kinds = schema.userKinds
    bytes.appendVarint(UInt64(schema.relations.count) + (kinds.isEmpty ? 0 : kindsFollow))
    for relation in schema.relations {
      let facts = facts(of: relation)
      bytes.appendVarint(UInt64(facts.count))
      for (fact, value) in facts {
        ChangeCoding.journal.append(text: fact.rawValue, to: &bytes)
        ChangeCoding.journal.append(text: value, to: &bytes)
      }
    }
    if kinds.isEmpty { return }
    bytes.appendVarint(UInt64(kinds.count))
    for kind in kinds { ChangeCoding.journal.append(text: kind, to: &bytes) }
  }

  /// Added to the number of relations where kinds follow them.
  private static let kindsFollow: UInt64 = 128

  private static func facts(of relation: Relation) -> [(Fact, String)] {
    var facts: [(Fact, String)] = [
      (.name, relation.name), (.from, relation.source.rawValue), (.to, relation.target.rawValue),
    ]
    if relation.isTimed { facts.append((.isTimed, "true")) }
    if relation.visibility != .everyone { facts.append((.visibility, relation.visibility.rawValue)) }
    facts += relation.isEndedBy.map { (.isEndedBy, $0) }
    if let endsWith = relation.endsWith { facts.append((.endsWith, endsWith)) }
    facts += relation.facts.hides.map { (.hides, $0.rawValue) }
    if relation.entersTimelines { facts.append((.entersTimelines, "true")) }
    if relation.isThread { facts.append((.isThread, "true")) }
    if relation.grantsAccess { facts.append((.grantsAccess, "true")) }
    return facts
  }

  /// Reads a schema. Whether it can be declared, the graph decides.
  /// - Throws: `corrupt`, also for a schema that is not in its one encoding.
  static func read(_ reader: inout ByteReader) throws(KithError) -> SocialGraph.Schema {
    let start = reader.position
    let given = try reader.readVarint()
    let count = given % kindsFollow
    guard count <= UInt64(SocialGraph.Limits.relationCount), given < 2 * kindsFollow else {
      throw reader.corrupt("a schema of \(count) relations", at: start)
    }
    var schema = SocialGraph.Schema()
    for _ in 0..<count { schema.relations.append(try relation(&reader)) }
    if given >= kindsFollow { schema.userKinds = try kinds(&reader) }
    return schema
  }

  private static func kinds(_ reader: inout ByteReader) throws(KithError) -> [String] {
    let start = reader.position
    let count = try reader.readVarint()
    guard count > 0, count < UInt64(SocialGraph.Limits.kindCount) else {
      throw reader.corrupt("\(count) kinds", at: start)
    }
    var kinds: [String] = []
    for _ in 0..<count { kinds.append(try ChangeCoding.journal.text(&reader)) }
    return kinds
  }

  private static func relation(_ reader: inout ByteReader) throws(KithError) -> Relation {
    let start = reader.position
    var found: [(Fact, String)] = []
    let count = try reader.readVarint()
    guard count <= UInt64(SocialGraph.Limits.relationCount + 16) else {
      throw reader.corrupt("a relation of \(count) facts", at: start)
    }
    for _ in 0..<count {
      let place = reader.position
      let name = try ChangeCoding.journal.text(&reader)
      guard let fact = Fact(rawValue: name) else {
        throw reader.corrupt("a relation has no fact of that name", at: place)
      }
      found.append((fact, try ChangeCoding.journal.text(&reader)))
    }
    func value(_ fact: Fact) -> String? { found.first { $0.0 == fact }?.1 }
    guard let name = value(.name), let source = value(.from).flatMap(Relation.End.init(rawValue:)),
      let target = value(.to).flatMap(Relation.End.init(rawValue:)),
      let visibility = Relation.Visibility(rawValue: value(.visibility) ?? Relation.Visibility.everyone.rawValue)
    else { throw reader.corrupt("the facts of a relation are not what they can be", at: start) }
    let relation = Relation(
      name, from: source, to: target, isTimed: value(.isTimed) == "true", visibility: visibility,
      isEndedBy: found.filter { $0.0 == .isEndedBy }.map(\.1), endsWith: value(.endsWith),
      hides: Set(found.filter { $0.0 == .hides }.compactMap { Relation.Hidden(rawValue: $0.1) }),
      entersTimelines: value(.entersTimelines) == "true", isThread: value(.isThread) == "true",
      grantsAccess: value(.grantsAccess) == "true")
    guard facts(of: relation).elementsEqual(found, by: ==) else {
      throw reader.corrupt("the facts of relation \(name.debugDescription) are not in their order", at: start)
    }
    return relation
  }
}
