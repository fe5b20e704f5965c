import Testing

@testable import Kith

@Suite struct ListDifferenceTests {
  private struct Item: Identifiable, Equatable {
    let id: Int
    var content = 0
  }

  private func applied(_ difference: ListDifference<Int>, to old: [Int]) -> [Int] {
    let gone = Set(difference.removals.map(\.index) + difference.moves.map(\.from))
    var list = old.indices.filter { !gone.contains($0) }.map { old[$0] }
    let come = difference.insertions.map { ($0.index, $0.id) } + difference.moves.map { ($0.to, $0.id) }
    for (index, id) in come.sorted(by: { $0.0 < $1.0 }) { list.insert(id, at: index) }
    return list
  }

  @Test("Removals and insertions of a difference turn the old list into the new one")
  func random() {
    var random = SeededRandom(seed: 1)
    for round in 0..<3_000 {
      let old = Array((0..<12).shuffled(using: &random).prefix(random.below(12)))
      var new = Array((0..<12).shuffled(using: &random).prefix(random.below(12)))
      if round % 3 == 0 { new = old.filter { _ in random.below(4) > 0 } + new.filter { !old.contains($0) } }
      let changed = Set(old.filter { _ in random.below(3) == 0 })
      let difference = ListDifference(
        from: old.map { Item(id: $0) }, to: new.map { Item(id: $0, content: changed.contains($0) ? 1 : 0) })
      #expect(applied(difference, to: old) == new)
      #expect(difference.updates == new.filter { changed.contains($0) && old.contains($0) })
      #expect(difference.removals.map(\.id) == old.filter { !new.contains($0) })
      if round % 3 == 0 { #expect(difference.moves.isEmpty) }
    }
  }

  @Test("An item that moves to the front is one move")
  func front() {
    let difference = ListDifference(from: (0..<5).map { Item(id: $0) }, to: [4, 0, 1, 2, 3].map { Item(id: $0) })
    #expect(difference.moves == [.init(id: 4, from: 4, to: 0)])
    #expect(difference.insertions.isEmpty && difference.removals.isEmpty && !difference.isEmpty)
  }
}
