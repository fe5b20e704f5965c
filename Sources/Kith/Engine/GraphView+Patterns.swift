/// People found by a name that is nearly known, or by a pattern.
extension GraphView {
  /// Names that hold the query with the fewest edits first: all with none, then with one, then with two, each by name.
  /// A level is only looked at when those before it do not fill the page.
  func fuzzy(_ walk: UserWalk) throws(KithError) -> [FoundName] {
    var found: [FoundName] = []
    let levels = FuzzyLevels(walk.query)
    for edits in 0..<levels.count where edits >= walk.afterFront ?? 0 && found.count < walk.limit {
      var search = NameSearch(query: levels.query(edits), limit: walk.limit - found.count)
      if edits == walk.afterFront { search.after = walk.after }
      found += try self.found(search) { accepts($0, walk) ? .take(front: 0) : .leaveOut }
        .map { FoundName(row: $0.row, front: edits) }
    }
    return found
  }

  func fuzzyCount(_ walk: UserWalk) throws(KithError) -> Int {
    let levels = FuzzyLevels(walk.query)
    var count = 0
    for edits in 0..<levels.count { count += try self.count(levels.query(edits), walk) }
    return count
  }

  static func expression(_ pattern: String) throws(KithError) -> NameQuery {
    do throws(RegularExpression.Refusal) {
      return NameQuery(NamePattern(try RegularExpression(pattern)))
    } catch {
      switch error {
      case .invalid(let reason): throw .invalidPattern(reason)
      case .tooLarge: throw .budgetExceeded
      case .notBuiltIn: throw .unsupported("match regex without the package trait Regex")
      }
    }
  }
}

/// A fuzzy question as one question for each number of edits.
private struct FuzzyLevels {
  private let plain: NameQuery
  /// From none to the most that its length allows.
  let count: Int

  /// - Parameter plain: for names that hold the text as it is.
  init(_ plain: NameQuery) {
    self.plain = plain
    let scalarCount = plain.loose.count { $0 & 0xC0 != 0x80 }
    count = plain.matchesNothing || scalarCount < 4 ? 1 : scalarCount < 8 ? 2 : 3
  }

  /// Names with exactly so many edits.
  func query(_ edits: Int) -> NameQuery {
    // Without edits, the index knows. But of a strict question each name is looked at: accents are edits there.
    let isPlain = edits == 0 && (plain.fold == .loose || plain.isEmpty || plain.matchesNothing)
    if isPlain { return plain }
    let strict = plain.fold == .strict ? plain.strict : nil
    return NameQuery(NamePattern(loose: plain.loose, edits: edits, strict: strict, mostEdits: count - 1))
  }
}
