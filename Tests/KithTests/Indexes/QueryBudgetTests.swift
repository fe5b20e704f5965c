import Testing

@testable import Kith

/// What one query may cost: the limits, and how searches of the username index end by them.
@Suite struct QueryBudgetTests {
  private static func spent() -> QueryBudget {
    var budget = QueryBudget()
    while budget.takeComparison() {}
    return budget
  }

  @Test("A plan takes as much as its limit allows; another plan has the whole limit again")
  func plan() throws {
    var budget = QueryBudget()
    budget.beginPlan(limit: 5)
    #expect([3, 1, 1].map { budget.take($0) } == [true, true, true])
    #expect(budget.canContinue)
    #expect([1].map { budget.take($0) } == [false])
    #expect(budget.reached == .plan && !budget.canContinue)
    try budget.check()
    budget.beginPlan()
    #expect([1 << 40].map { budget.take($0) } == [true])
    #expect(budget.canContinue)
  }

  @Test("After a million comparisons a query is refused, whatever plan begins")
  func comparisons() {
    var budget = QueryBudget()
    let count = (0..<QueryBudget.maximumComparisonCount).count { _ in budget.takeComparison() }
    #expect(count == QueryBudget.maximumComparisonCount && budget.canContinue)
    let isOneMore = budget.takeComparison()
    #expect(!isOneMore && budget.reached == .comparisons)
    budget.beginPlan()
    #expect(throws: KithError.budgetExceeded) { try budget.check() }
    var timed = QueryBudget()
    timed.endTime()
    #expect(throws: KithError.budgetExceeded) { try timed.check() }
  }

  @Test("A cancelled task is noticed within 1,024 steps")
  func cancellation() async throws {
    let task = Task { () -> (steps: Int, budget: QueryBudget) in
      while !Task.isCancelled { await Task.yield() }
      var budget = QueryBudget()
      var steps = 1
      while budget.takeStep() { steps += 1 }
      return (steps, budget)
    }
    task.cancel()
    let (count, budget) = await task.value
    #expect(count == 1_024 && budget.reached == .cancellation)
    #expect(throws: KithError.cancelled) { try budget.check() }
    var other = QueryBudget()
    let steps = (0..<5_000).count { _ in other.takeStep() }
    #expect(steps == 5_000)
  }

  @Test("A search asks for the rank of as many matches as its plan may take", arguments: [1, 64, 4_096])
  func matches(memtableCapacity: Int) {
    var world = World(seed: 31, memtableCapacity: memtableCapacity, fanout: 4)
    world.fill(500)
    let search = NameSearch(query: NameQuery(text: "", match: .substring, fold: .loose), limit: 1_000)
    for limit in [0, 1, 37, world.plain.count, world.plain.count + 1] {
      var budget = QueryBudget()
      budget.beginPlan(limit: limit)
      var askedCount = 0
      let found = world.index.search(search, names: world.names, &budget) { _, _ in
        askedCount += 1
        return 0
      }
      #expect(askedCount == min(limit, world.plain.count) && found.count == askedCount)
      #expect(budget.canContinue == (limit >= world.plain.count))
    }
  }

  @Test("A fuzzy search ends when its comparisons are spent; the same query with a new budget does not")
  func fuzzy() {
    var world = World(seed: 32, memtableCapacity: 64, fanout: 4)
    world.fill(500)
    let query = NameQuery(NamePattern(loose: Array("ab".utf8), edits: 1))
    let search = NameSearch(query: query, limit: 1_000)
    var spent = Self.spent()
    let refused = world.index.search(search, names: world.names, &spent) { _, _ in 0 }
    let counted = world.index.count(query, names: world.names, &spent) { _ in true }
    #expect(refused.isEmpty && counted == 0)
    #expect(throws: KithError.budgetExceeded) { try spent.check() }
    var budget = QueryBudget()
    let found = world.index.search(search, names: world.names, &budget) { _, _ in 0 }
    #expect(!found.isEmpty && budget.canContinue)
  }
}
