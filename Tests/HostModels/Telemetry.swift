/// Libraries that a host has for logs, metrics and traces, in the shape of swift-log, swift-metrics and
/// swift-distributed-tracing: the same names, labels and arguments, without their backends.
import Synchronization

/// As `Logging.Logger`.
public struct Logger: Sendable {
  /// As `Logging.Logger.Level`.
  public enum Level: String, Sendable { case info, warning, error }

  private let write: @Sendable (String) -> Void

  /// A logger that writes lines.
  public init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  /// As `Logging.Logger.log(level:_:metadata:)`.
  public func log(level: Level, _ message: String, metadata: [String: String] = [:]) {
    let fields = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    write("\(level.rawValue) \(message)\(fields)")
  }
}

/// As `Metrics.Timer`, with everything that was recorded.
public final class Timer: Sendable {
  /// What all timers recorded: by label and dimensions.
  public static let recorded = Mutex<[String: [Int]]>([:])

  private let key: String

  /// As `Metrics.Timer(label:dimensions:)`.
  public init(label: String, dimensions: [(String, String)] = []) {
    key = label + dimensions.map { " \($0)=\($1)" }.joined()
  }

  /// As `Metrics.Timer.recordNanoseconds`.
  public func recordNanoseconds(_ duration: Int) { Self.recorded.withLock { $0[key, default: []].append(duration) } }
}
