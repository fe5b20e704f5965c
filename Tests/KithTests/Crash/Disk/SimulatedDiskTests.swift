import Testing

@testable import Kith

/// Each fault of the simulated disk happens, and no synced byte is lost. The crash tests rely on both.
@Suite struct SimulatedDiskTests {
  /// What two sectors of a file hold after some actions, over many seeds.
  private func outcomes(
    _ prepare: (SimulatedDisk) throws -> Void, seeds: Range<UInt64> = 0..<200, end: SimulatedDisk.End = .powerCut
  ) rethrows -> Set<[UInt8]?> {
    var found: Set<[UInt8]?> = []
    for seed in seeds {
      let disk = SimulatedDisk(seed: seed)
      try prepare(disk)
      disk.restart(after: end)
      found.insert(try? disk.content("/d/f"))
    }
    return found
  }

  private func makeFile(_ disk: SimulatedDisk, _ bytes: [UInt8]) throws(KithError) -> SimulatedFile {
    try disk.makeDirectory("/d")
    try disk.syncDirectory("/")
    let file = try disk.create("/d/f")
    try disk.write(file, at: 0, bytes)
    try disk.sync(file)
    try disk.syncDirectory("/d")
    return file
  }

  private let old = [UInt8](repeating: 1, count: 1_024)
  private let new = [UInt8](repeating: 2, count: 1_024)

  @Test("Synced bytes survive every crash")
  func syncedBytesSurvive() throws {
    for end in SimulatedDisk.End.allCases {
      #expect(try outcomes({ _ = try makeFile($0, old) }, end: end) == [old])
    }
  }

  @Test("Each unsynced sector is written, lost or garbage on its own")
  func unsyncedSectors() throws {
    let found = try outcomes { disk in
      try disk.write(try makeFile(disk, old), at: 0, new)
    }
    let (one, two) = (Array(old.prefix(512)), Array(new.prefix(512)))
    for expected in [one + one, one + two, two + one, two + two] { #expect(found.contains(expected)) }
    #expect(found.contains { bytes in bytes?.contains { $0 > 2 } == true }, "garbage")
    #expect(!found.contains(nil))
  }

  @Test("A sector holds any of the versions written since the last sync")
  func sectorVersions() throws {
    let found = try outcomes { disk in
      let file = try makeFile(disk, Array(old.prefix(512)))
      try disk.write(file, at: 0, [2])
      try disk.write(file, at: 1, [3])
    }
    let starts = Set(found.map { $0.map { Array($0.prefix(2)) } })
    #expect(starts.isSuperset(of: [[1, 1], [2, 1], [2, 3]]))
    #expect(!starts.contains([1, 3]), "the second version contains the first")
  }

  @Test("Garbage destroys synced bytes of the same sector and no others")
  func garbage() throws {
    let found = try outcomes { disk in
      try disk.write(try makeFile(disk, Array(old.prefix(612))), at: 612, Array(new.prefix(100)))
    }
    #expect(found.allSatisfy { $0?.prefix(512) == old.prefix(512) })
    #expect(found.contains { $0?.dropFirst(512).prefix(100).contains { $0 > 2 } == true })
  }

  @Test("The length of a file can be behind or ahead of its bytes")
  func fileLength() throws {
    let found = try outcomes { disk in
      try disk.write(try makeFile(disk, Array(old.prefix(512))), at: 512, Array(new.prefix(512)))
    }
    #expect(found.contains(Array(old.prefix(512))))
    #expect(found.contains(Array(old.prefix(512)) + [UInt8](repeating: 0, count: 512)))
    #expect(found.contains(Array(old.prefix(512) + new.prefix(512))))
  }

  @Test("Damage to the medium does not store what a failed sync left in memory")
  func mediumAfterFailedSync() throws {
    for seed in 0..<100 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      let file = try makeFile(disk, old)
      try disk.write(file, at: 0, new)
      disk.plan(FaultPlan(faultAtCall: 1, fault: .inputOutputError))
      #expect(throws: KithError.self) { try disk.sync(file) }
      disk.restart(after: .kill)
      #expect(try disk.content("/d/f") == new, "memory shows what was written")
      let durable = disk.withVolume { $0.inodes[file.inode].durable }
      disk.withVolume { $0.damage(file.inode) { $0[1_023] ^= 8 } }
      #expect(try disk.content("/d/f") == Array(durable.dropLast()) + [durable[1_023] ^ 8])
    }
  }

