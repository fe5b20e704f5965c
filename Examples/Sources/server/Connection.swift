import Foundation

/// A client's socket, read and written without blocking a thread of the cooperative pool.
struct Connection: Sendable {
  private let handle: FileHandle
  private let input: AsyncStream<Data>
  private let queue = DispatchQueue(label: "answers")

  /// How long a client may refuse to read before it is dropped.
  private static let patience = timeval(tv_sec: 10, tv_usec: 0)

  init(_ descriptor: Int32) {
    var patience = Self.patience
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    self.handle = handle
    input = AsyncStream { continuation in
      handle.readabilityHandler = { handle in
        let data = handle.availableData
        continuation.yield(data)
        if data.isEmpty { continuation.finish() }
      }
    }
  }

  /// Hangs up.
  func close() {
    handle.readabilityHandler = nil
    try? handle.close()
  }

  /// The request; nil if the client sends none.
  func request() async -> Request? {
    var head = Data()
    for await data in input {
      head.append(data)
      if let end = head.range(of: Data("\r\n\r\n".utf8)) {
        return Request(head: String(decoding: head[..<end.lowerBound], as: UTF8.self))
      }
      if data.isEmpty || head.count > Request.headByteCount { break }
    }
    return nil
  }

  /// Returns when the client has hung up.
  func ended() async { for await data in input where data.isEmpty { return } }

  func send(_ text: String) async throws {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try handle.write(contentsOf: Data(text.utf8)) }) }
    }
  }
}
