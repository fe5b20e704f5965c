/// A relation: edges of one kind between users and posts, with the facts that say what an edge means.
///
/// Every graph has `follow`, `like`, `block` and `mute`, which have verbs of their own. A host declares others in a
/// `SocialGraph.Schema`:
///
/// ```swift
/// extension Relation {
///   static let bookmark = Relation("bookmark", from: .user, to: .post, visibility: .source)
///   static let request = Relation(
///     "request", from: .user, to: .user, visibility: .ends, isEndedBy: ["follow", "block"])
/// }
/// ```
///
/// In calls the name alone counts.
public struct Relation: Hashable, Sendable {
  /// The type of a node at an end of an edge.
  public enum End: String, CaseIterable, Hashable, Sendable {
    /// A user.
    case user
    /// A post.
    case post
  }

  /// Who may see an edge. In place of a post, its author is meant.
  public enum Visibility: String, CaseIterable, Hashable, Sendable {
    /// Everyone.
    case everyone
    /// Its source and its target.
    case ends
    /// Its source alone.
    case source
  }

  /// What an edge to a user hides from its source.
  public enum Hidden: String, CaseIterable, Hashable, Sendable {
    /// The user's posts and reposts, and reposts of those posts, in timelines.
    case timeline
    /// The user's reposts in timelines.
    case reposts
    /// What the user does, in what leads to the source (`GraphView.incoming`).
    case incoming
  }

  /// What makes a relation: equal facts are the same relation.
  struct Facts: Hashable, Sendable {
    let name: String
    let source: End
    let target: End
    let isTimed: Bool
    let visibility: Visibility
    let endingNames: [String]
    let baseName: String?
    let hides: [Hidden]
    let entersTimelines: Bool
    let isThread: Bool
    let grantsAccess: Bool
  }

  private final class Row: Sendable {
    let facts: Facts
    let kind: RelationKind?
    let nameHash: UInt32

    init(_ facts: Facts, _ kind: RelationKind?) {
      self.facts = facts
      self.kind = kind
      nameHash = FNV1a.hash(facts.name.utf8)
    }
  }

  // One reference, so that a change with a relation is no larger than one without.
  private let row: Row

  /// Creates the facts of a relation. `SocialGraph.Schema` says which are allowed; they are checked when a graph is
  /// opened with it.
  /// - Parameters:
  ///   - name: 1 to 64 ASCII letters, digits and underscores, first a letter. Case counts.
  ///   - source: the type of the node that an edge leads from.
  ///   - target: the type of the node that it leads to.
  ///   - isTimed: whether an edge of a post has a time of its own; else it has the time at which the post was created.
  ///     Edges of users always have one.
  ///   - visibility: who may see an edge.
  ///   - endingNames: the names of relations with the same ends. When an edge of one of them is added, that of this
  ///     relation between the same nodes ends. `block` ends it in both directions.
  ///   - baseName: the name of a relation with the same ends, without whose edge an edge of this one cannot be.
  ///   - hides: what an edge hides of its target from its source. Of relations from users to users.
  ///   - entersTimelines: whether an edge brings a post into timelines. Of one relation from users to posts at most, a
  ///     repost: into the timelines of those who read its source. Of relations from posts to users, such as a tag:
  ///     into the timelines of those who read its target. Everyone sees such edges.
  ///   - isThread: whether an edge leads from a reply to the post that it replies to. Of one relation from posts to
  ///     posts at most, which is not timed, and which neither ends by nor with another. Its edges are given with a new
  ///     post.
  ///   - grantsAccess: whether the user whom an edge leads to is meant by its post: a mention. Of relations from posts
  ///     to users.
  public init(
    _ name: String, from source: End, to target: End, isTimed: Bool = false, visibility: Visibility = .everyone,
    isEndedBy endingNames: [String] = [], endsWith baseName: String? = nil, hides: Set<Hidden> = [],
    entersTimelines: Bool = false, isThread: Bool = false, grantsAccess: Bool = false
  ) {
    // Sorted: the order in which a host writes them is no fact.
    var names = endingNames
    if names.count > 1 { names = Set(names).sorted { Array($0.utf8).lexicographicallyPrecedes($1.utf8) } }
    self.init(
      Facts(
        name: name, source: source, target: target, isTimed: isTimed, visibility: visibility, endingNames: names,
        baseName: baseName, hides: Hidden.allCases.filter(hides.contains), entersTimelines: entersTimelines,
        isThread: isThread, grantsAccess: grantsAccess),
      nil)
  }

