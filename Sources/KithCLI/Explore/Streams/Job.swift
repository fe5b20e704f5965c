import Foundation
import Kith
import Synchronization

/// Long work in a thread of its own, which reports its progress and can be cancelled.
final class Job: Sendable {
  /// The most jobs at once: each may keep all cores busy.
  static let limit = 4
  private static let running = DispatchGroup()
  private static let count = Atomic(0)

  /// Cancels passes over a graph, and reports their progress.
  let passes = PassControl()
  /// Cancels the reading of files, and reports how much was read.
  let reading = ReadControl()

  /// The bytes that will be read; nil for work on a graph.
  private let byteCount: Int?
  private let outcome = Mutex<Result<[UInt8], HTTPFailure>?>(nil)

  /// Starts the work.
  /// - Parameters:
  ///   - byteCount: the bytes that will be read; nil for a pass over a graph.
  ///   - work: returns the result as a JSON object.
  init(
    reading byteCount: Int? = nil, _ work: @escaping @Sendable (Job) throws(HTTPFailure) -> [UInt8]
  ) throws(HTTPFailure) {
    self.byteCount = byteCount
    guard Self.count.add(1, ordering: .relaxed).newValue <= Self.limit else {
      Self.count.subtract(1, ordering: .relaxed)
      throw HTTPFailure(
        status: 429, code: "limitExceeded", message: "\(Self.limit) long computations run already; wait for one")
    }
    Self.running.enter()
    let hasThread = Threads.run {
      let result: Result<[UInt8], HTTPFailure>
      do throws(HTTPFailure) { result = .success(try work(self)) } catch { result = .failure(error) }
      self.outcome.withLock { $0 = result }
      Self.leave()
    }
    if !hasThread {
      Self.leave()
      throw HTTPFailure(.limitExceeded(.threads))
    }
  }

  private static func leave() {
    count.subtract(1, ordering: .relaxed)
    running.leave()
  }

  func cancel() {
    passes.cancel()
    reading.cancel()
  }

  /// Waits until none runs, at most this long.
  static func waitForAll(seconds: Int) { _ = running.wait(timeout: .now() + .seconds(seconds)) }

  /// The share that is done, and in words what is being done.
  private var progress: (done: Double, phase: String) {
    guard let byteCount else { return (passes.fraction, "computing") }
    let count = reading.byteCount
    return count < byteCount ? (Double(count) / Double(max(1, byteCount)), "reading files") : (1, "building indexes")
  }

  /// Progress, then the result or the failure. The job is cancelled when the stream is freed.
  func stream() throws(HTTPFailure) -> HTTPReply {
    let holder = Holder(job: self)
    var (shown, hasEnded): (Double?, Bool) = (nil, false)
    return .events(
      try EventStream.open {
        if hasEnded { return nil }
        switch holder.job.outcome.withLock({ $0 }) {
        case .success(let result)?:
          hasEnded = true
          return EventStream.event("result", result)
        case .failure(let failure)?:
          hasEnded = true
          return EventStream.event("failure") { failure.write(to: &$0) }
        case nil: break
        }
        let progress = holder.job.progress
        if progress.done == shown { return [] }
        shown = progress.done
        return EventStream.event("progress") { writer in
          writer.member("done", progress.done)
          writer.member("phase", progress.phase)
        }
      })
  }

  /// Cancels the job when it is freed.
  private final class Holder {
    let job: Job
    init(job: Job) { self.job = job }
    deinit { job.cancel() }
  }
}

extension HTTPFailure {
  /// The reply of an error of the engine.
  init(_ error: KithError) {
    let status =
      switch error {
      case .unknownUser, .unknownUsername, .unknownPost, .noStore: 404
      case .closed, .system, .limitExceeded: 503
      default: 400
      }
    self.init(status: status, code: error.code, message: error.sentence)
  }

  /// The reply of a question that cannot be asked.
  init(_ error: RequestError) {
    if case .graph(let error) = error {
      self.init(error)
    } else {
      self.init(status: 400, code: error.code, message: error.sentence)
    }
  }

  /// Runs a part of a reply; an error of the engine is its failure.
  static func from<R>(_ body: () throws(KithError) -> R) throws(HTTPFailure) -> R {
    do throws(KithError) { return try body() } catch { throw HTTPFailure(error) }
  }
}
