/// An edge that is given with a new post, which it leads from: a reply, a mention, a tag.
public struct PostEdge: Hashable, Sendable {
  /// The relation. Its name alone counts.
  public var relation: Relation
  /// Where the edge leads.
  public var target: Node
  /// When it is made, where its relation has times of its own; nil for the time of the post.
  public var time: Timestamp?

  /// Creates an edge of a post that is still to be added.
  public init(_ relation: Relation, to target: some NodeIdentifier, at time: Timestamp? = nil) {
    (self.relation, self.target, self.time) = (relation, target.node, time)
  }
}

/// Encoded as in a request that adds a post: `{"relation":"reply","toPost":1}`.
extension PostEdge: Codable, WireObject {
  /// Encodes the relation's name, the target, and the time if there is one.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try write(to: &object)
  }

  package func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    try writer.member(.relation, relation.name)
    try writer.member(target.end == .user ? .to : .toPost, target.rawValue)
    if let time { try writer.member(.at, time.rawValue) }
  }

  /// Decodes an edge. Whether a graph accepts it is checked when the post is added.
  /// - Throws: `DecodingError` for a missing member, an id below 1 or a time out of range.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: WireKey.self)
    target = try object.node(.to, .toPost)
    relation = Relation(try object.decode(String.self, forKey: .relation), from: .post, to: target.end)
    time = try object.time(.at, in: 0...SocialGraph.Limits.edgeMilliseconds)
  }
}
