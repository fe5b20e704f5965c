extension SocialGraph {
  /// Opens a store for a command that fills it at once: until its first snapshot, a new one is refused by every opener.
  /// - Throws: as `open`.
  package static func openUnfinished(_ path: String, options: Options) throws(KithError) -> SocialGraph {
    let isNew = !PathAccess.exists(path)
    do throws(KithError) {
      return try write(path, from: SystemDisk(), options, marking: true, events: StoreEvents())
    } catch {
      StoreDirectory(path, disk: SystemDisk()).removeUnfinished(alsoDirectory: isNew)
      throw error
    }
  }

  /// Opens a store for writing whose files are dated by a clock of the caller's: for a synthetic history.
  /// - Throws: as `open`.
  package static func openDated(
    _ path: String, options: Options, schema: Schema?, clock: @escaping @Sendable () -> Timestamp
  ) throws(KithError) -> SocialGraph {
    try write(path, from: SystemDisk(), options, schema: schema, clock: clock, events: StoreEvents())
  }

  static func write(
    _ path: String, from disk: SystemDisk, _ options: Options, schema: Schema? = nil, marking: Bool = false,
    clock: @escaping @Sendable () -> Timestamp = Timestamp.now, instrument: (any GraphInstrument)? = nil,
    events: StoreEvents
  ) throws(KithError) -> SocialGraph {
    var opened = try Store.open(
      path, mode: options.durability, disk: disk, clock: clock, retention: options.retention,
      maximumByteCount: options.maximumByteCount, form: options.form, schema: schema, marking: marking,
      events: events)
    let (store, report) = (opened.store, opened.report)
    do throws(KithError) {
      try GraphLimits(options).admit(&opened.state)
      if let schema { try store.declare(schema, on: &opened.state) }
    } catch {
      try store.close()
      throw error
    }
    return SocialGraph(
      opened.state, store: store, recovery: report, options: options, isReadOnly: false, instrument: instrument)
  }
}
