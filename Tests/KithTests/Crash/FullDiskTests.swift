import Foundation
import Testing

@testable import Kith

/// A really full disk: a small file system in memory, filled up to a level before the store works on it.
///
/// It mounts, so it runs only on request: `KITH_FULL_DISK=1 unshare -m swift test --filter FullDiskTests` as root, or
/// with `unshare -rm` as a user who may create namespaces. Where mounting is refused, it says so.
@Suite(.serialized, .enabled(if: SmallDisk.isAskedFor, "KITH_FULL_DISK=1 asks for it")) struct FullDiskTests {
  /// Free space in pages of 4 KiB when the store begins. A journal reserves 64 KiB at first, then doubles.
  private static let levels = [0, 1, 2, 3, 4, 5, 7, 10, 15, 16, 17, 18, 19, 24, 34, 48, 64, 96, 160, 256]

  @Test("A full disk loses nothing, is reported, and heals once there is room")
  func fullDisk() throws {
    guard let disk = try SmallDisk() else {
      print("Full disk: NOT RUN, this user may not mount a tmpfs here")
      return
    }
    var changeCount = 0
    for (index, pages) in Self.levels.enumerated() {
      let story = try FullDiskStory(disk, name: "store\(index)")
      try disk.fill(leaving: pages)
      try story.workUntilFull()
      try story.lookWhileFull(reopening: index % 2 == 1)
      try disk.makeRoom()
      try story.goOn()
      changeCount += story.digests.count - 1
      try FileManager.default.removeItem(atPath: story.path)
    }
    print("Full disk: ran, \(Self.levels.count) fill levels of a real tmpfs, \(changeCount) changes, nothing lost")
  }
}

/// A tmpfs of a few megabytes, mounted for the lifetime of the value.
private final class SmallDisk {
  static let isAskedFor = ProcessInfo.processInfo.environment["KITH_FULL_DISK"] == "1"
  static let pageByteCount = 4_096
  static let byteCount = 4 << 20

  let directory: TemporaryDirectory

  /// Nil where mounting is refused.
  init?() throws {
    directory = try TemporaryDirectory()
    let options = ["-t", "tmpfs", "-o", "size=\(Self.byteCount)", "tmpfs", directory.path]
    if try Self.run("mount", options) != 0 { return nil }
  }

  deinit { _ = try? Self.run("umount", [directory.path]) }

  private static func run(_ command: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Fills the disk but for this many pages, and checks that no more is left.
  func fill(leaving pages: Int) throws {
    let ballast = try SystemDisk().create(directory.file("ballast"))
    let page = [UInt8](repeating: 1, count: Self.pageByteCount)
    var count = 0
    do throws(KithError) {
      while true {
        try SystemDisk().write(ballast, at: Int64(count * page.count), page.span)
        count += 1
      }
    } catch {
      guard case .system(FullDiskStory.noSpace, _, _) = error else { throw error }
    }
    try SystemDisk().truncate(ballast, to: Int64(max(0, count - pages) * page.count))
  }

  func makeRoom() throws { try SystemDisk().remove(directory.file("ballast")) }
}

/// One store on the small disk, and its expected state.
private final class FullDiskStory {
  static let noSpace: Int32 = 28

  let path: String
  /// The digest of the graph after each change.
  private(set) var digests: [UInt64] = [GraphDigest.of(GraphState())]
  private var graph: SocialGraph
  private var acknowledged: UInt64 = 0
  private var random = SeededRandom(seed: 1)

  /// A store with some users and posts, a snapshot of them, and a journal after it.
  init(_ disk: SmallDisk, name: String) throws {
    path = disk.directory.file(name)
    graph = try SocialGraph.open(path)
    for id: Int64 in 1...20 { try make(.addUser(id: UserID(id), username: "user \(id)")) }
    try graph.snapshot()
    try make(.follow(as: 1, target: 2, at: 5))
  }

