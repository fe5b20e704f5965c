import Foundation

/// The machine of the measurements.
struct Machine: Sendable {
  let processor: String
  let coreCount: Int
  let memoryByteCount: Int
  let system: String
  /// The load average over the minute before; nil if the system does not report it.
  let load: String?
  let measuredAt: String

  init() {
    let process = ProcessInfo.processInfo
    processor = Self.processorName ?? Self.architecture
    coreCount = process.activeProcessorCount
    memoryByteCount = Int(clamping: process.physicalMemory)
    #if os(macOS)
      system = "macOS, \(process.operatingSystemVersionString)"
    #else
      system = Self.field("PRETTY_NAME", of: "/etc/os-release") ?? process.operatingSystemVersionString
    #endif
    load = Self.text(of: "/proc/loadavg")?.split(separator: " ").first.map(String.init)
    measuredAt = timeText(Int64(Date().timeIntervalSince1970 * 1_000)) + " UTC"
  }

  /// One line: `Some Processor, 2 cores, 23.4 GB, Debian GNU/Linux 12`.
  var text: String {
    "\(processor), \(counted(coreCount, "core")), \(byteText(memoryByteCount)) of memory, \(system)"
  }

  /// A warning for a build that is not meant for measuring; nil otherwise.
  static var warning: String? {
    #if DEBUG
      "this kith was built for debugging, without optimisation: the figures do not apply to a release build"
    #else
      nil
    #endif
  }

  private static var architecture: String {
    #if arch(arm64)
      "arm64"
    #elseif arch(x86_64)
      "x86-64"
    #else
      "unknown processor"
    #endif
  }

  private static var processorName: String? { field("model name", of: "/proc/cpuinfo") }

  /// The value after a name and `:` or `=`, without quotes.
  private static func field(_ name: String, of path: String) -> String? {
    guard let line = text(of: path)?.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
      let place = line.firstIndex(where: { $0 == ":" || $0 == "=" })
    else { return nil }
    let value = line[line.index(after: place)...].drop { $0 == " " || $0 == "\"" }
    return value.isEmpty ? nil : String(value.prefix { $0 != "\"" })
  }

  private static func text(of path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
