import CKith
import Dispatch
import Kith
import Synchronization

/// An observer of C: reads the change feed or a live query, one thread at a time.
final class ObserverEntry: Entry {
  fileprivate enum Source {
    case changes(ChangeReader)
    case query(LiveSubscription<Answer, KithError>)
  }

  fileprivate var source: Source?
  fileprivate let graph: GraphEntry
  private let turn = Turn()
  fileprivate let notifier: Notifier
  private let task: Task<Void, Never>
  private let mark = ProcessMark()

  fileprivate init(_ graph: GraphEntry, _ notifier: Notifier, _ source: Source) {
    self.graph = graph
    self.notifier = notifier
    self.source = source
    task = Task.detached(executorPreference: ThreadExecutor.shared) {
      while !Task.isCancelled {
        await notifier.signal.wait()
        if !Task.isCancelled { notifier.fire() }
      }
    }
  }

  /// Ends the observer: no callback runs afterwards, unless this is called by it.
  func end() {
    if !mark.isOwn { return }
    task.cancel()
    notifier.close()
    turn.take { source = nil }
  }

  /// Runs a call that ends the observer.
  func callEnding(_ body: () throws -> Void) throws {
    let isNested = try Nesting.beginCall([], ending: [notifier.held])
    defer { if isNested { Nesting.endCall() } }
    try body()
  }

  fileprivate func poll<R>(_ body: (inout Source?) throws -> R) throws -> R {
    try turn.take { try body(&source) }
  }
}

/// Passes notifications on: to the callback of the host, and to the thread that waits.
private final class Notifier: Sendable {
  let signal = AsyncSignal(isNotified: true)
  private let callback: Callback<kith_notify?>
  private let semaphore = DispatchSemaphore(value: 0)
  /// Whether the semaphore was raised since the last wait.
  private let isRaised = Atomic(false)
  private let isInterrupted = Atomic(false)
  private let gate = Gate()

  init(_ notify: kith_notify?, _ context: UnsafeMutableRawPointer?) {
    callback = Callback(function: notify, context: context)
  }

  func fire() {
    raise()
    guard let function = callback.function else { return }
    gate.call(holding: held) { function(callback.context) }
  }

  /// What the callback holds.
  var held: Held { .notification(ObjectIdentifier(gate)) }

  func close() {
    interrupt()
    gate.close()
  }

  func interrupt() {
    isInterrupted.store(true, ordering: .relaxed)
    raise()
  }

  private func raise() {
    if !isRaised.exchange(true, ordering: .acquiringAndReleasing) { semaphore.signal() }
  }