  /// Makes changes, and at first some snapshots, until one is refused.
  func workUntilFull() throws {
    let first = try #require(throws: KithError.self) {
      for step in 1...2_000 {
        try make(.addPost(id: nil, by: 1, text: String(repeating: "x", count: random.below(3_000)), createdAt: 1))
        // No snapshots later: they prune, and so free space.
        if step % 40 == 0 && step <= 120 { try graph.snapshot() }
      }
    }
    switch first {
    case .indeterminate(let sequence, let cause):
      #expect(sequence == acknowledged + 1)
      expectNoSpace(cause)
    default: expectNoSpace(first)
    }
  }

  /// Readers see the last state, and writers get the reason for the refusal.
  func lookWhileFull(reopening: Bool) throws {
    expectSound(graph, "in memory")
    // A snapshot that did not fit leaves the journal unchanged; then changes continue until the journal is full as
    // well.
    let refusal = try #require(throws: KithError.self) {
      for _ in 0..<2_000 { try make(.addPost(id: nil, by: 1, text: "y", createdAt: 1)) }
    }
    if case .indeterminate = refusal {
      expectNoSpace(#expect(throws: KithError.self) { try graph.apply(.mute(as: 1, target: 3)) })
    } else {
      expectNoSpace(refusal)
    }
    let reader = try SocialGraph.open(path, access: .readOnly)
    expectSound(reader, "a reader")
    #expect(try Verification(of: path, .deep).problems == [])
    guard reopening else { return }
    try? graph.close()
    do throws(KithError) {
      graph = try SocialGraph.open(path)
      expectSound(graph, "reopened on a full disk")
      forgetWhatIsGone()
    } catch {
      expectNoSpace(error)
    }
  }

  /// With space again, a snapshot or a reopening heals the store.
  func goOn() throws {
    if (try? graph.snapshot()) == nil {
      // It was closed, and the full disk kept it from being opened.
      graph = try SocialGraph.open(path)
      forgetWhatIsGone()
    }
    expectSound(graph, "with room again")
    try make(.addUser(id: nil, username: "after"))
    try graph.close()
    graph = try SocialGraph.open(path)
    expectSound(graph, "at the end")
    #expect(sequence(graph) == acknowledged)
    try graph.close()
    #expect(try Verification(of: path, .deep).problems == [])
  }

  private func make(_ change: Change) throws(KithError) {
    do throws(KithError) {
      let applied = try graph.apply(change)
      record()
      acknowledged = applied.sequence
    } catch {
      // It is in memory, and may be found again.
      record()
      throw error
    }
  }

  private func record() {
    if sequence(graph) == UInt64(digests.count) { digests.append(GraphDigest.of(graph.pin().view.state)) }
  }

  /// An indeterminate change that is missing was never made.
  private func forgetWhatIsGone() { digests.removeLast(digests.count - 1 - Int(sequence(graph))) }

  private func sequence(_ graph: SocialGraph) -> UInt64 { graph.read { $0.sequence } }

  private func expectSound(_ graph: SocialGraph, _ who: String, _ location: SourceLocation = #_sourceLocation) {
    let sequence = sequence(graph)
    #expect(sequence >= acknowledged, "\(who)", sourceLocation: location)
    #expect(sequence < UInt64(digests.count), "\(who)", sourceLocation: location)
    guard sequence < UInt64(digests.count) else { return }
    #expect(GraphDigest.of(graph.pin().view.state) == digests[Int(sequence)], "\(who)", sourceLocation: location)
  }

  private func expectNoSpace(_ error: KithError?, _ location: SourceLocation = #_sourceLocation) {
    guard case .system(Self.noSpace, _, _)? = error else {
      Issue.record("not an error of a full disk: \(error?.description ?? "none")", sourceLocation: location)
      return
    }
    #expect(error?.description.contains("no space left on the device") == true, sourceLocation: location)
  }
}
