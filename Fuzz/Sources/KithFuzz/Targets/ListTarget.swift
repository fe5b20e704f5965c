@testable import Kith
@testable import KithCLI

/// The files of a store, as `kith list` prints them: refused, or a listing that can be printed, and that agrees with a
/// restore.
struct ListTarget: StoreTarget {
  let name = "list"

  func run(_ input: StoreInput) {
    let directory = StoreDirectory(MemoryDisk.directory, disk: input.disk)
    do throws(KithError) {
      let listing = try StoreListing(directory)
      checkOutput(listing.text) { listing.write(to: &$0) }
      for problem in listing.problems { require(problem.code == "corrupt", "\(problem)") }
      for snapshot in listing.snapshots {
        guard let range = snapshot.restorable else { continue }
        require(range.lowerBound == snapshot.sequence, "\(snapshot.name) restores another change than its own")
        require(range.upperBound <= listing.lastSequence ?? 0, "\(snapshot.name) leads beyond the last change")
      }
      try checkNewest(listing, in: directory)
    } catch {
      Refusal.check(error)
    }
  }

  /// Without damage, and if the contents can be restored, a restore leads to the state of the list.
  private func checkNewest(_ listing: StoreListing, in directory: StoreDirectory<MemoryDisk>) throws(KithError) {
    guard listing.problems.isEmpty else { return }
    let recovered = try Recovery.forReading(directory, memoryLimit: StoreInput.memoryLimit)
    guard recovered.report.skippedSnapshots.isEmpty else { return }
    let sequence = recovered.state.sequence
    require(
      listing.lastSequence ?? 0 >= sequence, "the list leads to \(listing.lastSequence ?? 0), restoring to \(sequence)")
  }
}
