import Synchronization

/// The directories that could not be synced, where that is no error: a copy on such a file system is better than none.
final class UnsyncedDirectories: Sendable {
  private let paths = Mutex<[String]>([])

  func note(_ path: String) {
    paths.withLock { paths in
      if !paths.contains(path) { paths.append(path) }
    }
  }

  /// One sentence; nil if all were synced.
  var remark: String? {
    guard let path = paths.withLock({ $0.last }) else { return nil }
    return "the file system of \(path.shownPath) cannot sync directories: a power cut within the next moments may take "
      + "the new name back"
  }
}

extension KithError {
  /// Says why there can be no store in a directory that cannot be synced; nil for other errors.
  static func unsyncable(_ directory: String, _ error: KithError) -> KithError? {
    guard case .system(let number, let call, _) = error, SystemError.isUnsyncable(number) else { return nil }
    return .notAStore(
      path: directory,
      reason: "its file system cannot sync directories (\(call): errno \(number)), so a power cut could take files of "
        + "a store back, and acknowledged changes with them; keep the store on another file system, such as a local "
        + "disk, and open this one only for reading")
  }
}
