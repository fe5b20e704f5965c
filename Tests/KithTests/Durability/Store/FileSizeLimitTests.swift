import Foundation
import Testing

@testable import Kith

/// A process with a file size limit (`ulimit -f`) gets errors, and is not ended by a signal.
///
/// Each test runs in a process of its own, because the limit belongs to the process.
@Suite struct FileSizeLimitTests {
  @Test("A journal at the limit refuses changes with EFBIG, and heals when the limit is raised")
  func journalAtTheLimit() async {
    await #expect(processExitsWith: .success) { try LimitStory.journal() }
  }

  @Test("A limit below the present size of a file is respected")
  func limitBelowSize() async {
    await #expect(processExitsWith: .success) { try LimitStory.room() }
  }

  @Test("A snapshot beyond the limit is refused, in a store and through a descriptor")
  func snapshotBeyondTheLimit() async {
    await #expect(processExitsWith: .success) { try LimitStory.snapshot() }
  }
}

/// MARK: - Processes
private enum LimitStory {
  static func journal() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("store")
    let graph = try SocialGraph.open(path)
    let ann = try graph.addUser("ann")
    let journal = path + "/" + StoreNames.journal(generation: 1)
    FileSizeLimit.set(100_000)
    let text = String(repeating: "x", count: 5_000)
    let error = #expect(throws: KithError.self) { for _ in 0..<100 { try graph.addPost(text, by: ann) } }
    let acknowledged = graph.read { $0.counts.posts } - 1
    let cause = KithError.system(errno: EFBIG, call: "pwrite", path: journal)
    #expect(error == .indeterminate(sequence: UInt64(acknowledged + 2), cause: cause))
    #expect(error?.description.contains("ulimit -f") == true)
    #expect(acknowledged > 5)
    FileSizeLimit.set(nil)
    try graph.snapshot()
    try graph.addPost("after", by: ann)
    try graph.close()
    #expect(try SocialGraph.open(path).read { $0.counts.posts } == acknowledged + 2)
  }

  static func room() throws {
    let directory = try TemporaryDirectory()
    let graph = try SocialGraph.open(directory.file("store"))
    let ann = try graph.addUser("ann")
    FileSizeLimit.set(512)
    let error = #expect(throws: KithError.self) { try graph.addPost("there is room for it", by: ann) }
    if case .indeterminate(_, .system(EFBIG, "pwrite", _))? = error {} else { Issue.record("\(error as Any)") }
    // This truncates, and needs no space.
    try graph.close()
    FileSizeLimit.set(0)
    let refusal = #expect(throws: KithError.self) { try SocialGraph.open(directory.file("new")) }
    if case .system(EFBIG, "pwrite", _)? = refusal {} else { Issue.record("\(refusal as Any)") }
  }

  static func snapshot() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("store")
    let graph = try SocialGraph.open(path)
    for number in 0..<300 { try graph.addUser("user \(number)") }
    let file = unsafe open(directory.file("snapshot"), O_RDWR | O_CREAT, 0o600)
    let appended = unsafe open(directory.file("appended"), O_RDWR | O_CREAT | O_APPEND, 0o600)
    let filler = [UInt8](repeating: 1, count: 1_000)
    #expect(unsafe filler.withUnsafeBytes { unsafe write(appended, $0.baseAddress, $0.count) } == 1_000)
    FileSizeLimit.set(1_000)
    let error = #expect(throws: KithError.self) { try graph.snapshot() }
    if case .system(EFBIG, "pwrite", _)? = error {} else { Issue.record("\(error as Any)") }
    for descriptor in [file, appended] {
      let refusal = KithError.system(errno: EFBIG, call: "write", path: "descriptor \(descriptor)")
      #expect(throws: refusal) { try graph.writeSnapshot(to: descriptor) }
    }
    FileSizeLimit.set(nil)
    #expect(try !FileManager.default.contentsOfDirectory(atPath: path).contains { $0.hasSuffix(".tmp") })
    try graph.snapshot()
    for descriptor in [file, appended] { try graph.writeSnapshot(to: descriptor) }
    try graph.close()
  }
}

private enum FileSizeLimit {
  /// The limit of file sizes; nil for none.
  static func set(_ byteCount: UInt64?) {
    // The signal has its default action, as in a host that does not handle it; threads of Dispatch block it.
    _ = signal(SIGXFSZ, SIG_DFL)
    var signals = sigset_t()
    // Unsafe: the addresses of locals that outlive the calls; so below.
    let isUnblocked =
      unsafe sigemptyset(&signals) == 0 && sigaddset(&signals, SIGXFSZ) == 0
      && pthread_sigmask(SIG_UNBLOCK, &signals, nil) == 0
    precondition(isUnblocked, "a signal can be let through")
    #if os(Linux)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    var limit = rlimit()
    let isKnown = unsafe getrlimit(resource, &limit) == 0
    limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
    let isSet = unsafe setrlimit(resource, &limit) == 0
    precondition(isKnown && isSet, "a limit may be lowered and raised again")
  }
}
