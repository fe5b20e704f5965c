// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "kith-benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "kith-benchmarks", targets: ["KithBenchmarks"]),
    .executable(name: "kith-driver", targets: ["KithDriver"]),
  ],
  traits: [
    .trait(name: "Regex", description: "Measures regular expressions too; needs the C++ library re2.")
  ],
  dependencies: [
    .package(name: "kith", path: "..", traits: [.trait(name: "Regex", condition: .when(traits: ["Regex"]))])
  ],
  targets: [
    .target(name: "CBaseline"),
    .executableTarget(
      name: "KithBenchmarks",
      dependencies: ["CBaseline", .product(name: "Kith", package: "kith")],
      swiftSettings: [.swiftLanguageMode(.v6), .strictMemorySafety()]),
    .executableTarget(
      name: "KithDriver", dependencies: [.product(name: "Kith", package: "kith")],
      swiftSettings: [.swiftLanguageMode(.v6), .strictMemorySafety()]),
  ]
)
