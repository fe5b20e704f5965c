import Foundation
import Kith

extension SocialGraph.Options {
  /// The defaults, with latencies measured if KITH_TIMES is set.
  public static var example: SocialGraph.Options {
    var options = SocialGraph.Options()
    options.measuresLatency = ProcessInfo.processInfo.environment["KITH_TIMES"] != nil
    return options
  }
}

extension SocialGraph {
  /// Prints the median of each kind of query and change to standard error, if latencies were measured.
  public func printLatencies() {
    for (operation, measured) in statistics().operations.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let median = measured.nanoseconds.quantile(0.5) else { continue }
      let line = "\(operation.rawValue)\t\(measured.nanoseconds.count)\t\(median)\n"
      FileHandle.standardError.write(Data(line.utf8))
    }
  }
}
