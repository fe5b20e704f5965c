import Testing

@testable import Kith

@Suite struct ColumnCodingTests {
  private static let blockElementCount = ColumnCoding.blockElementCount
  private static let counts = [0, 1, 2, 1000, blockElementCount, blockElementCount + 1, 2 * blockElementCount + 77]

  @Test("Columns of 32-bit integers survive encoding", arguments: counts)
  func integers32(count: Int) throws {
    for bits: UInt32 in count > 1000 ? [24] : [0, 1, 8, 9, 16, 24, 31, 32] {
      var random = SeededRandom(seed: UInt64(bits) + 1)
      let mask = bits == 32 ? UInt32.max : (1 << bits) - 1
      let values = (0..<count).map { _ in UInt32(truncatingIfNeeded: random.next()) & mask }
      for column in [ColumnCoding.planes(values), ColumnCoding.deltaPlanes(values)] {
        #expect(try made(column).decodedUInt32(count: count) == values)
      }
    }
  }

  @Test("Columns of 64-bit integers survive encoding", arguments: counts)
  func integers64(count: Int) throws {
    var random = SeededRandom(seed: 9)
    let edges: [Int64] = [.min, .max, 0, -1, 1, .max - 1, .min + 1]
    let any = (0..<count).map { _ in Int64(bitPattern: random.next()) }
    let edgy = (0..<count).map { _ in edges[random.below(edges.count)] }
    var id: Int64 = 0
    let ascending = (0..<count).map { _ in
      id += Int64(random.below(300))
      return id
    }
    for values in count > 1000 ? [ascending] : [any, edgy, ascending, ascending.reversed()] {
      for column in [ColumnCoding.planes(values), ColumnCoding.deltaPlanes(values)] {
        #expect(try made(column).decodedInt64(count: count) == values)
      }
    }
  }

  @Test("Ascending ids take about a byte each before zstd")
  func ascendingIDs() {
    let ids = (0..<1000).map { Int64($0 * 100 + 1_000_000_000_000) }
    #expect(ColumnCoding.deltaPlanes(ids).content.count == 1000 + 16)
  }

  @Test("Lists survive encoding, also across block boundaries", arguments: [1, 2, 3, 4])
  func lists(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let limit: UInt32 = seed == 4 ? .max : 1_000_000
    var degrees: [UInt32] = []
    var targets: [UInt32] = []
    while targets.count < 2 * Self.blockElementCount {
      var list: Set<UInt32> = []
      let degree = random.below(10) == 0 ? random.below(60_000) : random.below(5)
      while list.count < degree { list.insert(UInt32(random.next() % UInt64(limit))) }
      degrees.append(UInt32(degree))
      targets += list.sorted()
    }
    degrees += [0, 0]
    let lists = made(ColumnCoding.lists(degrees: degrees, targets: targets))
    #expect(try lists.decodedLists(degrees: degrees, below: limit) == targets)
    let greatest = try #require(targets.max())
    #expect(throws: KithError.self) { try lists.decodedLists(degrees: degrees, below: greatest) }
    for wrong in [degrees + [1], Array(degrees.dropFirst(100))] {
      #expect(throws: KithError.self) { try lists.decodedLists(degrees: wrong, below: limit) }
    }
  }

  @Test("One list of everything and zero lists survive encoding")
  func extremeLists() throws {
    let all = Array(0..<UInt32(Self.blockElementCount + 5))
    let degrees = [UInt32(all.count)]
    let one = made(ColumnCoding.lists(degrees: degrees, targets: all))
    #expect(try one.decodedLists(degrees: degrees, below: UInt32(all.count)) == all)
    let nothing: [UInt32] = []
    let none = made(ColumnCoding.lists(degrees: nothing, targets: nothing))
    let zeros: [UInt32] = [0, 0, 0]
    #expect(try none.decodedLists(degrees: zeros, below: 0) == [])
  }

  @Test("A list that does not ascend across a block boundary is refused")
  func listOutOfOrder() throws {
    let all = Array(0..<UInt32(Self.blockElementCount + 1))
    let degrees = [UInt32(all.count - 1), 1]
    let asOne = [UInt32(all.count)]
    // As two lists, the second can begin again at 0; as one list it cannot.
    var targets = all
    targets[all.count - 1] = 0
    let lists = made(ColumnCoding.lists(degrees: degrees, targets: targets))
    #expect(try lists.decodedLists(degrees: degrees, below: .max) == targets)
    #expect(throws: KithError.self) { try lists.decodedLists(degrees: asOne, below: .max) }
  }