  func wait(milliseconds: Int64) throws {
    if !isInterrupted.load(ordering: .relaxed) {
      let limit = milliseconds < 0 ? DispatchTime.distantFuture : .now() + .milliseconds(Int(clamping: milliseconds))
      if semaphore.wait(timeout: limit) == .timedOut { throw Failure.timedOut }
      isRaised.store(false, ordering: .releasing)
    }
    if isInterrupted.load(ordering: .relaxed) { throw KithError.cancelled }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_observe_changes(
  _ graph: OpaquePointer?, _ sequence: UInt64, _ notify: kith_notify?, _ context: UnsafeMutableRawPointer?,
  _ observer: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  observe(graph, notify, context, observer, error) { graph, notifier in
    .changes(ChangeReader(graph, from: sequence == 0 ? nil : sequence, telling: notifier.signal))
  }
}

/// Described in kith.h.
@c @implementation
public func kith_observe_query(
  _ graph: OpaquePointer?, _ query: UnsafePointer<kith_query>?, _ notify: kith_notify?,
  _ context: UnsafeMutableRawPointer?, _ observer: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  observe(graph, notify, context, observer, error) { graph, notifier in
    .query(LiveSubscription(graph, try PageQuery(query).read().live, passingTo: notifier.signal))
  }
}

private func observe(
  _ graph: OpaquePointer?, _ notify: kith_notify?, _ context: UnsafeMutableRawPointer?,
  _ observer: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<kith_error>?,
  _ source: (SocialGraph, Notifier) throws -> ObserverEntry.Source
) -> kith_status {
  observer?.pointee = nil
  return finish(error) {
    let observer = try needed(observer, "observer")
    let notifier = Notifier(notify, context)
    let entry = try Handle(graph).withGraph { ObserverEntry($0, notifier, try source($0.graph, notifier)) }
    do {
      observer.pointee = try Handle.make(entry, KITH_KIND_OBSERVER)
    } catch {
      entry.end()
      throw error
    }
  }
}

extension Handle {
  fileprivate func withObserver<R>(_ body: (ObserverEntry) throws -> R) throws -> R {
    try with(only: KITH_KIND_OBSERVER, ObserverEntry.self, body)
  }
}

/// Described in kith.h.
@c @implementation
public func kith_poll_changes(
  _ observer: OpaquePointer?, _ limit: Int, _ events: UnsafeMutablePointer<kith_events>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  events?.pointee = kith_events()
  return finish(error) {
    let events = try needed(events, "events")
    guard (1...Limits.batchCount).contains(limit) else { throw Failure.invalid("limit is 1 to \(Limits.batchCount)") }
    try Handle(observer).withObserver { entry in
      try entry.poll { source in
        guard case .changes(let reader)? = source else { throw Failure.handle }
        try ResultEntry.reserved { result, owner in
          var read: [ChangeEvent] = []
          while read.count < limit, let event = reader.next() { read.append(event) }
          // The feed notifies only a reader that has read everything.
          if read.count == limit { entry.notifier.signal.notify() }
          events.pointee = kith_events(read, hasEnded: reader.hasEnded, result, owner)
          return true
        }
      }
    }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_poll_query(
  _ observer: OpaquePointer?, _ has_changed: UnsafeMutablePointer<Bool>?, _ page: UnsafeMutablePointer<kith_page>?,
  _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  has_changed?.pointee = false
  page?.pointee = kith_page()
  return finish(error) {
    let (hasChanged, page) = (try needed(has_changed, "has_changed"), try needed(page, "page"))
    try Handle(observer).withObserver { entry in
      // The query reads the graph.
      try entry.graph.call {
        try entry.poll { source in
          guard case .query(let subscription)? = source else { throw Failure.handle }
          try ResultEntry.reserved { result, owner in
            let value = try subscription.askIfTold()
            if value == nil && subscription.hasEnded { throw KithError.closed }
            value?.write(result, owner, to: page)
            hasChanged.pointee = value != nil
            return value != nil
          }
        }
      }
    }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_wait(
  _ observer: OpaquePointer?, _ milliseconds: Int64, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) {
    try Handle(observer).withObserver { entry in
      try Nesting.checkMayWait()
      try entry.notifier.wait(milliseconds: milliseconds)
    }
  }
}

/// Described in kith.h.
@c @implementation
public func kith_interrupt(_ observer: OpaquePointer?) -> kith_status {
  finish(nil) { try Handle(observer).withObserver { $0.notifier.interrupt() } }
}

extension kith_events {
  fileprivate init(_ events: [ChangeEvent], hasEnded: Bool, _ entry: ResultEntry, _ owner: OpaquePointer) {
    self.init()
    let rows = entry.allocate(kith_event.self, events.count)
    var texts: [String] = []
    var owners: [(row: Int, member: WritableKeyPath<kith_change, kith_text>)] = []
    for (index, event) in events.enumerated() {
      var row = kith_event()
      switch event {
      case .missed(let range): (row.sequence, row.last_missed) = (range.lowerBound, range.upperBound)
      case .change(let change, let sequence):
        let raw = change.raw
        (row.sequence, row.change) = (sequence, raw.change)
        let members = [
          (raw.text, \kith_change.text), (raw.displayName, \.fields.display_name), (raw.kind, \.fields.kind),
        ]
        for case (let text?, let member) in members {
          texts.append(text)
          owners.append((index, member))
        }
        if let payload = raw.payload {
          (row.change.fields.payload, row.change.fields.payload_size) = (entry.copy(payload), payload.count)
        }
      }
      rows[index] = row
    }
    for (owner, text) in zip(owners, entry.copy(texts: texts)) { rows[owner.row].change[keyPath: owner.member] = text }
    (self.events, count, has_ended) = (UnsafePointer(rows.baseAddress), events.count, hasEnded)
    self.owner = owner
  }
}

/// Described in kith.h.
@c @implementation
public func kith_journaled_changes(
  _ graph: OpaquePointer?, _ first: UInt64, _ last: UInt64,
  _ body: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<kith_change>?, UInt64) -> Int32)?,
  _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<kith_error>?
) -> kith_status {
  finish(error) {
    let body = try needed(body, "body")
    guard first >= 1, first <= last else { throw Failure.invalid("the range of changes is empty") }
    var value: Int32 = 0
    do {
      try Handle(graph).withGraph { entry in
        try entry.kept { entry in
          try entry.graph.journaledChanges(in: first...last) { (change, sequence) throws(KithError) in
            value = change.lend { body(context, $0, sequence) }
            if value != 0 { throw .cancelled }
          }
        }
      }
    } catch {
      throw value == 0 ? error : Failure.body(value)
    }
  }
}

extension Change {
  /// Lends the change to C, with its texts and payload.
  fileprivate func lend(_ body: (UnsafePointer<kith_change>) -> Int32) -> Int32 {
    var raw = raw
    return (raw.text ?? "").withCharacters { text in
      if raw.text != nil { raw.change.text = text }
      return (raw.displayName ?? "").withCharacters { displayName in
        if raw.displayName != nil { raw.change.fields.display_name = displayName }
        return (raw.kind ?? "").withCharacters { kind in
          if raw.kind != nil { raw.change.fields.kind = kind }
          guard let payload = raw.payload else { return body(&raw.change) }
          return payload.withUnsafeBufferPointer { bytes in
            raw.change.fields.payload_size = bytes.count
            // An empty array may have no address, which would mean that none is given.
            raw.change.fields.payload = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)
            return body(&raw.change)
          }
        }
      }
    }
  }
}

extension String {
  /// Lends the text to C: with data, also if it is empty.
  fileprivate func withCharacters(_ body: (kith_text) -> Int32) -> Int32 {
    var text = self
    return text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { characters in
        body(kith_text(data: characters.baseAddress ?? UnsafePointer(bitPattern: 1), size: characters.count))
      }
    }
  }
}
