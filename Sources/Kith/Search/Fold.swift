/// Which differences of writing a search looks past.
public enum Fold: String, Hashable, Sendable {
  /// Case, accents, width and the like: `e` finds `É`.
  case loose
  /// Case alone, after Unicode's full case folding: `e` finds `E`, not `é`.
  case strict
}
