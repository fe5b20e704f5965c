@testable import Kith

// MARK: - Fuzzy and regex

extension ReferenceModel {
  /// The smallest edit distance between a text and any run of scalars of a key: the table of the definition, cell by
  /// cell. An edit inserts, deletes or replaces a scalar, or swaps two neighbours; none is edited twice.
  static func edits(_ text: [UInt8], in key: [UInt8]) -> Int {
    let (text, key) = (scalars(text), scalars(key))
    var (row, above) = ([Int](repeating: 0, count: key.count + 1), [Int]())
    for (index, scalar) in text.enumerated() {
      let twoAbove = above
      above = row
      row[0] = index + 1
      for place in key.indices {
        let replaced = above[place] + (key[place] == scalar ? 0 : 1)
        row[place + 1] = min(above[place + 1] + 1, row[place] + 1, replaced)
        if index > 0, place > 0, text[index - 1] == key[place], scalar == key[place - 1] {
          row[place + 1] = min(row[place + 1], twoAbove[place - 1] + 1)
        }
      }
    }
    return row.reduce(.max, min)
  }

  static func mostEdits(_ text: [UInt8]) -> Int {
    let count = scalars(text).count
    return count < 4 ? 0 : count < 8 ? 1 : 2
  }

  private static func scalars(_ utf8: [UInt8]) -> [Unicode.Scalar] {
    Array(String(decoding: utf8, as: UTF8.self).unicodeScalars)
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
