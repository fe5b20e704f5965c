/// The number of a relation of a graph. The first four are in every graph, with a row of facts in one table: code that
/// treats them alike iterates over it, and what is different about one is a fact in its row. Those that a host declares
/// come after them (`RelationTable`).
package struct RelationKind: Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The index of its row.
  package let number: UInt8

  // Inlined, so that a comparison with one of them is that of a constant.
  @inline(__always) init(number: UInt8) { self.number = number }
  @inline(__always) package static var follow: RelationKind { RelationKind(number: 0) }
  @inline(__always) package static var like: RelationKind { RelationKind(number: 1) }
  @inline(__always) package static var block: RelationKind { RelationKind(number: 2) }
  @inline(__always) package static var mute: RelationKind { RelationKind(number: 3) }

  /// In the order of their numbers.
  package static let allCases = table.indices.map { RelationKind(number: UInt8($0)) }

  private static let table = [
    Facts(
      name: "follow", hasTime: true, isEndedByBlock: true, selfRefusal: .cannotFollowSelf,
      targetList: List(cursor: 4, cursorByName: 5), sourceList: List(cursor: 6, cursorByName: 7),
      changeNumbers: (4, 5), sectionPrefix: "FO"),
    Facts(name: "like", target: .post, hasTime: true, changeNumbers: (8, 9), sectionPrefix: "LI"),
    Facts(
      name: "block", isPrivate: true, hides: .everything, selfRefusal: .invalidRequest(.cannotBlockSelf),
      targetList: List(cursor: 10), changeNumbers: (10, 11), sectionPrefix: "BL"),
    Facts(
      name: "mute", isPrivate: true, hides: .timeline, selfRefusal: .invalidRequest(.cannotMuteSelf),
      targetList: List(cursor: 11), changeNumbers: (12, 13), sectionPrefix: "MU"),
  ]

  /// What an edge hides.
  package enum Hiding: Sendable {
    case nothing
    /// The target's posts from the source's timelines, and the target from the source's suggestions.
    case timeline
    /// Source and target from each other, everywhere.
    case everything
  }

  /// A list of the users at one end of a user's edges.
  package struct List: Sendable {
    /// The number of its cursors (`CursorContent.Kind`), newest first, or by id where edges have no times. Hosts keep
    /// cursors: never reuse a number.
    package let cursor: UInt8
    /// That of its cursors in the order of names; nil where there is no such order.
    package var cursorByName: UInt8?
  }

  /// The facts about a relation.
  package struct Facts: Sendable {
    /// The name of one edge, singular.
    package let name: String
    package var target = Relation.End.user
    /// Whether an edge has a time, in whole seconds, by which lists are ordered. Without times they are ordered by id.
    package var hasTime = false
    /// Whether the edges are visible to their source only.
    package var isPrivate = false
    package var hides = Hiding.nothing
    /// Whether a block removes the edges between both users, and refuses new ones.
    package var isEndedByBlock = false
    /// The error for an edge from a user to themselves; nil if the target is no user.
    package var selfRefusal: KithError?
    /// The list of a user's targets, if they are users.
    package var targetList: List?
    /// The list of the users whose target a user is.
    package var sourceList: List?
    /// The first bytes of the changes that add and remove an edge in files and in the log (`ChangeCoding`). Never reuse
    /// one.
    package let changeNumbers: (add: UInt8, remove: UInt8)
    /// The first two letters of the sections of a snapshot that hold its edges (`EdgeSections`). Never reuse them.
    package let sectionPrefix: String
    /// Whether older snapshots lack these sections. They are then read as no edges.
    package var sectionsMayBeMissing = false
  }

  package var facts: Facts {
    @inline(__always) _read { yield Self.table[Int(number)] }
  }

  package var changeNumbers: (add: UInt8, remove: UInt8) { facts.changeNumbers }

  /// The name of all edges, plural: `follows`.
  package var plural: String { facts.name + "s" }
}

extension RelationKind: CustomStringConvertible {
  package var description: String { facts.name }
}

/// Which end of a user's edges a list shows.
package enum RelationSide: Hashable, Sendable { case targets, sources }

/// The orders of a list of edges.
enum RelationOrder { case newest, name, id }
