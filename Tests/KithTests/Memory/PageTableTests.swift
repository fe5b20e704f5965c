import Testing

@testable import Kith

/// Ownership of the pages of a table, and when they are freed.
@Suite struct PageTableTests {
  /// Weak references to pages.
  private struct Known {
    private final class Reference {
      weak var page: MemoryPage?
      init(_ page: MemoryPage) { self.page = page }
    }

    private var references: [Reference] = []

    mutating func append(to table: inout PageTable) {
      let page = MemoryPage.zeroed(byteCount: 64)
      references.append(Reference(page))
      table.append(page)
    }

    var livingCount: Int { references.count { $0.page != nil } }
  }

  private final class Holder {
    let table: PageTable
    init(_ table: consuming PageTable) { self.table = table }
  }

  @Test("Pages written since a pin are freed with it, and not before")
  func reclaiming() {
    var table = PageTable()
    var known = Known()
    for _ in 0..<1_000 { known.append(to: &table) }
    var pins = [Holder(table.pin()), Holder(table.pin())]
    for index in 0..<400 { unsafe table.mutableBase(index).storeBytes(of: UInt8(index & 0xFF), as: UInt8.self) }
    table.replace(400, with: MemoryPage.zeroed(byteCount: 128))
    #expect(known.livingCount == 1_000)
    pins.removeFirst()
    #expect(known.livingCount == 1_000, "another pin still reads them")
    #expect(unsafe pins[0].table.base(7).load(as: UInt8.self) == 0 && table.base(7).load(as: UInt8.self) == 7)
    pins.removeFirst()
    #expect(known.livingCount == 599)
  }

  @Test("Pages not written since a pin are written in place after its release")
  func writingInPlace() {
    var table = PageTable()
    var known = Known()
    for _ in 0..<300 { known.append(to: &table) }
    var pin: Holder? = Holder(table.pin())
    unsafe table.mutableBase(0).storeBytes(of: 1, as: UInt8.self)
    #expect(pin?.table.count == 300)
    pin = nil
    for index in 1..<300 { unsafe table.mutableBase(index).storeBytes(of: 1, as: UInt8.self) }
    #expect(known.livingCount == 299)
  }
}
