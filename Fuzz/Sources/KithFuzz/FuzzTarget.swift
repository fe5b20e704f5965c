/// Something that takes bytes from outside, and what must hold for any of them.
protocol FuzzTarget: Sendable {
  var name: String { get }
  /// The longest input, in bytes.
  var maximumByteCount: Int { get }
  /// The most that may be asked of the allocator at once, in megabytes.
  var allocationLimitMegabytes: Int { get }

  /// Inputs to begin with, made by the product itself.
  func seeds() throws -> [[UInt8]]

  /// Takes an input; traps when something does not hold.
  func run(_ input: [UInt8])

  /// Makes hashes, and some of what follows from the rest, right again, so that mutations get past them.
  func repair(_ input: inout [UInt8])

  /// A mutation of what the input means, where one of its bytes would not get far; nil for none.
  ///
  /// - Parameter mutate: libFuzzer's own mutation of some bytes.
  func mutateMeaning(_ input: [UInt8], random: UInt32, _ mutate: ([UInt8]) -> [UInt8]) -> [UInt8]?
}

extension FuzzTarget {
  func repair(_ input: inout [UInt8]) {}
  func mutateMeaning(_ input: [UInt8], random: UInt32, _ mutate: ([UInt8]) -> [UInt8]) -> [UInt8]? { nil }

  /// Of eight mutations, one is left as it is, and two are of the meaning, where there is such a thing.
  func mutate(_ input: [UInt8], random: UInt32, _ mutate: ([UInt8]) -> [UInt8]) -> [UInt8] {
    let dice = random % 8
    if dice < 2, let mutated = mutateMeaning(input, random: random / 8, mutate) { return mutated }
    var mutated = mutate(input)
    if dice > 2 { repair(&mutated) }
    return mutated
  }
}

/// Says what does not hold, and ends the process so that libFuzzer keeps the input.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
  if !holds { fatalError(rule()) }
}

/// What cannot fail here: a failure is a finding.
func succeeds<R: ~Copyable, E: Error>(_ rule: String, _ body: () throws(E) -> R) -> R {
  do throws(E) {
    return try body()
  } catch {
    fatalError("\(rule): \(error)")
  }
}
