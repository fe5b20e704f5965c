public import Foundation
public import Kith

extension Timestamp {
  /// A time from a date, rounded to the nearest millisecond. A date beyond all timestamps becomes the nearest one.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    if let number = Int64(exactly: milliseconds) {
      self.init(number)
    } else {
      self.init(milliseconds > 0 ? Int64.max : Int64.min)
    }
  }
}

extension Date {
  /// A date from a time. A date counts seconds as a `Double`, which is exact to the millisecond for 70,000 years before
  /// and after 1970.
  public init(_ timestamp: Timestamp) {
    self.init(timeIntervalSince1970: Double(timestamp.rawValue) / 1_000)
  }
}