  init(_ facts: Facts, _ kind: RelationKind?) { row = Row(facts, kind) }

  /// Its name.
  public var name: String { row.facts.name }
  /// The type of the node that an edge leads from.
  public var source: End { row.facts.source }
  /// The type of the node that an edge leads to.
  public var target: End { row.facts.target }
  /// Whether an edge of a post has a time of its own; else it has that of the post.
  public var isTimed: Bool { row.facts.isTimed }
  /// Who may see an edge.
  public var visibility: Visibility { row.facts.visibility }
  /// The names of the relations that end an edge of this one, ascending by bytes.
  public var isEndedBy: [String] { row.facts.endingNames }
  /// The name of the relation without whose edge an edge of this one cannot be.
  public var endsWith: String? { row.facts.baseName }
  /// What an edge hides of its target from its source.
  public var hides: Set<Hidden> { Set(row.facts.hides) }
  /// Whether an edge brings a post into timelines.
  public var entersTimelines: Bool { row.facts.entersTimelines }
  /// Whether an edge leads from a reply to the post that it replies to.
  public var isThread: Bool { row.facts.isThread }
  /// Whether the user whom an edge leads to is meant by its post.
  public var grantsAccess: Bool { row.facts.grantsAccess }
  /// Whether an edge has a time of its own: always from a user.
  var hasTime: Bool { source == .user || isTimed }

  var facts: Facts { row.facts }
  /// Its number in the graph that it was looked up in (`RelationTable`); nil for one that a host made.
  var kind: RelationKind? { row.kind }
  /// A hash of its name, the same in every process: cursors hold it.
  var nameHash: UInt32 { row.nameHash }

  /// What its edges lead from and to: `a user to a post`.
  var needs: String { "a \(source) to a \(target)" }

  /// The type of what a list of edges shows.
  func other(_ side: RelationSide) -> End { side == .targets ? target : source }

  /// Whether all facts are the same.
  public static func == (one: Relation, other: Relation) -> Bool { one.row === other.row || one.facts == other.facts }

  /// Hashes the facts.
  public func hash(into hasher: inout Hasher) { hasher.combine(facts) }
}

extension Relation {
  /// A user follows another.
  public static let follow = Relation(.follow, to: .user, .everyone, isEndedBy: ["block"])
  /// A user likes a post.
  public static let like = Relation(.like, to: .post, .everyone)
  /// A user blocks another.
  public static let block = Relation(.block, to: .user, .source)
  /// A user mutes another.
  public static let mute = Relation(.mute, to: .user, .source, hides: [.timeline, .incoming])

  /// The relations that every graph has, by number.
  static let builtIn = [follow, like, block, mute]

  private init(
    _ kind: RelationKind, to target: End, _ visibility: Visibility, isEndedBy names: [String] = [],
    hides: [Hidden] = []
  ) {
    self.init(
      Facts(
        name: kind.facts.name, source: .user, target: target, isTimed: false, visibility: visibility,
        endingNames: names, baseName: nil, hides: hides, entersTimelines: false, isThread: false,
        grantsAccess: false),
      kind)
  }
}

extension Relation: CustomStringConvertible {
  /// The facts, as a message names them: `request (user to user, seen by ends, ended by block and follow)`.
  public var description: String {
    var facts = ["\(source) to \(target)"]
    if isTimed { facts.append("with times") }
    if entersTimelines { facts.append("enters timelines") }
    if isThread { facts.append("makes threads") }
    if grantsAccess { facts.append("grants access") }
    let hidden = row.facts.hides.map(\.rawValue)
    if !hidden.isEmpty { facts.append("hides \(hidden.joined(separator: " and "))") }
    if visibility != .everyone { facts.append("seen by \(visibility == .ends ? "its ends" : "its source")") }
    if !isEndedBy.isEmpty { facts.append("ended by \(isEndedBy.joined(separator: " and "))") }
    if let endsWith { facts.append("ends with \(endsWith)") }
    return "\(name) (\(facts.joined(separator: ", ")))"
  }
}
