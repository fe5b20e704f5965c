// swift-tools-version: 6.3
import PackageDescription

// Engine and command line are compiled again here, from the same sources, because fuzzing needs the sanitizers in them
// and access to internals. `-O` with the checks of a debug build: fast, and every assertion counts.
let instrumented: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableExperimentalFeature("Lifetimes"),
  .unsafeFlags(["-O", "-assert-config", "Debug", "-enable-testing", "-sanitize=fuzzer,address"]),
]

// The gold linker, Swift's choice on Linux, fails at the sanitizers' debug information.
#if os(Linux)
  let linker: [LinkerSetting] = [.unsafeFlags(["-use-ld=lld"])]
#else
  let linker: [LinkerSetting] = []
#endif

let package = Package(
  name: "kith-fuzz",
  platforms: [.macOS(.v15)],
  targets: [
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .target(name: "CSupport", cSettings: [.unsafeFlags(["-fsanitize=address"])]),
    .target(name: "Kith", dependencies: ["CSupport", "CZstd"], swiftSettings: instrumented),
    .target(name: "KithReplication", dependencies: ["Kith"], swiftSettings: instrumented),
    .target(
      name: "KithCLI", dependencies: ["Kith", "KithReplication"],
      exclude: ["EntryPoint.swift", "Explore", "ManualCommands.swift"],
      swiftSettings: instrumented),
    .executableTarget(
      name: "KithFuzz", dependencies: ["CSupport", "Kith", "KithCLI"], swiftSettings: instrumented,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])] + linker),
  ]
)
