/// The differences between letters that a search ignores.
@nonexhaustive
public enum TextFolding: String, CaseIterable, Hashable, Sendable {
  /// Ignores case, accents, width and the like: `e` finds `É`.
  case loose
  /// Ignores only case, by Unicode's full case folding: `e` finds `E`, not `é`.
  case strict
}
