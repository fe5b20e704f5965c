@testable import Kith

/// The files of a store and a target: refused, or a valid graph not beyond the target, from which a new store is made,
/// of all or some components.
struct RestoreTarget: StoreTarget {
  let name = "restore"

  func run(_ input: StoreInput) {
    let disk = input.disk
    let before = disk.files
    guard var recovered = Self.restore(disk, to: input.point) else { return }
    let sequence = recovered.state.sequence
    require(recovered.report.sequence == sequence, "the report tells of another state")
    let digest = RoundTrip.check(recovered.state)
    if case .sequence(let wanted) = input.point {
      require(sequence <= wanted, "change \(sequence) is beyond \(wanted)")
      // If a write goes beyond the target, the change before it was restored; restoring to that change gives the same.
      guard let again = Self.restore(disk, to: .sequence(sequence)) else { fatalError("\(sequence) is not reached") }
      require(RoundTrip.digest(of: again.state) == digest, "change \(sequence) is another when it is asked for")
    }
    require(disk.files == before, "a restore changed what it reads")
    var state = recovered.state.pin()
    if let parts = input.parts { state.keep(parts) }
    StoreCheck.checkCopy(state)
  }

  private static func restore(_ disk: MemoryDisk, to point: RecoveryTarget) -> Recovered? {
    do throws(KithError) {
      return try Recovery.forReading(
        StoreDirectory(MemoryDisk.directory, disk: disk), to: point, now: Timestamp(.max),
        memoryLimit: StoreInput.memoryLimit)
    } catch {
      // No files lead to the target.
      if case .invalidRequest = error { return nil }
      Refusal.check(error)
      return nil
    }
  }
}
