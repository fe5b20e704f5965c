import CKith
import CSupport
import Kith
import Synchronization

/// What a handle of the C library leads to. The table of slots holds one reference to each.
class Entry {}

/// One thread at a time, in what C says is used by several.
struct Turn: ~Copyable {
  private let mutex = Mutex(())

  borrowing func take<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    mutex._unsafeLock()
    defer { mutex._unsafeUnlock() }
    return try body()
  }
}

/// A graph.
final class GraphEntry: Entry {
  let graph: SocialGraph
  private let events: Gate

  /// - Parameter events: the gate that the events of the graph's store are reported through.
  init(_ graph: SocialGraph, _ events: Gate) {
    self.graph = graph
    self.events = events
  }

  /// Closes the graph: no callback for an event runs afterwards, unless this is called by it.
  func end() {
    try? graph.close()
    events.close()
  }

  /// What the body of a batch holds.
  var lock: Held { .lock(ObjectIdentifier(self)) }
  /// What the progress callback of a snapshot holds.
  var snapshots: Held { .snapshots(ObjectIdentifier(self)) }

  /// Runs a call that waits for the lock of the graph.
  @inline(__always)
  func call<R>(_ body: () throws -> R) throws -> R {
    let isNested = try Nesting.beginCall([lock])
    defer { if isNested { Nesting.endCall() } }
    return try body()
  }

  /// Runs a call that writes a snapshot.
  func callWriting<R>(_ body: () throws -> R) throws -> R {
    let isNested = try Nesting.beginCall([lock, snapshots])
    defer { if isNested { Nesting.endCall() } }
    return try body()
  }

  /// Runs a call that ends what the graph does.
  /// - Parameter isFinal: whether it ends the callback for events, too.
  func callEnding(isFinal: Bool, _ body: () throws -> Void) throws {
    let ended = isFinal ? [snapshots, Held.events(ObjectIdentifier(events))] : [snapshots]
    let isNested = try Nesting.beginCall([lock], ending: ended)
    defer { if isNested { Nesting.endCall() } }
    try body()
  }

  /// Keeps the graph, so that a callback may free its handle.
  func kept<R>(_ body: (GraphEntry) throws -> R) rethrows -> R {
    let reference = Unmanaged.passRetained(self)
    defer { reference.release() }
    return try body(self)
  }
}

/// An MVCC snapshot.
final class PinEntry: Entry {
  let pin: SocialGraph.Pin

  init(_ pin: SocialGraph.Pin) { self.pin = pin }
}

/// A batch, while its body runs.
final class BatchEntry: Entry {
  let batch: UnsafeMutablePointer<SocialGraph.Batch>
  let thread = kith_thread()
  /// The error of the last call that failed.
  var lastError: (any Error)?

  init(_ batch: UnsafeMutablePointer<SocialGraph.Batch>) { self.batch = batch }
}

/// Progress and cancellation of a pass.
final class ControlEntry: Entry {
  let control: PassControl

  init(_ control: PassControl) { self.control = control }
}

/// An error that is not the engine's.
enum Failure: Error {
  case handle
  case timedOut
  /// An argument of a C function.
  case invalid(String)
  /// The change at an index of an array is malformed.
  indirect case change(Int, any Error)
  /// The value that a callback has returned.
  case body(Int32)
}

/// A handle and the kind that it says it is.
struct Handle {
  let bits: UInt64

  @inline(__always)
  init(_ pointer: OpaquePointer?) { bits = UInt64(UInt(bitPattern: pointer)) }

  @inline(__always)
  var kind: Int { Int(kith_handle_kind(bits)) }

  /// Lends the object of a live handle, without a reference of its own: the caller does not free it meanwhile.
  @inline(__always)
  func with<Object: Entry, R>(_ type: Object.Type, _ body: (Object) throws -> R) throws -> R {
    guard let object = kith_slot_object(bits) else { throw Failure.handle }
    return try Unmanaged<Object>.fromOpaque(object)._withUnsafeGuaranteedRef { try body($0) }
  }

