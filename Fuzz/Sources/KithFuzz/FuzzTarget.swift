/// Code that reads untrusted bytes, and what must hold for any input.
protocol FuzzTarget: Sendable {
  var name: String { get }
  /// The longest input, in bytes.
  var maximumByteCount: Int { get }
  /// The most that one allocation may take, in megabytes.
  var allocationLimitMegabytes: Int { get }

  /// The first inputs, written by the product itself.
  func seeds() throws -> [[UInt8]]

  /// Runs an input; traps if something does not hold.
  func run(_ input: [UInt8])

  /// Recomputes hashes, and some fields that follow from the rest, so that mutations get past them.
  func repair(_ input: inout [UInt8])

  /// A mutation of the meaning, where a changed byte would be refused early; nil for none.
  ///
  /// - Parameter mutate: libFuzzer's own mutation of some bytes.
  func mutateMeaning(_ input: [UInt8], random: UInt32, _ mutate: ([UInt8]) -> [UInt8]) -> [UInt8]?
}

extension FuzzTarget {
  func repair(_ input: inout [UInt8]) {}
  func mutateMeaning(_ input: [UInt8], random: UInt32, _ mutate: ([UInt8]) -> [UInt8]) -> [UInt8]? { nil }

  /// Of eight mutations, one is not repaired, and two change the meaning, if the target has such mutations.
  func mutate(_ input: [UInt8], random: UInt32, _ mutate: ([UInt8]) -> [UInt8]) -> [UInt8] {
    let dice = random % 8
    if dice < 2, let mutated = mutateMeaning(input, random: random / 8, mutate) { return mutated }
    var mutated = mutate(input)
    if dice > 2 { repair(&mutated) }
    return mutated
  }
}

/// Prints what does not hold, and ends the process so that libFuzzer keeps the input.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
  if !holds { fatalError(rule()) }
}

/// Runs code that cannot fail here: a failure is a finding.
func succeeds<R: ~Copyable, E: Error>(_ rule: String, _ body: () throws(E) -> R) -> R {
  do throws(E) {
    return try body()
  } catch {
    fatalError("\(rule): \(error)")
  }
}
