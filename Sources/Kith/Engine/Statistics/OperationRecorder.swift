import Synchronization

/// Measures the queries and changes of a graph. Without one, nothing is measured.
final class OperationRecorder: Sendable {
  /// An operation that began.
  struct Span {
    let operation: GraphOperation
    let id: UInt64
    let began: UInt64
  }

  private let instrument: (any GraphInstrument)?
  /// One per operation.
  private let durations = GraphOperation.allCases.map { _ in AtomicHistogram(stripeCount: 4) }
  private let failures = Mutex([Int](repeating: 0, count: GraphOperation.allCases.count))
  /// How long each change waited for readers and for other changes.
  let lockWaits = AtomicHistogram()

  init(_ instrument: (any GraphInstrument)?) { self.instrument = instrument }

  func measure<R, E: Error>(_ operation: GraphOperation, _ body: () throws(E) -> R) throws(E) -> R {
    let span = begin(operation)
    do throws(E) {
      let result = try body()
      end(span)
      return result
    } catch {
      end(span, failed: true)
      throw error
    }
  }

  func begin(_ operation: GraphOperation) -> Span {
    Span(operation: operation, id: instrument?.began(operation) ?? 0, began: MonotonicClock.nanoseconds())
  }

  func end(_ span: Span, failed: Bool = false) {
    let nanoseconds = MonotonicClock.nanoseconds(since: span.began)
    durations[span.operation.index].record(nanoseconds)
    if failed { failures.withLock { $0[span.operation.index] += 1 } }
    instrument?.ended(span.operation, id: span.id, nanoseconds: Int(clamping: nanoseconds), failed: failed)
  }

  /// The operations that ran.
  func read() -> [GraphOperation: SocialGraph.Statistics.Operation] {
    let failures = failures.withLock { $0 }
    var operations: [GraphOperation: SocialGraph.Statistics.Operation] = [:]
    for operation in GraphOperation.allCases {
      let durations = durations[operation.index].read()
      if durations.count == 0 { continue }
      operations[operation] = .init(nanoseconds: durations, failureCount: failures[operation.index])
    }
    return operations
  }
}
