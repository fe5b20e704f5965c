// swift-tools-version: 6.3
import PackageDescription

/// Programs of one main.swift: their code runs on the main actor, as that of an app does.
let app: [SwiftSetting] = [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]
let kith = Target.Dependency.product(name: "Kith", package: "kith")

let package = Package(
  name: "kith-examples",
  platforms: [.macOS(.v15), .iOS(.v18)],
  // Named, so that the line works whatever the folder is called.
  dependencies: [.package(name: "kith", path: "..")],
  targets: [
    .target(name: "Shared", dependencies: [kith], swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(name: "friends", dependencies: [kith, "Shared"], swiftSettings: app),
    .executableTarget(name: "quotes", dependencies: [kith, "Shared"], swiftSettings: app),
    .executableTarget(name: "timeline", dependencies: [kith, "Shared"], swiftSettings: app),
    .executableTarget(name: "postcodes", dependencies: [kith, "Shared"], swiftSettings: app),
    .executableTarget(name: "likes", dependencies: [kith, "Shared"], swiftSettings: app),
    .executableTarget(name: "microblog", dependencies: [kith], swiftSettings: app),
    .executableTarget(name: "server", dependencies: [kith, "Shared"], swiftSettings: [.swiftLanguageMode(.v6)]),
    .target(name: "Screen", dependencies: [kith], swiftSettings: app),
  ]
)
