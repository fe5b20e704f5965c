/// The relations of a graph, described in one schema with a row for each. Code that treats all relations alike iterates
/// over it.
///
/// Each layer adds its own facts in an extension: sections of a snapshot and numbers in a journal
/// (`RelationKind+Encoding.swift`), cursors (`Cursor.swift`), words of the protocol (`Operation.swift`).
package enum RelationKind: UInt8, CaseIterable, Sendable {
  case follow, like, block, mute

  /// The type of an edge's target. Its source is a user.
  package enum Target: Sendable { case user, post }

  /// What an edge hides.
  package enum Hiding: Sendable {
    case nothing
    /// The target's posts from the source's timelines.
    case timeline
    /// Source and target from each other, everywhere.
    case everything
  }

  /// The facts about a relation that several layers need.
  package struct Schema: Sendable {
    /// The name of one edge, singular.
    package let name: String
    package var target = Target.user
    /// Whether an edge has a time, in whole seconds, by which lists are ordered. Without times they are ordered by id.
    package var hasTime = false
    /// Whether the edges are visible to their source only.
    package var isPrivate = false
    package var hides = Hiding.nothing
    /// Whether a block removes the edges between both users, and refuses new ones.
    package var isEndedByBlock = false
    /// The error for an edge from a user to themselves; nil if the target is no user.
    package var selfRefusal: KithError?
  }

  // Inlined, so that a caller computes only the fact that it reads.
  @inline(__always)
  package var schema: Schema {
    switch self {
    case .follow: Schema(name: "follow", hasTime: true, isEndedByBlock: true, selfRefusal: .cannotFollowSelf)
    case .like: Schema(name: "like", target: .post, hasTime: true)
    case .block:
      Schema(
        name: "block", isPrivate: true, hides: .everything,
        selfRefusal: .invalidRequest(.cannotBlockSelf))
    case .mute:
      Schema(
        name: "mute", isPrivate: true, hides: .timeline,
        selfRefusal: .invalidRequest(.cannotMuteSelf))
    }
  }

  /// The name of all edges, plural: `follows`.
  package var plural: String { schema.name + "s" }
}

/// Which end of a user's edges a list shows.
package enum RelationSide: Sendable { case targets, sources }

/// The orders of a list of edges.
enum RelationOrder { case newest, name, id }
