#if Replication
  import Foundation
  import Kith
  import Synchronization

  /// A process `kith query --log` of the demo. Its calls may come from several threads.
  final class DemoReplica: Sendable {
    private struct State {
      var process: Process?
      var input: FileHandle?
      var output: FileHandle?
      var waiting: [UInt8] = []
    }

    let name: String
    private let arguments: [String]
    private let log: String
    private let state = Mutex(State())

    /// - Parameter directory: of the demo; the replica's own is in it.
    init(_ number: Int, url: String, in directory: String) {
      name = "replica \(number)"
      log = "\(directory)/replica\(number).log"
      arguments = [
        "query", "--log", url, "\(directory)/replica\(number)", "--name", name, "--snapshots",
        "\(directory)/snapshots",
      ]
    }

    func start() throws(CommandFailure) {
      let (process, input, output) = (Process(), Pipe(), Pipe())
      process.executableURL = Bundle.main.executableURL
      process.arguments = arguments
      process.standardInput = input
      process.standardOutput = output
      _ = FileManager.default.createFile(atPath: log, contents: nil)
      process.standardError = FileHandle(forWritingAtPath: log) ?? FileHandle.nullDevice
      do { try process.run() } catch { throw .no("kith query: \(error.localizedDescription)") }
      state.withLock {
        $0 = State(process: process, input: input.fileHandleForWriting, output: output.fileHandleForReading)
      }
    }

    /// Ends the process at once, as a crash does.
    func kill() {
      let process = state.withLock { $0.process }
      if let process, process.isRunning {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
    }

    /// The answer to one request; nil if the process has ended.
    func ask(_ write: (inout JSONWriter) -> Void) -> [JSONMember]? {
      var writer = JSONWriter()
      writer.object(write)
      writer.newline()
      let line = writer.bytes
      return state.withLock { state in
        guard let input = state.input, let output = state.output else { return nil }
        guard (try? input.write(contentsOf: Data(line))) != nil else { return nil }
        while true {
          if let end = state.waiting.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(state.waiting[..<end])
            state.waiting.removeSubrange(...end)
            guard case .object(let members)? = try? JSONReader.parse(line) else { return nil }
            return members
          }
          let data = output.availableData
          if data.isEmpty { return nil }
          state.waiting += data
        }
      }
    }

    /// What the process said when it ended.
    var lastWords: String {
      let text = try? String(contentsOfFile: log, encoding: .utf8)
      return text?.split(separator: "\n").last.map(String.init) ?? "it ended without a message"
    }
  }

  extension [JSONMember] {
    var isOK: Bool { named("ok")?.value == .boolean(true) }

    func integer(_ name: String) -> Int64? { if case .integer(let value)? = named(name)?.value { value } else { nil } }

    func text(_ name: String) -> String? { if case .string(let value)? = named(name)?.value { value } else { nil } }

    func list(_ name: String) -> [[JSONMember]] {
      guard case .array(let values)? = named(name)?.value else { return [] }
      return values.compactMap { if case .object(let members) = $0 { members } else { nil } }
    }
  }
#endif
