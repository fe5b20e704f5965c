@testable import Kith

// MARK: - Fuzzy and regex

extension ReferenceModel {
  /// The fewest edits between a text and a run of the scalars of a key: the table of the definition, cell by cell.
  static func edits(_ text: [UInt8], in key: [UInt8]) -> Int {
    let (text, key) = (scalars(text), scalars(key))
    var row = [Int](repeating: 0, count: key.count + 1)
    for (index, scalar) in text.enumerated() {
      let above = row
      row[0] = index + 1
      for place in key.indices {
        let replaced = above[place] + (key[place] == scalar ? 0 : 1)
        row[place + 1] = min(above[place + 1] + 1, row[place] + 1, replaced)
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

  /// The verifier is the engine's, with all the time it wants: what the model checks is that every name is asked.
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
    expression.holds(in: Folding.nfc(name).span, atBeginning: atBeginning)
  }
}
