import Kith

/// The fields of `SocialGraph.Options` as options of `kith serve`.
enum ServeOptions {
  private static let durability = Option(
    "--durability", "HOW",
    "a change is answered when it is synced to the disk (the default), flushed to the system, or in memory",
    choices: durabilities.map(\.rawValue))
  private static let durabilities: [SocialGraph.Durability] = [.synced, .flushed, .memory]
  private static let keep = Option("--keep", "N", "keeps at least N snapshots, and what restores any state since (2)")
  private static let keepFor = Option(
    "--keep-for", "TIME", "keeps what restores any state of the last TIME, such as 6h or 7d")
  private static let keepBytes = Option(
    "--keep-bytes", "BYTES", "removes older snapshots beyond so many bytes; the two newest stay")
  private static let every = Option(
    "--snapshot-every", "TIME", "writes a snapshot so long after the first change since the last one (1h), or never")
  private static let changes = Option(
    "--snapshot-changes", "N", "writes one after N changes (10,000,000), or never")
  private static let bytes = Option("--snapshot-bytes", "BYTES", "writes one after so much journal (1G), or never")
  private static let rate = Option("--snapshot-rate", "BYTES", "writes them at most at so many bytes a second")
  private static let cores = Option("--snapshot-cores", "N", "the cores that they may use (all but one)")
  private static let heal = Option(
    "--heal-after", "TIME", "first tries to repair a store that failed after TIME (5s), or never")
  private static let lowDisk = Option("--low-disk", "BYTES", "tells when the disk has less free than that (1G)")
  private static let memory = Option("--memory", "BYTES", "refuses what adds to a graph of so many bytes")
  private static let users = Option("--max-users", "N", "refuses more users")
  private static let posts = Option("--max-posts", "N", "refuses more posts")
  private static let measure = Option(
    "--measure", nil, "measures each query and change, for the statistics: about 0.1 µs each")

  /// Those about changes, which a server that only reads does not make.
  private static let writing = [
    durability, keep, keepFor, keepBytes, every, changes, bytes, rate, cores, heal, lowDisk, users, posts,
    EventLog.option,
  ]
  static let all = writing.dropLast() + [memory, measure, .postIndex]

  /// - Throws: for an option that is none, or has no effect.
  static func options(_ arguments: Arguments, readOnly: Bool) throws(CommandFailure) -> SocialGraph.Options {
    if readOnly, let useless = writing.first(where: { arguments.flag($0) }) {
      throw arguments.misuse("\(useless.name) is about changes, which --read-only refuses")
    }
    var options = try arguments.graphOptions()
    if let word = arguments.value(durability) {
      guard let found = durabilities.first(where: { $0.rawValue == word }) else {
        throw arguments.misuse("\(durability.name) \(word): \(alternatives(durabilities.map(\.rawValue))) is needed")
      }
      options.durability = found
    }
    options.measuresLatency = arguments.flag(measure)
    try setSnapshots(&options, arguments)
    try setLimits(&options, arguments)
    return options
  }

  private static func setSnapshots(_ options: inout SocialGraph.Options, _ arguments: Arguments) throws(CommandFailure)
  {
    if let count = try arguments.integer(keep, in: 2...1_000_000) { options.retention.snapshotCount = Int(count) }
    options.retention.duration = try arguments.duration(keepFor)
    options.retention.byteCount = try arguments.byteCount(keepBytes)
    if arguments.isNever(every) {
      options.snapshotAfter = nil
    } else if let time = try arguments.duration(every) {
      options.snapshotAfter = time
    }
    if arguments.isNever(changes) {
      options.snapshotAfterChangeCount = nil
    } else if let count = try arguments.integer(changes, in: 1...Int64.max) {
      options.snapshotAfterChangeCount = Int(count)
    }
    if arguments.isNever(bytes) {
      options.snapshotAfterByteCount = nil
    } else if let count = try arguments.byteCount(bytes) {
      options.snapshotAfterByteCount = Int(count)
    }
    options.snapshotBytesPerSecond = try arguments.byteCount(rate).map { Int($0) }
    options.snapshotCoreCount = try arguments.integer(cores, in: 1...1_024).map { Int($0) }
    if arguments.isNever(heal) {
      options.healAfter = nil
    } else if let time = try arguments.duration(heal) {
      options.healAfter = time
    }
  }

  private static func setLimits(_ options: inout SocialGraph.Options, _ arguments: Arguments) throws(CommandFailure) {
    if let count = try arguments.byteCount(lowDisk) { options.lowDiskByteCount = count }
    options.maximumByteCount = try arguments.byteCount(memory).map { Int($0) }
    options.maximumUserCount = try arguments.integer(users, in: 1...Int64.max).map { Int($0) }
    options.maximumPostCount = try arguments.integer(posts, in: 1...Int64.max).map { Int($0) }
  }
}