  @Test("A truncation can be undone by a crash")
  func truncation() throws {
    let found = try outcomes { try $0.truncate(try makeFile($0, old), to: 3) }
    #expect(found.isSuperset(of: [old, [1, 1, 1]]))
  }

  @Test("A killed process loses nothing but its file positions")
  func killedProcess() throws {
    let found = try outcomes({ try $0.write(try makeFile($0, old), at: 0, new) }, end: .kill)
    #expect(found == [new])
  }

  @Test("Any combination of names survives until the directory is synced")
  func fileNames() throws {
    var found: Set<[String]> = []
    for seed in 0..<2_000 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      _ = try makeFile(disk, old)
      for name in ["a", "b", "c"] { try disk.sync(try disk.create("/d/" + name)) }
      try disk.rename("/d/c", to: "/d/e")
      try disk.remove("/d/f")
      disk.restart(after: .powerCut)
      found.insert(try disk.list("/d"))
    }
    for expected in [["f"], ["a", "f"], ["b", "f"], ["a", "b", "e"], ["c", "f"], []] {
      #expect(found.contains(expected), "\(expected)")
    }
    #expect(!found.contains { $0.contains("c") && $0.contains("e") }, "a rename is atomic")
    let disk = SimulatedDisk(seed: 0)
    _ = try makeFile(disk, old)
    try disk.remove("/d/f")
    try disk.syncDirectory("/d")
    disk.restart(after: .powerCut)
    #expect(try disk.list("/d") == [])
  }

  @Test("A directory whose own name was not synced is lost with its content")
  func directoryName() throws {
    var found: Set<Bool> = []
    for seed in 0..<50 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      try disk.makeDirectory("/d")
      try disk.sync(try disk.create("/d/f"))
      try disk.syncDirectory("/d")
      disk.restart(after: .powerCut)
      found.insert(try disk.status(of: "/d/f", followingLinks: false) != nil)
    }
    #expect(found == [true, false])
  }

  @Test("After a failed sync the cache differs from the medium, and no later sync repairs it")
  func failedSync() throws {
    var isOld = false
    for seed in 0..<100 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      let file = try makeFile(disk, old)
      try disk.write(file, at: 0, new)
      disk.plan(FaultPlan(faultAtCall: 1, fault: .inputOutputError))
      #expect(throws: KithError.system(errno: 5, call: "sync", path: "/d/f")) { try disk.sync(file) }
      try disk.sync(file)
      #expect(try disk.content("/d/f") == new)
      disk.dropCache(file)
      let held = try disk.content("/d/f")
      if held == old { isOld = true }
      disk.restart(after: .powerCut)
      #expect(try disk.content("/d/f") == held)
    }
    #expect(isOld)
  }

  @Test("Dropping the cache keeps dirty pages")
  func droppedCache() throws {
    let disk = SimulatedDisk(seed: 1)
    let file = try makeFile(disk, old)
    try disk.write(file, at: 512, Array(new.prefix(512)))
    disk.dropCache(file)
    let mixed = Array(old.prefix(512) + new.prefix(512))
    #expect(try disk.content("/d/f") == mixed)
    disk.restart(after: .killAndEviction)
    #expect(try disk.content("/d/f") == mixed)
  }

  @Test("A full disk writes what fits, and more when there is room")
  func noSpaceLeft() throws {
    let disk = SimulatedDisk(seed: 1)
    let file = try makeFile(disk, old)
    disk.plan(FaultPlan(capacity: 1_500))
    let refusal = KithError.system(errno: 28, call: "write", path: "/d/f")
    #expect(throws: refusal) { try disk.write(file, at: 1_000, new) }
    #expect(try disk.byteCount(of: file) == 1_500)
    try disk.write(file, at: 0, new)
    #expect(throws: refusal) { try disk.write(file, at: 1_500, [1]) }
    try disk.truncate(file, to: 0)
    try disk.write(file, at: 0, old)
  }

  @Test("Every call can meet a fault", arguments: FaultPlan.Fault.allCases)
  func everyCallMeetsFaults(_ fault: FaultPlan.Fault) throws(KithError) {
    for number in 1...12 {
      for seed in 0..<8 as Range<UInt64> {
        let disk = SimulatedDisk(seed: seed)
        disk.plan(FaultPlan(faultAtCall: number, fault: fault))
        var thrown: Int32?
        do throws(KithError) {
          try useEveryCall(disk)
        } catch .system(let errno, _, _) {
          thrown = errno
        }
        let canStrike = disk.counter.callCount == number && disk.counter.last.map { fault.canStrike($0.call) } == true
        #expect(thrown == (canStrike ? errno(of: fault) : nil), "call \(number)")
        #expect(disk.isDown == (fault == .crash))
      }
    }
  }

  private func errno(of fault: FaultPlan.Fault) -> Int32 {
    switch fault {
    case .crash: SimulatedDisk.isDown
    case .inputOutputError, .shortWrite: SimulatedDisk.inputOutputError
    case .noSpace: SimulatedDisk.noSpace
    }
  }

  private func useEveryCall(_ disk: SimulatedDisk) throws(KithError) {
    _ = try makeFile(disk, old)
    _ = try disk.status(of: "/d", followingLinks: true)
    let file = try disk.open("/d/f", writable: true)
    #expect(try disk.tryLock(file))
    try disk.truncate(file, to: 5)
    #expect(try disk.byteCount(of: file) == 5)
    try disk.rename("/d/f", to: "/d/g")
    #expect(try disk.content("/d/g") == [1, 1, 1, 1, 1])
    try disk.remove("/d/g")
    #expect(try disk.list("/d") == [])
  }

  @Test("A crash happens before, during or after its call; later calls fail")
  func crashOfACall() throws {
    var found: Set<Int64> = []
    for seed in 0..<100 as Range<UInt64> {
      let disk = SimulatedDisk(seed: seed)
      let file = try makeFile(disk, old)
      disk.plan(FaultPlan(crashAtChange: 1))
      _ = try disk.byteCount(of: file)
      let crash = KithError.system(errno: SimulatedDisk.isDown, call: "write", path: "/d/f")
      #expect(throws: crash) { try disk.write(file, at: 1_024, new) }
      #expect(throws: crash) { try disk.write(file, at: 0, new) }
      #expect(throws: KithError.self) { try disk.list("/d") }
      disk.restart(after: .kill)
      found.insert(try disk.byteCount(of: try disk.open("/d/f", writable: false)))
    }
    #expect(found.isSuperset(of: [1_024, 2_048]) && found.count > 4)
  }

  @Test("A lock has one holder until the file is closed or the process ends")
  func lockHolder() throws {
    let disk = SimulatedDisk(seed: 1)
    _ = try makeFile(disk, old)
    var first: SimulatedFile? = try disk.open("/d/f", writable: true)
    let second = try disk.open("/d/f", writable: true)
    #expect(try first.map { try disk.tryLock($0) } == true)
    #expect(try !disk.tryLock(second))
    first = nil
    #expect(try disk.tryLock(second))
    disk.restart(after: .kill)
    #expect(try disk.tryLock(try disk.open("/d/f", writable: true)))
  }

  @Test("The same seed gives the same run")
  func sameSeed() throws {
    func run(_ seed: UInt64) throws -> [UInt8] {
      let disk = SimulatedDisk(seed: seed)
      let file = try makeFile(disk, old)
      try disk.write(file, at: 0, new)
      disk.restart(after: .powerCut)
      return try disk.content("/d/f")
    }
    for seed in 0..<20 as Range<UInt64> { #expect(try run(seed) == run(seed)) }
  }
}

extension SimulatedDisk {
  func write(_ file: SimulatedFile, at offset: Int64, _ bytes: [UInt8]) throws(KithError) {
    try write(file, at: offset, bytes.span)
  }

  /// All bytes of a file, as a process sees them.
  func content(_ path: String) throws(KithError) -> [UInt8] {
    let file = try open(path, writable: false)
    var bytes = [UInt8](repeating: 0, count: Int(try byteCount(of: file)))
    var span = bytes.mutableSpan
    guard try read(file, at: 0, into: &span) == bytes.count else {
      throw .system(errno: Self.inputOutputError, call: "read", path: path)
    }
    return bytes
  }
}
