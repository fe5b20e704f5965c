/// Receives every query and change of a graph as it begins and ends: for signposts, traces, timers and slow-query logs.
///
/// ```swift
/// struct SlowLog: GraphInstrument {
///   func ended(_ operation: GraphOperation, id: UInt64, nanoseconds: Int, failed: Bool) {
///     if nanoseconds > 5_000_000 { logger.warning("slow", metadata: ["operation": "\(operation)"]) }
///   }
/// }
/// ```
///
/// The methods are called on the thread of the caller, those of queries inside a `read`: do not call the graph from
/// them, which ends the process with a message, and be quick, because writers wait. An async change may end on another
/// thread than it began. Each method has a default implementation that does nothing.
public protocol GraphInstrument: Sendable {
  /// An operation begins.
  /// - Returns: any number, which `ended` gets back: the id of a signpost or a span.
  func began(_ operation: GraphOperation) -> UInt64

  /// An operation ended: a query has its result; a change is as durable as the store's mode promises.
  /// - Parameters:
  ///   - operation: its kind.
  ///   - id: what `began` returned.
  ///   - nanoseconds: how long it took.
  ///   - failed: whether it threw an error.
  func ended(_ operation: GraphOperation, id: UInt64, nanoseconds: Int, failed: Bool)
}

extension GraphInstrument {
  /// Does nothing, and returns 0.
  public func began(_ operation: GraphOperation) -> UInt64 { 0 }
  /// Does nothing.
  public func ended(_ operation: GraphOperation, id: UInt64, nanoseconds: Int, failed: Bool) {}
}
