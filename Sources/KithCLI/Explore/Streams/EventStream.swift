import Foundation
import Synchronization

/// Server-sent events, asked for again and again until there is an end. Freed when the client has left.
final class EventStream: ByteSource {
  /// The most streams at once.
  static let limit = 32
  private static let pause = 0.05
  private static let silence = Duration.seconds(15)
  private static let openCount = Atomic(0)

  /// The events since the last call: none if there are none; nil at the end.
  typealias Poll = () -> [UInt8]?

  private let poll: Poll
  private let clock = ContinuousClock()
  private var lastSent: ContinuousClock.Instant

  private init(_ poll: @escaping Poll) {
    self.poll = poll
    lastSent = clock.now
  }

  /// - Parameter poll: called by the thread of the connection, about twenty times a second.
  static func open(_ poll: @escaping Poll) throws(HTTPFailure) -> EventStream {
    guard openCount.add(1, ordering: .relaxed).newValue <= limit else {
      openCount.subtract(1, ordering: .relaxed)
      throw HTTPFailure(status: 429, code: "limitExceeded", message: "at most \(limit) streams are open at once")
    }
    return EventStream(poll)
  }

  deinit { Self.openCount.subtract(1, ordering: .relaxed) }

  func next() -> [UInt8]? {
    guard let events = poll() else { return nil }
    if events.isEmpty {
      // A comment keeps the connection: without it, its silence would end it.
      if lastSent.duration(to: clock.now) < Self.silence {
        Thread.sleep(forTimeInterval: Self.pause)
        return []
      }
      lastSent = clock.now
      return Array(":\n\n".utf8)
    }
    lastSent = clock.now
    return events
  }

  /// One event. JSON has no line breaks: control characters in texts are escaped.
  static func event(_ name: String, _ json: [UInt8]) -> [UInt8] {
    Array("event: \(name)\ndata: ".utf8) + json + Array("\n\n".utf8)
  }

  static func event(_ name: String, _ content: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(content)
    return event(name, writer.bytes)
  }
}
