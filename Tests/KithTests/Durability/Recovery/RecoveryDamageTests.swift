import Testing

@testable import Kith

/// Every flipped bit and every truncation of every file of a small store gives the exact state, a reported torn tail
/// above ACK, or a refusal.
@Suite struct RecoveryDamageTests {
  private typealias Fixture = JournalFixture
  private let path = JournalFixture.path()

  /// One bit and one length in this many is tried: all in an optimised build.
  private static let step = CrashEnvironment.number("KITH_DAMAGE_STEP") ?? (CrashEnvironment.isOptimized ? 1 : 7)

  /// All outcomes of one flipped bit and of each shorter length of a file, each with its place.
  private func damage(
    _ file: String, of fixture: Fixture, step: Int = step
  ) throws -> (flips: [(byte: Int, Fixture.Outcome)], cuts: [(byte: Int, Fixture.Outcome)]) {
    let sound = try #require(fixture.disk[file])
    let disk = MemoryDisk(copying: fixture.disk)
    let flips = try stride(from: 0, to: 8 * sound.count, by: step).map { bit in
      var bytes = sound
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      disk[file] = bytes
      return (bit / 8, try fixture.outcome(disk, "\(file): bit \(bit % 8) of byte \(bit / 8)"))
    }
    let cuts = try stride(from: 0, to: sound.count, by: step).map { count in
      disk[file] = Array(sound.prefix(count))
      return (count, try fixture.outcome(disk, "\(file): cut to \(count) bytes"))
    }
    return (flips, cuts)
  }

  /// The outcomes of damage at some bytes.
  private func outcomes(_ all: [(byte: Int, Fixture.Outcome)], _ bytes: Range<Int> = 0..<Int.max) -> Set<
    Fixture.Outcome
  > {
    Set(all.filter { bytes.contains($0.byte) }.map(\.1))
  }

  @Test("After a clean close every flipped bit and every truncation of the journal is refused")
  func cleanClose() throws {
    let fixture = try Fixture()
    try fixture.commitThree()
    try fixture.close()
    let (flips, cuts) = try damage(path, of: fixture)
    let end = 4096 + 3 * 512
    #expect(outcomes(flips, 0..<end) == [.refused])
    #expect(outcomes(cuts, 0..<end) == [.refused])
    #expect(outcomes(flips + cuts, end..<end + 512) == [.exact], "behind the last frame there is nothing to lose")
  }

  @Test("After a crash every flipped bit and every truncation of the journal is refused or a torn tail")
  func afterACrash() throws {
    let fixture = try Fixture(growthLimit: 512)
    try fixture.commitThree()
    // ACK is behind by the last frame.
    let lagging = try Fixture()
    try lagging.commit([.addUser(id: 1, username: "ann"), .addUser(id: 7, username: "bøb")])
    lagging.watermark.record(sequence: 3, generation: 1)
    fixture.disk[Fixture.directory + "/ACK"] = lagging.disk[Fixture.directory + "/ACK"]
    let (flips, cuts) = try damage(path, of: fixture)
    let tail = 4096 + 2 * 512
    #expect(outcomes(flips, 0..<tail) == [.refused])
    #expect(outcomes(flips, tail..<tail + 512) == [.torn(3)])
    #expect(outcomes(flips, tail + 512..<Int.max) == [.exact], "the reserved space is empty")
    #expect(outcomes(cuts, 0..<tail) == [.refused])
    #expect(outcomes(cuts, tail..<tail + 512) == [.torn(3)])
    #expect(outcomes(cuts, tail + 512..<Int.max) == [.exact])
  }

  @Test("Every flipped bit and every truncation of ACK is harmless or refused")
  func watermarkBytes() throws {
    let fixture = try Fixture()
    try fixture.commitThree()
    try fixture.close()
    let (flips, cuts) = try damage(Fixture.directory + "/ACK", of: fixture)
    #expect(outcomes(flips) == [.exact])
    #expect(outcomes(cuts, 0..<512) == [.refused])
    #expect(outcomes(cuts, 512..<1024) == [.exact])
  }

  @Test("One damaged snapshot loses nothing; damage to all of them after pruning is refused")
  func snapshots() throws {
    let fixture = try Fixture()
    try fixture.commitThree()
    try fixture.snapshot()
    try fixture.commit([.unmute(as: 1, target: 7)])
    try fixture.snapshot()
    try fixture.commit([.addUser(id: 8, username: "cy")])
    try fixture.close()
    let names = fixture.disk.paths.filter { $0.hasSuffix(".zst") }
    #expect(names.count == 2)
    for name in names {
      let (flips, cuts) = try damage(name, of: fixture, step: 7 * Self.step)
      #expect(outcomes(flips + cuts) == [.exact])
    }
    let damaged = MemoryDisk(copying: fixture.disk)
    damaged[names[1]] = []
    let report = try Fixture.recover(damaged).report
    #expect(report.snapshot == String(names[0].dropFirst(7)))
    #expect(report.skippedSnapshots.map(\.name) == [String(names[1].dropFirst(7))])
    #expect(report.changeCount == 2)
    // Without any snapshot the chain begins at change 1.
    damaged[names[0]] = nil
    #expect(try Fixture.recover(damaged).report.changeCount == 9)
    damaged[path] = nil
    #expect(try fixture.outcome(damaged, "") == .refused)
    for generation: UInt64 in 2...3 { damaged[Fixture.path(journal: generation)] = nil }
    #expect(try fixture.outcome(damaged, "") == .refused)
    damaged[names[1]] = nil
    #expect(try fixture.outcome(damaged, "ACK alone knows that there was something") == .refused)
    damaged[Fixture.directory + "/ACK"] = nil
    #expect(try Fixture.recover(damaged).state.sequence == 0, "nothing is left but LOCK")
  }

  @Test("A missing file is compensated by others or refused")
  func missingFile() throws {
    let fixture = try Fixture()
    try fixture.commitThree()
    try fixture.snapshot()
    try fixture.commit([.unmute(as: 1, target: 7)])
    try fixture.close()
    for file in fixture.disk.paths {
      let disk = MemoryDisk(copying: fixture.disk)
      disk[file] = nil
      #expect(try fixture.outcome(disk, file) == (file.hasSuffix("2") ? .refused : .exact), "\(file)")
    }
  }
}
