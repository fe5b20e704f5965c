import Testing

@testable import Kith

/// The searches of numbers that compare many at once, against one comparison after the other.
@Suite struct SpanSearchTests {
  @Test("The lower bound of a number is found in every range of ascending numbers", arguments: 1...12)
  func lowerBounds(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    // Short gaps and long ones; and other numbers behind the range, also smaller ones.
    let gap = [1, 3, 40, 300][seed % 4]
    for length in 0..<70 {
      var (numbers, number) = ([UInt16](), 0)
      for _ in 0..<length {
        number += 1 + random.below(gap)
        numbers.append(UInt16(min(number, 65_535)))
      }
      let others = (0..<random.below(40)).map { _ in UInt16(random.below(max(1, number))) }
      for _ in 0..<30 {
        let start = random.below(length + 1)
        let end = start + random.below(length - start + 1)
        let wanted = UInt16(random.below(min(number + 4, 65_536)))
        let expected = numbers[start..<end].firstIndex { $0 >= wanted } ?? end
        let found = (numbers + others).span.lowerBound(of: wanted, from: start, to: end)
        if found != expected { Issue.record("\(found): \(wanted) in \(start)..<\(end) of \(numbers)") }
      }
    }
    var long = (0..<60_000).map { UInt16($0) }
    for _ in 0..<2_000 {
      let (start, wanted) = (random.below(60_000), random.below(65_536))
      let found = long.span.lowerBound(of: UInt16(wanted), from: start, to: 60_000)
      if found != min(max(start, wanted), 60_000) { Issue.record("\(found): \(wanted) from \(start)") }
    }
    long = [65_535]
    #expect(long.span.lowerBound(of: 65_535, from: 0, to: 1) == 0)
  }

  @Test("The first word that is not zero is found from every index", arguments: 0...40)
  func nonzero(count: Int) {
    for place in 0...count {
      var words = [UInt64](repeating: 0, count: count)
      if place < count { words[place] = 1 << UInt64(place) }
      for start in 0...count {
        #expect(words.span.firstNonzero(from: start) == (place >= start ? place : count))
      }
    }
  }
}
