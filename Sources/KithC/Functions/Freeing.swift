import CKith

/// Described in kith.h.
@c @implementation
public func kith_free(_ handle: UnsafeMutableRawPointer?) -> kith_status {
  if handle == nil { return kith_status(KITH_OK) }
  let pointer = OpaquePointer(handle)
  return finish(nil) {
    switch Handle(pointer).kind {
    case KITH_KIND_BATCH: throw Failure.handle
    case KITH_KIND_GRAPH:
      try Handle(pointer).with(GraphEntry.self) { graph in
        try graph.callEnding(isFinal: true) {
          // Kept until all of it has ended.
          guard let entry = Handle.end(pointer) else { throw Failure.handle }
          graph.end()
          withExtendedLifetime(entry) {}
        }
      }
    case KITH_KIND_OBSERVER:
      try Handle(pointer).with(ObserverEntry.self) { observer in
        try observer.callEnding {
          guard let entry = Handle.end(pointer) else { throw Failure.handle }
          observer.end()
          withExtendedLifetime(entry) {}
        }
      }
    default: if Handle.end(pointer) == nil { throw Failure.handle }
    }
  }
}
