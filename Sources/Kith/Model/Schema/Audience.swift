/// Who may see a post, in a graph with a schema: given with it, or by an edit.
///
/// The author sees it, and so do those to whom an edge leads that grants access (`Relation.grantsAccess`), if no block
/// is between. While an author is private (`UserFields.isPrivate`), `everyone` and `unlisted` mean `followers`.
public enum Audience: String, CaseIterable, Hashable, Sendable {
  /// All: the default.
  case everyone
  /// All, but timelines that only a tag leads to do not show it.
  case unlisted
  /// Those who follow the author.
  case followers
  /// Only those whom it mentions.
  case mentioned

  /// The number of the audience in files and columns: 0 for `everyone`.
  @inline(__always)
  package var number: UInt8 {
    switch self {
    case .everyone: 0
    case .unlisted: 1
    case .followers: 2
    case .mentioned: 3
    }
  }

  /// - Returns: nil for a number of no audience.
  package init?(number: UInt64) {
    switch number {
    case 0: self = .everyone
    case 1: self = .unlisted
    case 2: self = .followers
    case 3: self = .mentioned
    default: return nil
    }
  }
}

/// Audiences as a mask: of these one is tested without a search, and a query that holds them counts no reference.
struct AudienceMask: Hashable, Sendable {
  private var bits: UInt8

  /// - Parameter audiences: if there are none, all pass.
  init(_ audiences: Set<Audience>) { bits = audiences.reduce(0) { $0 | 1 << $1.number } }

  var audiences: Set<Audience> { Set(Audience.allCases.filter { bits >> $0.number & 1 == 1 }) }

  @inline(__always)
  var isEmpty: Bool { bits == 0 }

  @inline(__always)
  func passes(_ audience: UInt8) -> Bool { bits == 0 || bits >> audience & 1 == 1 }
}
