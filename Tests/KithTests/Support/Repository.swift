import Foundation

/// The text files of this repository, found from the path of this file.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let files = folders.flatMap(files(in:)) + singles.compactMap(file(at:))

  /// Links to folders are not followed: their targets are read in their own place.
  private static let folders = [
    "Sources", "Tests", "Benchmarks", "Examples/Sources", "Examples/c", "Examples/service", "Fuzz/Sources", "Scripts",
    "Snapshots", "docs", ".ci", "bindings/c", "bindings/python/benchmarks", "bindings/python/examples",
    "bindings/python/src", "bindings/python/tests",
  ]
  private static let singles = [
    "Package.swift", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Fuzz/Package.swift", "Fuzz/README.md",
    "Examples/Package.swift", "Examples/README.md", "bindings/python/README.md", "bindings/python/build_kith.py",
    "bindings/python/setup.py", "Examples/test",
  ]
  /// Extensions of files that people write; scripts have none.
  private static let extensions: Set<String> = [
    "swift", "c", "cpp", "h", "modulemap", "md", "py", "pyi", "js", "sh", "",
  ]

  private static func files(in folder: String) -> [SourceFile] {
    let url = root.appendingPathComponent(folder)
    let paths = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
    return paths.sorted().compactMap { path in
      if path.split(separator: "/").contains(where: { $0.hasPrefix(".") || $0 == "__pycache__" }) { return nil }
      guard extensions.contains((path as NSString).pathExtension) else { return nil }
      return file(at: "\(folder)/\(path)")
    }
  }

  static func file(at path: String) -> SourceFile? {
    guard let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) else { return nil }
    return SourceFile(path: path, text: text)
  }
}
