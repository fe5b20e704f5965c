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

  /// A table and the bytes that its pages begin with.
  private final class Version {
    var table: PageTable
    var bytes: [UInt8]

    init(_ table: consuming PageTable = PageTable(), _ bytes: [UInt8] = []) {
      self.table = table
      self.bytes = bytes
    }

    var isAsWritten: Bool {
      table.count == bytes.count && bytes.indices.allSatisfy { unsafe table.base($0).load(as: UInt8.self) == bytes[$0] }
    }
  }

  private static func page(_ byte: UInt8) -> MemoryPage {
    let page = MemoryPage.zeroed(byteCount: 64)
    unsafe page.base.storeBytes(of: byte, as: UInt8.self)
    return page
  }

  @Test("Versions that are all written equal arrays of their own", arguments: UInt64(1)...20)
  func versions(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var versions = [Version()]
    let common = Self.page(0)
    for step in 0..<2_000 {
      let version = versions[random.below(versions.count)]
      let byte = UInt8(random.below(256))
      switch random.below(20) {
      case 0:
        let count = random.below(100)
        version.table.append(common, times: count)
        version.bytes += [UInt8](repeating: 0, count: count)
      case 1:
        if versions.count > 3 { versions.remove(at: random.below(versions.count)) }
        versions.append(Version(version.table.pin(), version.bytes))
      case 2, 3, 4:
        version.table.append(Self.page(byte))
        version.bytes.append(byte)
      default:
        if version.bytes.isEmpty { continue }
        let index = random.below(version.bytes.count)
        if random.below(8) == 0 {
          version.table.replace(index, with: Self.page(byte))
        } else {
          unsafe version.table.mutableBase(index).storeBytes(of: byte, as: UInt8.self)
        }
        version.bytes[index] = byte
      }
      if step % 50 == 0 { #expect(versions.allSatisfy { $0.isAsWritten }, "seed \(seed), step \(step)") }
    }
    #expect(versions.allSatisfy { $0.isAsWritten }, "seed \(seed)")
  }
}
