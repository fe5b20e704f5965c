// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableExperimentalFeature("Lifetimes"),  // inside the module only: a Span over one's own memory
]

let package = Package(
  name: "kith",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Kith", targets: ["Kith"]),
    .library(name: "KithFoundation", targets: ["KithFoundation"]),
    .library(name: "KithReplication", targets: ["KithReplication"]),
    .executable(name: "kith", targets: ["KithCLI"]),
    // Named so because a library `kith` beside the command `kith` does not link; Scripts/build-libkith renames it.
    .library(name: "libkith", type: .dynamic, targets: ["KithC"]),
  ],
  traits: [
    .trait(name: "Regex", description: "Searching users by regular expressions; needs the C++ library re2."),
    .trait(name: "BundledZstd", description: "Builds zstd from its own package, where the system has no libzstd."),
    .trait(
      name: "Explorer",
      description: "The command kith explore, a page in the browser; needs the C library libmicrohttpd."),
    .trait(name: "Replication", description: "Several hosts with one log in PostgreSQL; needs the C library libpq."),
  ],
  // Fetched with the trait alone: without it, nothing needs the network.
  dependencies: [.package(url: "https://github.com/facebook/zstd", .upToNextMajor(from: "1.5.6"))],
  targets: [
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CMicrohttpd", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(name: "CSupport"),
    .target(
      name: "CExplorer",
      dependencies: [.target(name: "CMicrohttpd", condition: .when(traits: ["Explorer"]))],
      exclude: ["Page"],
      cSettings: [.define("KITH_EXPLORER", .when(traits: ["Explorer"]))]),
    .target(
      name: "CRegex",
      cxxSettings: [.define("KITH_REGEX", .when(traits: ["Regex"]))],
      linkerSettings: [.linkedLibrary("re2", .when(traits: ["Regex"]))]),
    .target(
      name: "Kith",
      dependencies: [
        "CSupport",
        // A condition cannot say "without a trait": with BundledZstd these systems have both, and CZstd is not used.
        .target(name: "CZstd", condition: .when(platforms: [.linux, .macOS])),
        .product(name: "libzstd", package: "zstd", condition: .when(traits: ["BundledZstd"])),
        .target(name: "CRegex", condition: .when(traits: ["Regex"])),
      ],
      swiftSettings: settings),
    .target(name: "CKith", dependencies: ["CSupport"]),
    // Every line of it handles pointers of C, so it is compiled without the rules for memory safety.
    .target(
      name: "KithC", dependencies: ["CKith", "CSupport", "Kith"], swiftSettings: [.swiftLanguageMode(.v6)]),
    .target(name: "KithFoundation", dependencies: ["Kith"], swiftSettings: settings),
    .target(
      name: "KithReplication",
      dependencies: ["Kith", .target(name: "CPostgres", condition: .when(traits: ["Replication"]))],
      swiftSettings: settings),
    .executableTarget(
      name: "KithCLI", dependencies: ["CExplorer", "Kith", "KithReplication"], swiftSettings: settings),
    .testTarget(name: "KithTests", dependencies: ["Kith"], swiftSettings: settings),
    .target(name: "HostModels", path: "Tests/HostModels"),
    .testTarget(
      name: "KithHostTests", dependencies: ["Kith", "KithFoundation", "HostModels"], swiftSettings: settings),
    .testTarget(
      name: "KithCTests", dependencies: ["CKith", "Kith", "KithC"], swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "KithReplicationTests", dependencies: ["Kith", "KithReplication"], swiftSettings: settings),
    .testTarget(
      name: "KithCLITests", dependencies: ["Kith", "KithCLI", "KithReplication"], swiftSettings: settings),
  ],
  cxxLanguageStandard: .cxx17
)

// `.ci/run` sets it for the thread sanitizer, under which neither the command nor replicas are tested.
if Context.environment["KITH_TESTED"] == "libraries" {
  package.products.removeAll { !["Kith", "KithFoundation"].contains($0.name) }
  let untested = [
    "CKith", "KithC", "KithCTests", "KithCLI", "KithCLITests", "KithReplication", "KithReplicationTests",
  ]
  package.targets.removeAll { untested.contains($0.name) }
}
