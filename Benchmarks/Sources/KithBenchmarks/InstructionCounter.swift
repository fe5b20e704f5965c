import CBaseline

/// A tool counts between entry and return of one function in C, which it knows by name.
enum InstructionCounter {
  private final class Body {
    let run: () throws -> Void
    var failure: (any Error)?
    init(_ run: @escaping () throws -> Void) { self.run = run }
  }

  /// Runs `body` inside that function.
  static func count(_ body: () throws -> Void) throws {
    try withoutActuallyEscaping(body) { run in
      let body = Body(run)
      // Safety: the body outlives the call that gets its address.
      unsafe baseline_counted(
        { context in
          guard let context = unsafe context else { return }
          let body = unsafe Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
          do { try body.run() } catch { body.failure = error }
        }, Unmanaged.passUnretained(body).toOpaque())
      if let failure = body.failure { throw failure }
    }
  }
}
