import Synchronization

#if Regex
  import CRegex
#endif

/// A compiled regular expression. One query uses it at a time, because matching writes its automaton and its clock.
///
/// The last `cacheCapacity` patterns stay compiled, with the states that their automata have reached, for the next
/// query of the same pattern. Compiling takes longer than most searches.
///
/// Safe because each `unsafe` here lends C bytes for one call, or passes the one handle, which is freed with it.
@safe final class CompiledExpression: @unchecked Sendable {
  // Safety: it is either in the cache or used by one query.

  /// The most idle patterns that stay compiled. Each takes at most `RegularExpression.memoryByteCount`, usually a
  /// hundredth of that.
  static let cacheCapacity = 16
  /// The most recently used last.
  private static let cache = Mutex<[CompiledExpression]>([])

  private let pattern: String
  let prefilters: NamePrefilters
  let beginnings: [[UInt8]]
  let ignoresCase: Bool

  /// A compiled pattern, from the cache if it is there, with so much time of the calling thread from now on.
  static func take(
    _ pattern: String, nanoseconds: Int64
  ) throws(RegularExpression.Refusal) -> CompiledExpression {
    let cached = cache.withLock { cache in
      cache.lastIndex { $0.pattern == pattern }.map { cache.remove(at: $0) }
    }
    guard let cached else { return try CompiledExpression(pattern, nanoseconds: nanoseconds) }
    cached.restart(nanoseconds: nanoseconds)
    return cached
  }

  /// Keeps a pattern for the next query of it, in the place of the one that was not used for longest.
  static func giveBack(_ expression: CompiledExpression) {
    let evicted = cache.withLock { cache in
      cache.append(expression)
      return cache.count > cacheCapacity ? cache.removeFirst() : nil
    }
    // Freed outside the lock.
    _ = evicted
  }

  #if Regex
    private let handle: OpaquePointer

    private init(_ pattern: String, nanoseconds: Int64) throws(RegularExpression.Refusal) {
      let text = Array(pattern.utf8)
      var compiled = unsafe text.withUnsafeBytes { bytes in
        unsafe kith_regex_compile(
          bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, RegularExpression.memoryByteCount,
          nanoseconds)
      }
      guard let handle = unsafe compiled.regex else {
        if unsafe compiled.status == KITH_REGEX_TOO_LARGE { throw .tooLarge }
        // Safety: the message is NUL-terminated, within the zero-filled buffer.
        let message = unsafe withUnsafeBytes(of: &compiled.message) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw .invalid(message)
      }
      self.pattern = pattern
      unsafe self.handle = handle
      prefilters = unsafe Self.prefilters(of: handle)
      beginnings = RegularExpression.beginnings(of: text)
      ignoresCase = RegularExpression.ignoresCase(text)
    }

    deinit { unsafe kith_regex_free(handle) }

    private func restart(nanoseconds: Int64) { unsafe kith_regex_restart(handle, nanoseconds) }

    /// Whether it matches in a text, or at its beginning; nil if its time is used up.
    func holds(in text: Span<UInt8>, atBeginning: Bool) -> Bool? {
      let result = unsafe text.withUnsafeBytes { bytes in
        unsafe kith_regex_match(
          handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, atBeginning ? 1 : 0)
      }
      return result < 0 ? nil : result > 0
    }

    /// Passes names that do not match: at most `count` of those that begin at `start`, each with a NUL after it. Ends
    /// before a name that is not ASCII, and when its time is used up.
    /// - Returns: how many, and their bytes with the NULs.
    func pass(_ names: Span<UInt8>, from start: Int, count: Int, atBeginning: Bool) -> (count: Int, byteCount: Int) {
      let rest = names.extracting(droppingFirst: start)
      let passed = unsafe rest.withUnsafeBytes { bytes in
        unsafe kith_regex_pass(
          handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, count, atBeginning ? 1 : 0)
      }
      return (passed.count, passed.length)
    }

    private static func prefilters(of handle: OpaquePointer) -> NamePrefilters {
      let atoms = unsafe (0..<kith_regex_atom_count(handle)).map { index in
        var count = 0
        let start = unsafe kith_regex_atom(handle, index, &count)
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
        return Folding.looseRuns(of: bytes.span)
      }
      if unsafe kith_regex_needs_all(handle) != 0 {
        return NamePrefilters(alternatives: [atoms.flatMap(\.self)])
      }
      return NamePrefilters(alternatives: atoms)
    }
  #else
    private init(_ pattern: String, nanoseconds: Int64) throws(RegularExpression.Refusal) { throw .notBuiltIn }

    private func restart(nanoseconds: Int64) {}

    func holds(in text: Span<UInt8>, atBeginning: Bool) -> Bool? { false }

    func pass(_ names: Span<UInt8>, from start: Int, count: Int, atBeginning: Bool) -> (count: Int, byteCount: Int) {
      (0, 0)
    }
  #endif
}
