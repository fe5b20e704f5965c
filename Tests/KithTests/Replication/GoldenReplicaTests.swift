import Foundation
import Testing

@testable import Kith

/// The snapshot of a replica that the first release of format 1.1 wrote, and a log with the digest that it leads to.
///
/// Written by `KITH_WRITE_GOLDEN_REPLICA=Snapshots swift test --filter GoldenReplicaTests`, and never again.
@Suite struct GoldenReplicaTests {
  private static let directory = Repository.root.appendingPathComponent("Snapshots")
  private static let snapshot = directory.appendingPathComponent("golden-1.1.kith.zst")
  private static let records = directory.appendingPathComponent("golden-1.records")

  private static let place = LogPlace(
    log: StoreID(high: 0x4B69_7468_206C_6F67, low: 0x2031_2E31_0000_0000), position: 4_096, chain: Array(1...32),
    outcomeChain: 0x0123_4567_89AB_CDEF, rules: 1)

  @Test(
    "The golden files can be written",
    .enabled(if: ProcessInfo.processInfo.environment["KITH_WRITE_GOLDEN_REPLICA"] != nil, "only when asked for"))
  func write() throws {
    let sample = try SampleGraph.golden()
    let header = SnapshotHeader(
      storeID: Self.place.log, sequence: sample.model.sequence, generation: 1, writtenAt: 1_750_000_000_000,
      unicodeVersion: "17.0.0", log: Self.place, hasSchema: false)
    _ = try SnapshotFile.write(
      header, sample.graph.pin().view.state, to: Self.directory.path, name: Self.snapshot.lastPathComponent,
      disk: SystemDisk())
    try Data(Self.generated()).write(to: Self.records)
  }

  /// Records of random requests: each its time, its length and its payload.
  private static func generated() throws -> [UInt8] {
    var draw = Draw(seed: 24, userCount: 30)
    var model = ReferenceModel()
    var writer = ByteWriter()
    for step in 0..<80 {
      var payload = [LoggedRequests.format]
      for _ in 0..<1 + draw.below(12) {
        let changes = (0..<(draw.seldom(6) ? 1 + draw.below(4) : 1)).map { _ in draw.change(for: model) }
          .filter { (try? SocialGraph.checkShape($0)) != nil }
        if changes.isEmpty { continue }
        // The model only guides what is drawn: requests without an effect belong to a log, too.
        for change in changes { _ = model.outcome(of: change) }
        payload += LoggedRequests.entry(changes, isGroup: changes.count > 1)
      }
      writer.append(UInt64(1_700_000_000_000 + step * 777))
      writer.append(UInt32(payload.count))
      writer.append(payload)
    }
    return writer.bytes
  }

  @Test("The golden snapshot of a replica has its place in the log, and is the golden graph")
  func restoring() throws {
    let report = try #require(try StoreTools.inspect(Self.snapshot.path).first)
    #expect(report.formatVersion == "1.1")
    let name = Self.snapshot.lastPathComponent
    let verified = try ReplicaSnapshot.verify(name, in: Self.directory.path)
    #expect(verified.place == Self.place)
    let digest = String(verified.digest, radix: 16)
    #expect(digest == "1da1019c15e24a4b")
    let restored = try SocialGraph.replica(
      fromSnapshot: name, in: Self.directory.path, options: SocialGraph.Options())
    #expect(restored.place == Self.place)
    #expect(try restored.graph.stateDigest() == SampleGraph.golden().graph.stateDigest())
    #expect(throws: KithError.self) {
      try ReplicaSnapshot.verify("golden-1.0.kith.zst", in: Self.directory.path)
    }
  }

  @Test("A header with a place comes back, and no bit of it can flip unnoticed")
  func headers() throws {
    let bytes = Array(try Data(contentsOf: Self.snapshot).prefix(SnapshotFormat.headerByteCount))
    let header = try SnapshotHeader(decoding: bytes, file: "golden")
    #expect(header.log == Self.place && header.encoded() == bytes)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        #expect(throws: KithError.self) { try SnapshotHeader(decoding: damaged, file: "golden") }
      }
    }
  }

  @Test("The golden log leads to the same outcomes and the same state in every release and every process")
  func log() throws {
    var reader = ByteReader([UInt8](try Data(contentsOf: Self.records)), file: "golden log")
    let graph = SocialGraph.emptyReplica(options: SocialGraph.Options())
    var (position, chain, refusedCount): (UInt64, UInt64, Int) = (0, 0, 0)
    var tokens = LoggedTokens()
    while reader.remaining > 0 {
      let at = Timestamp(try reader.readInt64())
      let payload = try reader.readBytes(Int(try reader.readUInt32()))
      position += 1
      let outcomes = try graph.applyLogged(
        try LoggedRequests(decoding: payload, named: "record \(position)"), position: position, at: at, chain: &chain,
        tokens: &tokens, collecting: true)
      for case .failure in outcomes { refusedCount += 1 }
    }
    #expect(position == 80 && refusedCount > 40 && graph.read { $0.sequence } > 150)
    let digests = [chain, try graph.stateDigest()].map { String($0, radix: 16) }
    #expect(digests == ["5885f19bc0990d60", "d5042da8987be2ad"])
  }
}
