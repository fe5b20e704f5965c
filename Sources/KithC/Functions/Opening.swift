import CKith
import Kith

/// Described in kith.h.
@c @implementation
public func kith_open(
  _ path: kith_text, _ options: UnsafePointer<kith_options>?, _ graph: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  open(graph, error) { events in
    let path = try KithC.path(path, "path")
    let values = try SocialGraph.Options(options)
    let access: SocialGraph.Access = options?.pointee.read_only ?? 0 == 0 ? .readWrite : .readOnly
    return try SocialGraph.open(
      path, access: access, options: values, schema: try SocialGraph.Schema(options),
      onEvent: eventHandler(options, events))
  }
}

/// Described in kith.h.
@c @implementation
public func kith_open_memory(
  _ options: UnsafePointer<kith_options>?, _ graph: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  open(graph, error) { _ in
    let schema = try SocialGraph.Schema(options)
    try schema?.check()
    return SocialGraph(options: try SocialGraph.Options(options), schema: schema)
  }
}

/// Described in kith.h.
@c @implementation
public func kith_open_snapshot(
  _ bytes: UnsafeRawPointer?, _ size: Int, _ options: UnsafePointer<kith_options>?,
  _ graph: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  open(graph, error) { _ in
    let bytes = try buffer(bytes?.assumingMemoryBound(to: UInt8.self), size, "bytes")
    return try SocialGraph(snapshot: Array(bytes), options: try SocialGraph.Options(options))
  }
}

/// Described in kith.h.
@c @implementation
public func kith_open_descriptor(
  _ descriptor: Int32, _ options: UnsafePointer<kith_options>?, _ graph: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  open(graph, error) { _ in
    try SocialGraph(snapshotDescriptor: descriptor, options: try SocialGraph.Options(options))
  }
}

private func open(
  _ graph: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<kith_error>?,
  _ body: (Gate) throws -> SocialGraph
) -> kith_status {
  graph?.pointee = nil
  return finish(error) {
    let graph = try needed(graph, "graph")
    let events = Gate()
    do {
      graph.pointee = try Handle.make(GraphEntry(try body(events), events), KITH_KIND_GRAPH)
    } catch {
      events.close()
      throw error
    }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_close(_ graph: OpaquePointer?, _ error: UnsafeMutablePointer<kith_error>?) -> kith_status {
  finish(error) {
    try Handle(graph).withGraphEntry { entry in try entry.callEnding(isFinal: false) { try entry.graph.close() } }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_pin(
  _ graph: OpaquePointer?, _ pin: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  pin?.pointee = nil
  return finish(error) {
    let pin = try needed(pin, "pin")
    pin.pointee = try Handle.make(PinEntry(try Handle(graph).pinned()), KITH_KIND_PIN)
  }
}

// MARK: - Options

extension SocialGraph.Options {
  /// The options of C; a null pointer means the defaults.
  init(_ pointer: UnsafePointer<kith_options>?) throws {
    self.init()
    guard let given = pointer?.pointee else { return }
    guard given.reserved == 0 else { throw Failure.invalid("reserved members of kith_options are not 0") }
    durability = try SocialGraph.Durability(numbered: given.durability)
    postIndex = try SocialGraph.PostIndexing(numbered: given.post_index)
    uniqueNames = try SocialGraph.UniqueNames(numbered: given.unique_names)
    compactLists = try flag(given.compact_lists, "compact_lists")
    compressTexts = try flag(given.compress_texts, "compress_texts")
    snapshotAfterChangeCount = try Self.rule(given.snapshot_after_changes, snapshotAfterChangeCount)
    snapshotAfterByteCount = try Self.rule(given.snapshot_after_bytes, snapshotAfterByteCount)
    snapshotAfter = try Self.rule(given.snapshot_after_seconds, snapshotAfter)
    healAfter = try Self.rule(given.heal_after_seconds, healAfter)
    snapshotBytesPerSecond = try Self.limit(given.snapshot_bytes_per_second, atLeast: 1)
    snapshotCoreCount = try Self.limit(given.snapshot_cores, atLeast: 1)
    if let bytes = try Self.limit(given.low_disk_bytes) { lowDiskByteCount = Int64(bytes) }
    if let count = try Self.limit(given.retained_snapshots) { retention.snapshotCount = count }
    retention.duration = try Self.limit(given.retained_seconds).map { .seconds($0) }
    retention.byteCount = try Self.limit(given.retained_bytes).map(Int64.init)
    maximumUserCount = try Self.limit(given.maximum_users)
    maximumPostCount = try Self.limit(given.maximum_posts)
    maximumByteCount = try Self.limit(given.maximum_bytes)
  }

  /// 0 is the default, -1 is never.
  private static func rule(_ value: Int64, _ normal: Int?) throws -> Int? {
    if value == 0 { return normal }
    if value == -1 { return nil }
    guard let number = number(value) else { throw Failure.invalid("an option is \(value); -1 means never") }
    return number
  }

  /// As the other, in seconds.
  private static func rule(_ value: Int64, _ normal: Duration?) throws -> Duration? {
    value == 0 ? normal : try rule(value, Int?.none).map { .seconds($0) }
  }

  /// 0 is the default.
  private static func limit(_ value: Int64, atLeast least: Int = 0) throws -> Int? {
    if value == 0 { return nil }
    guard let number = number(value) else { throw Failure.invalid("an option is negative: \(value)") }
    if number < least { throw Failure.invalid("an option is \(number); the least is \(least)") }
    return number
  }

  /// What an option that is not 0 says; nil for a number without a meaning.
  private static func number(_ value: Int64) -> Int? {
    value == Int64(KITH_ZERO) ? 0 : value < 0 ? nil : Int(value)
  }
}

private func eventHandler(
  _ options: UnsafePointer<kith_options>?, _ gate: Gate
) -> (@Sendable (StoreEvent) -> Void)? {
  guard let options, let function = options.pointee.on_event else { return nil }
  let callback = Callback(function: function, context: options.pointee.context)
  return { event in
    var (raw, message) = (kith_store_event(), [UInt8]())
    switch event {
    case .snapshotBegan(let sequence):
      (raw.kind, raw.sequence) = (Int32(KITH_SNAPSHOT_BEGAN), sequence)
    case .snapshotWritten(let info):
      (raw.kind, raw.sequence, message) = (Int32(KITH_SNAPSHOT_WRITTEN), info.sequence, info.path.pathBytes)
    case .snapshotFailed(let error):
      (raw.kind, raw.status) = (Int32(KITH_SNAPSHOT_FAILED), statusCode(of: error))
      message = Array(error.description.utf8)
    case .journalFailed(let error):
      (raw.kind, raw.status) = (Int32(KITH_JOURNAL_FAILED), statusCode(of: error))
      message = Array(error.description.utf8)
    case .journalRecovered(let sequence):
      (raw.kind, raw.sequence) = (Int32(KITH_JOURNAL_RECOVERED), sequence)
    case .diskLow(let freeByteCount):
      (raw.kind, raw.free_bytes) = (Int32(KITH_DISK_LOW), freeByteCount)
    }
    message.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        raw.message = kith_text(data: characters.baseAddress, size: characters.count)
        gate.call(holding: .events(ObjectIdentifier(gate))) { callback.function(callback.context, &raw) }
      }
    }
  }
}
