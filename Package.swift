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
  targets: [
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .target(name: "CHints"),
    .target(name: "Kith", dependencies: ["CHints", "CZstd"], swiftSettings: settings),
    .executableTarget(name: "KithCLI", dependencies: ["Kith"], swiftSettings: settings),
    .testTarget(name: "KithTests", dependencies: ["Kith"], swiftSettings: settings),
    .testTarget(name: "KithCLITests", dependencies: ["Kith", "KithCLI"], swiftSettings: settings),
  ]
)