  /// Lends the object, if it is of one kind.
  func with<Object: Entry, R>(only kind: Int, _ type: Object.Type, _ body: (Object) throws -> R) throws -> R {
    guard self.kind == kind else { throw Failure.handle }
    return try with(type, body)
  }

  /// Makes a handle for an object.
  static func make(_ entry: Entry, _ kind: Int) throws -> OpaquePointer {
    let object = Unmanaged.passRetained(entry)
    let bits = kith_slot_take(object.toOpaque(), UInt32(kind))
    guard let pointer = OpaquePointer(bitPattern: UInt(bits)) else {
      object.release()
      throw Failure.invalid("fewer than \(KITH_HANDLE_LIMIT) handles exist at a time")
    }
    return pointer
  }

  /// Ends a handle and returns its object; nil if it was not live.
  static func end(_ pointer: OpaquePointer?) -> Entry? {
    guard let object = kith_slot_end(Handle(pointer).bits) else { return nil }
    return Unmanaged<Entry>.fromOpaque(object).takeRetainedValue()
  }
}

extension Handle {
  /// Reads the graph, the MVCC snapshot or the batch.
  @inline(__always)
  func read<R>(_ body: (borrowing GraphView) throws -> R) throws -> R {
    switch kind {
    case KITH_KIND_GRAPH:
      return try with(GraphEntry.self) { entry in
        try entry.call { try entry.graph.read(body) }
      }
    case KITH_KIND_PIN: return try with(PinEntry.self) { entry in try body(entry.pin.view) }
    case KITH_KIND_BATCH: return try withBatch { batch in try batch.pointee.read(body) }
    default: throw Failure.handle
    }
  }

  /// Makes one change.
  func apply(_ change: Change) throws -> ChangeResult {
    switch kind {
    case KITH_KIND_GRAPH:
      return try with(GraphEntry.self) { entry in
        let isNested = try Nesting.beginCall([entry.lock])
        defer { if isNested { Nesting.endCall() } }
        return try entry.graph.apply(change)
      }
    case KITH_KIND_PIN: return try with(PinEntry.self) { _ in throw KithError.readOnly }
    case KITH_KIND_BATCH: return try withBatch { batch in try batch.pointee.apply(change) }
    default: throw Failure.handle
    }
  }

  /// Lends a graph that can be changed, opened files and all, to a call that waits for its lock.
  func withGraph<R>(_ body: (GraphEntry) throws -> R) throws -> R {
    try withGraphEntry { entry in try entry.call { try body(entry) } }
  }

  /// Lends a graph that can be changed, opened files and all.
  func withGraphEntry<R>(_ body: (GraphEntry) throws -> R) throws -> R {
    switch kind {
    case KITH_KIND_GRAPH: return try with(GraphEntry.self, body)
    case KITH_KIND_PIN: return try with(PinEntry.self) { _ in throw KithError.readOnly }
    case KITH_KIND_BATCH: return try withBatch { _ in throw Failure.invalid("a batch has only changes and queries") }
    default: throw Failure.handle
    }
  }

  /// Takes an MVCC snapshot of a graph; one of an MVCC snapshot is itself.
  func pinned() throws -> SocialGraph.Pin {
    if kind == KITH_KIND_PIN { return try with(PinEntry.self) { $0.pin } }
    return try withGraph { $0.graph.pin() }
  }

  func withBatch<R>(_ body: (UnsafeMutablePointer<SocialGraph.Batch>) throws -> R) throws -> R {
    try with(BatchEntry.self) { entry in
      guard entry.thread == kith_thread() else { throw Failure.handle }
      do {
        return try body(entry.batch)
      } catch {
        entry.lastError = error
        throw error
      }
    }
  }

  /// The control of a pass; a new one for null.
  static func control(_ pointer: OpaquePointer?) throws -> PassControl {
    if pointer == nil { return PassControl() }
    return try Handle(pointer).with(only: KITH_KIND_CONTROL, ControlEntry.self) { $0.control }
  }
}
