// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "kith-benchmarks",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "kith-benchmarks", targets: ["KithBenchmarks"])],
  dependencies: [.package(name: "kith", path: "..")],
  targets: [
    .target(name: "CFloor"),
    .executableTarget(
      name: "KithBenchmarks",
      dependencies: ["CFloor", .product(name: "Kith", package: "kith")],
      swiftSettings: [.swiftLanguageMode(.v6), .strictMemorySafety()]),
  ]
)
