// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableExperimentalFeature("Lifetimes"),  // inside the module only: a Span over one's own memory
]

let package = Package(
  name: "kith",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Kith", targets: ["Kith"]),
    .executable(name: "kith", targets: ["KithCLI"]),
  ],
  traits: [
    .trait(name: "Regex", description: "Searching users by regular expressions; needs the C++ library re2.")
  ],
  targets: [
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .target(name: "CHints"),
    .target(
      name: "CRegex",
      cxxSettings: [.define("KITH_REGEX", .when(traits: ["Regex"]))],
      linkerSettings: [.linkedLibrary("re2", .when(traits: ["Regex"]))]),
    .target(
      name: "Kith",
      dependencies: ["CHints", "CZstd", .target(name: "CRegex", condition: .when(traits: ["Regex"]))],
      swiftSettings: settings),
    .executableTarget(
      name: "KithCLI", dependencies: ["Kith"], exclude: ["Query/README.md"], swiftSettings: settings),
    .testTarget(name: "KithTests", dependencies: ["Kith"], swiftSettings: settings),
    .testTarget(name: "KithCLITests", dependencies: ["Kith", "KithCLI"], swiftSettings: settings),
  ],
  cxxLanguageStandard: .cxx17
)
