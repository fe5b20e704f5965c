import Testing

@testable import Kith

/// Ownership of the pages of a table, and when they are freed.
@Suite struct PageTableTests {
  /// Pages, each with one more reference.
  @safe private final class Known {
    private var pages: [UnsafeMutableRawPointer] = unsafe []

    deinit { for index in unsafe pages.indices { unsafe MemoryPage.release(pages[index]) } }

    func append(to table: inout PageTable) {
      let page = MemoryPage.zeroed(byteCount: 64)
      unsafe MemoryPage.retain(page.base)
      unsafe pages.append(page.base)
      table.append(page)
    }

    /// How many pages have an owner.
    var ownedCount: Int { unsafe pages.count { unsafe !MemoryPage.isUnique($0) } }
  }

  private final class Holder {
    let table: PageTable
    init(_ table: consuming PageTable) { self.table = table }
  }

  @Test("Pages written since a pin are freed with it, and not before")
  func reclaiming() {
    var table = PageTable()
    let known = Known()
    for _ in 0..<1_000 { known.append(to: &table) }
    var pins = [Holder(table.pin()), Holder(table.pin())]
    for index in 0..<400 { unsafe table.mutableBase(index).storeBytes(of: UInt8(index & 0xFF), as: UInt8.self) }
    table.replace(400, with: MemoryPage.zeroed(byteCount: 128))
    #expect(known.ownedCount == 1_000)
    pins.removeFirst()
    #expect(known.ownedCount == 1_000, "another pin still reads them")
    #expect(unsafe pins[0].table.base(7).load(as: UInt8.self) == 0 && table.base(7).load(as: UInt8.self) == 7)
    pins.removeFirst()
    #expect(known.ownedCount == 599)
  }

  @Test("Pages not written since a pin are written in place after its release")
  func writingInPlace() {
    var table = PageTable()
    for _ in 0..<300 { table.append(MemoryPage.zeroed(byteCount: 64)) }
    let places = (0..<300).map { unsafe UInt(bitPattern: table.base($0)) }
    var pin: Holder? = Holder(table.pin())
    unsafe table.mutableBase(0).storeBytes(of: 1, as: UInt8.self)
    #expect(pin?.table.count == 300)
    pin = nil
    for index in 1..<300 { unsafe table.mutableBase(index).storeBytes(of: 1, as: UInt8.self) }
    let moved = (0..<300).filter { unsafe UInt(bitPattern: table.base($0)) != places[$0] }
    #expect(moved == [0])
  }

  @Test("A page in many places is freed after the last of them was written and its pins are gone")
  func commonPage() {
    var table = PageTable()
    let page = unsafe MemoryPage.zeroed(byteCount: 64).take()
    defer { unsafe MemoryPage.release(page) }
    do {
      unsafe MemoryPage.retain(page)
      let owner = unsafe MemoryPage(owning: page)
      table.append(owner, times: 300)
    }
    var pin: Holder? = Holder(table.pin())
    for index in 0..<300 { unsafe table.mutableBase(index).storeBytes(of: 1, as: UInt8.self) }
    #expect(unsafe page.load(as: UInt8.self) == 0 && pin?.table.byteCount != table.byteCount)
    #expect(unsafe !MemoryPage.isUnique(page), "the pin has it")
    pin = nil
    let isOwned = unsafe !MemoryPage.isUnique(page)
    #expect(isOwned, "the common chunk keeps it for later")
    table = PageTable()
    #expect(unsafe MemoryPage.isUnique(page))
  }
}