  @Test("Content of another length is refused")
  func wrongLength() throws {
    let values: [UInt32] = [1, 2, 300]
    for column in [ColumnCoding.planes(values), ColumnCoding.deltaPlanes(values)] {
      for count in 0..<column.content.count {
        expectRefused(made(column, content: Array(column.content.prefix(count))))
      }
      expectRefused(made(column, content: column.content + [0]))
      for count in [UInt64(0), 2, 4, 1 << 17, 1 << 32, 1 << 61, 1 << 62, 1 << 63, .max] {
        expectRefused(made(column, elementCount: count))
      }
      #expect(throws: KithError.self) { try made(column).decodedUInt32(count: 4) }
    }
  }

  @Test("Random content never traps")
  func randomContent() {
    var random = SeededRandom(seed: 5)
    for encoding: UInt16 in 0...7 {
      for _ in 0..<2000 {
        let content = (0..<random.below(100)).map { _ in UInt8(truncatingIfNeeded: random.below(20) * random.below(20))
        }
        let count = random.below(4) == 0 ? random.next() : UInt64(random.below(120))
        let section = Section(
          id: SectionID("TEST"), encoding: ColumnEncoding(rawValue: encoding), elementCount: count, content: content)
        let degrees = (0..<random.below(5)).map { _ in UInt32(random.below(60)) }
        if let numbers = try? section.decodedUInt32() { #expect(numbers.count == Int(count)) }
        if let numbers = try? section.decodedInt64() { #expect(numbers.count == Int(count)) }
        if let bytes = try? section.decodedBytes() { #expect(bytes.count == Int(count)) }
        if let lists = try? section.decodedLists(degrees: degrees, below: 1 << 20) {
          #expect(lists.count == degrees.reduce(0) { $0 + Int($1) })
          #expect(lists.allSatisfy { $0 < 1 << 20 })
        }
      }
    }
  }

  @Test("Numbers too wide for their type are refused")
  func wideNumbers() throws {
    let wide: [Int64] = [1 << 32]
    #expect(throws: KithError.self) { try made(ColumnCoding.planes(wide)).decodedUInt32() }
    #expect(throws: KithError.self) { try made(ColumnCoding.deltaPlanes(wide)).decodedUInt32() }
  }

  @Test(arguments: [1, 2, 6, .max] as [UInt16])
  func `an encoding that is reserved or unknown is refused by its number`(number: UInt16) {
    let section = Section(
      id: SectionID("TEST"), encoding: ColumnEncoding(rawValue: number), elementCount: 1,
      content: [UInt8](repeating: 0, count: number == 2 ? 8 : 4))
    let refusal = KithError.corrupt(
      file: "", offset: 0, reason: "section TEST: encoding \(number) is no encoding for it")
    #expect(throws: refusal) { try section.decodedUInt32() }
    #expect(throws: refusal) { try section.decodedInt64() }
    #expect(throws: refusal) { try section.decodedBytes() }
    #expect(throws: refusal) { try section.listDecoder() }
  }

  @Test("An error names the file and the offset of the section")
  func errorPlace() {
    var section = made(ColumnCoding.bytes([1, 2, 3]))
    section.place = FilePlace(file: "snap", offset: 4096)
    #expect(throws: KithError.corrupt(file: "snap", offset: 4096, reason: "section TEST: it has 3 elements, not 4")) {
      try section.decodedBytes(count: 4)
    }
  }

  private func made(
    _ column: EncodedColumn, elementCount: UInt64? = nil, content: [UInt8]? = nil
  ) -> Section {
    Section(
      id: SectionID("TEST"), encoding: column.encoding, elementCount: elementCount ?? column.elementCount,
      content: content ?? column.content)
  }

  private func expectRefused(_ section: Section, sourceLocation: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: KithError.self, sourceLocation: sourceLocation) { try section.decodedUInt32() }
    #expect(error?.code == "corrupt", sourceLocation: sourceLocation)
  }
}
