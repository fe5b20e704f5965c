/// Operations in a second, beside the baseline: each the median over runs.
struct Rate {
  let name: String
  let enginePerSecond: Double
  let baselinePerSecond: Double

  /// The baseline's rate divided by the engine's.
  var ratio: Double { baselinePerSecond / enginePerSecond }

  /// - Parameter count: the operations of each run.
  init(name: String, count: Int, engineSeconds: [Double], baselineSeconds: [Double]) {
    func median(_ seconds: [Double]) -> Double {
      let sorted = seconds.sorted()
      return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
    self.name = name
    enginePerSecond = Double(count) / median(engineSeconds)
    baselinePerSecond = Double(count) / median(baselineSeconds)
  }
}
