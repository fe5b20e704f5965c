/// The release that this is, by semantic versioning. `VersionTests` compares the copies in kith.h and pyproject.toml.
enum Version {
  static let text = "0.1.0"
}
