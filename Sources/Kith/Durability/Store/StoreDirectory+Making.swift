/// Stores that are made by one command: a restore, a salvage, an import or a seed.
///
/// A mark is in the directory before any other file, and opening refuses it. The first snapshot makes the directory a
/// store by its rename; the mark is removed then. So whatever ends the command, the whole store is there or none.
extension StoreDirectory {
  /// Marks a directory without a store. One that does not exist appears with the mark in it.
  func makeMark(inNewDirectory isNew: Bool) throws(KithError) {
    guard isNew else {
      _ = try disk.create(path.appendingPathComponent(StoreNames.mark))
      return
    }
    let staging = path.withoutTrailingSlashes + StoreNames.stagingSuffix
    let status = try disk.status(of: staging, followingLinks: false)
    if status == nil { try disk.makeDirectory(staging) }
    let names = status == nil ? [] : status?.kind == .directory ? try disk.list(staging) : nil
    guard let names, names.allSatisfy({ $0 == StoreNames.mark }) else {
      throw .notAStore(path: staging, reason: "it is in the way of a new store; move or remove it")
    }
    let mark = staging.appendingPathComponent(StoreNames.mark)
    if names.isEmpty { _ = try disk.create(mark) }
    do throws(KithError) {
      try disk.rename(staging, to: path.withoutTrailingSlashes)
    } catch {
      try? disk.remove(mark)
      try? disk.removeDirectory(staging)
      throw error
    }
  }

  /// Removes the mark, once there is a snapshot. If it fails, the next writer removes it.
  func removeMark() {
    guard (try? disk.remove(path.appendingPathComponent(StoreNames.mark))) != nil else { return }
    try? disk.syncDirectory(path)
  }

  /// Removes what a failed command has left of a store that it has not finished; anything else stays.
  /// - Parameter alsoDirectory: whether the directory goes, too, if it is empty then.
  func removeUnfinished(alsoDirectory: Bool) {
    guard let contents = try? contents(evenUnfinished: true), contents.isUnfinished,
      let lock = try? StoreLock(directory: path, disk: disk)
    else { return }
    defer { extendLifetime(lock) }
    var names = contents.temporaries
    if contents.hasAcknowledgements { names.append(StoreNames.watermark) }
    for name in names + [StoreNames.mark] { try? disk.remove(path.appendingPathComponent(name)) }
    // Only with the directory: two writers could lock two files otherwise.
    guard alsoDirectory, contents.strays.isEmpty else { return }
    try? disk.remove(path.appendingPathComponent(StoreNames.lock))
    try? disk.removeDirectory(path)
  }
}
