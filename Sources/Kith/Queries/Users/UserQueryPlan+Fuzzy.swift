/// Fuzzy search and regular expressions.
extension UserQueryPlan {
  /// Names with the fewest edits first: all with none, then with one, then with two, each sorted by name. Edits are
  /// counted in the key of the requested fold. In a strict query, the loose key also has at most as many edits. A
  /// number of edits is searched only if the smaller ones do not fill the page, and has a separate budget.
  func fuzzy(_ state: borrowing GraphState) throws(KithError) -> [FoundName] {
    var found: [FoundName] = []
    let levels = FuzzyLevels(query)
    for edits in 0..<levels.count where edits >= afterRank ?? 0 && found.count < limit {
      var search = NameSearch(query: levels.query(edits), limit: limit - found.count)
      if edits == afterRank { search.after = after }
      var budget = QueryBudget()
      found += try state.users.execute(search, ofKind: kind, &budget) { row, _ in accepts(row, state) ? edits : nil }
    }
    return found
  }

  func fuzzyCount(_ state: borrowing GraphState) throws(KithError) -> Int {
    let levels = FuzzyLevels(query)
    var count = 0
    for edits in 0..<levels.count {
      var budget = QueryBudget()
      count += try self.count(levels.query(edits), state, &budget)
    }
    return count
  }
}

extension UsersByName {
  /// A regular expression as a name query.
  /// - Throws: `invalidPattern`, `budgetExceeded`, `unsupported`.
  static func expression(_ pattern: String) throws(KithError) -> NameQuery {
    do throws(RegularExpression.Refusal) {
      return NameQuery(NamePattern(try RegularExpression(pattern)))
    } catch {
      switch error {
      case .invalid(let reason): throw .invalidPattern(reason: reason)
      case .tooLarge: throw .budgetExceeded
      case .notBuiltIn: throw .unsupported(.regularExpressions)
      }
    }
  }
}

/// A fuzzy query, as one query for each number of edits.
private struct FuzzyLevels {
  private let plain: NameQuery
  /// The number of levels: from no edits to the most that the query's length allows.
  let count: Int

  /// - Parameter plain: the query without edits.
  init(_ plain: NameQuery) {
    self.plain = plain
    let scalarCount = plain.loose.count { $0 & 0xC0 != 0x80 }
    count = plain.matchesNothing || scalarCount < 4 ? 1 : scalarCount < 8 ? 2 : 3
  }

  /// Names with exactly so many edits in the key of the query's fold.
  func query(_ edits: Int) -> NameQuery {
    // Without edits, the index decides. A strict query still tests each name, because accents count as edits there.
    let isPlain = edits == 0 && (plain.fold == .loose || plain.isEmpty || plain.matchesNothing)
    if isPlain { return plain }
    if plain.fold == .loose { return query(NamePattern(loose: plain.loose, edits: edits, names: plain.names)) }
    return query(
      NamePattern(loose: plain.loose, strict: plain.strict, edits: edits, mostEdits: count - 1, names: plain.names))
  }

  private func query(_ pattern: NamePattern) -> NameQuery {
    var query = NameQuery(pattern)
    query.names = plain.names
    return query
  }
}
