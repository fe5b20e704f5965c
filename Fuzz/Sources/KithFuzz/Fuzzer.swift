#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The interface to libFuzzer, which is a C library: every address here is lent for one call, with its length.
enum Fuzzer {
  /// Set once, before libFuzzer starts, and only read afterwards, by its one thread.
  nonisolated(unsafe) fileprivate static var target: (any FuzzTarget)?

  static func run(_ target: any FuzzTarget, arguments: [String]) {
    unsafe self.target = target
    var words = unsafe arguments.map { unsafe strdup($0) }
    unsafe words.append(nil)
    var count = Int32(arguments.count)
    let status = unsafe words.withUnsafeMutableBufferPointer { buffer in
      var address = buffer.baseAddress
      return unsafe runDriver(&count, &address) { bytes, count in
        unsafe Fuzzer.target?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
      }
    }
    exit(status)
  }
}

/// libFuzzer calls mutations by this name.
@_cdecl("LLVMFuzzerCustomMutator")
func mutateInput(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: UInt32) -> Int {
  guard let target = unsafe Fuzzer.target else { return unsafe mutateBytes(bytes, count, maximum) }
  let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  // Its low bits are not random enough.
  let mutated = target.mutate(input, random: (seed &* 0x9E37_79B1) >> 8) { part in
    var part = part
    let count = part.count
    let room = max(min(maximum, count + 256), 1)
    part += [UInt8](repeating: 0, count: max(0, room - count))
    let length = unsafe part.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      return unsafe mutateBytes(base, count, room)
    }
    return Array(part.prefix(length))
  }
  let length = min(mutated.count, maximum)
  for index in 0..<length { unsafe bytes[index] = mutated[index] }
  return length
}

@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int) -> Int

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
