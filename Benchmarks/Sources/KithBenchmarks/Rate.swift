/// How much is done in a second, beside its floor: each the median over runs.
struct Rate {
  let name: String
  let enginePerSecond: Double
  let floorPerSecond: Double

  /// How many times as fast the floor is.
  var ratio: Double { floorPerSecond / enginePerSecond }

  /// - Parameter count: how much each run did.
  init(name: String, count: Int, engineSeconds: [Double], floorSeconds: [Double]) {
    func median(_ seconds: [Double]) -> Double {
      let sorted = seconds.sorted()
      return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
    self.name = name
    enginePerSecond = Double(count) / median(engineSeconds)
    floorPerSecond = Double(count) / median(floorSeconds)
  }
}
