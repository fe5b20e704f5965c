@testable import Kith

// MARK: - Fuzzy and regex

extension ReferenceModel {
  static func mostEdits(_ text: [UInt8]) -> Int {
    let count = String(decoding: text, as: UTF8.self).unicodeScalars.count
    return count < 4 ? 0 : count < 8 ? 1 : 2
  }

  /// The verifier is the engine's, without a time limit: the model checks that every name is tested.
  static func expression(_ pattern: String, _ codes: inout Set<String>) -> RegularExpression? {
    do throws(RegularExpression.Refusal) {
      return try RegularExpression(pattern, milliseconds: 60_000)
    } catch {
      switch error {
      case .invalid: codes.insert("invalidPattern")
      case .tooLarge: codes.insert("budgetExceeded")
      case .notBuiltIn: codes.insert("unsupported")
      }
      return nil
    }
  }

  static func holds(_ expression: RegularExpression, in name: String, atBeginning: Bool = false) -> Bool {
    var budget = QueryBudget()
    return expression.holds(in: Folding.nfc(name).span, atBeginning: atBeginning, &budget)
  }
}
