// A web service on Kith: one process has the store open, and every client is a task.
//
//     swift run server STORE [PORT]     listens on 127.0.0.1, port 8080 without one, until Ctrl-C or SIGTERM
//     curl '127.0.0.1:8080/search?q=an'
//
// Only Foundation and Dispatch of the toolchain: a service of yours has a framework in the place of Request and
// Connection.
import Foundation
import Kith
import Synchronization

@main struct Server {
  /// The most clients at once; further ones are hung up on.
  static let clientCount = 100
  private static let openCount = Atomic(0)

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else { fatalError("usage: server STORE [PORT]") }
    let graph = try await SocialGraph.open(arguments[1])
    let listener = try Listener(port: arguments.count > 2 ? UInt16(arguments[2]) ?? 8080 : 8080)
    print("http://127.0.0.1:\(listener.port)")
    fflush(nil)
    await serve(Service(graph: graph), listener)
    try await graph.close()
    print("closed")
  }

  /// Serves clients until the listener ends, which ends the clients.
  static func serve(_ service: Service, _ listener: Listener) async {
    await withDiscardingTaskGroup { group in
      for await client in listener.clients {
        if openCount.load(ordering: .relaxed) >= clientCount {
          close(client)
          continue
        }
        openCount.add(1, ordering: .relaxed)
        group.addTask {
          // An error is a client that hung up.
          try? await serve(service, Connection(client))
          openCount.subtract(1, ordering: .relaxed)
        }
      }
      group.cancelAll()
    }
  }

  /// Answers one request, and hangs up.
  static func serve(_ service: Service, _ client: Connection) async throws {
    defer { client.close() }
    guard let request = await client.request() else { return }
    switch await service.answer(request) {
    case .json(let status, let value):
      let body = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
      try await client.send(head(status, "application/json") + "\(body)\n")
    case .likes(let counts):
      try await client.send(head(200, "text/event-stream"))
      try await withThrowingTaskGroup { group in
        group.addTask { await client.ended() }
        group.addTask { for try await count in counts { try await client.send("data: {\"likes\":\(count)}\n\n") } }
        // A client that hangs up ends the live query; the end of the live query, the connection.
        try await group.next()
        group.cancelAll()
      }
    }
  }

  static func head(_ status: Int, _ type: String) -> String {
    "HTTP/1.1 \(status) \(status < 300 ? "OK" : "Error")\r\nContent-Type: \(type)\r\nConnection: close\r\n\r\n"
  }
}
