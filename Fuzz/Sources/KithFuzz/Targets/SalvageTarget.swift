@testable import Kith
@testable import KithCLI

/// The files of a store, and each snapshot by itself: the salvaged graph is valid, a new store is made from it, and the
/// report is consistent.
struct SalvageTarget: StoreTarget {
  let name = "salvage"

  func run(_ input: StoreInput) {
    let disk = input.disk
    let before = disk.files
    check { () throws(KithError) in
      try Salvage.run(StoreDirectory(MemoryDisk.directory, disk: disk), memoryLimit: StoreInput.memoryLimit)
    }
    for file in input.files where file.kind == .snapshot {
      check { () throws(KithError) in
        try Salvage.run(snapshot: file.path, disk: disk, memoryLimit: StoreInput.memoryLimit)
      }
    }
    require(disk.files == before, "a salvage changed what it reads")
  }

  private func check(_ salvage: () throws(KithError) -> Salvaged) {
    do throws(KithError) {
      var salvaged = try salvage()
      let report = salvaged.report
      require(report.sequence == salvaged.state.sequence, "the report tells of another state")
      require(isAscending(report.lost) && isAscending(report.refused), "the ranges are not in order: \(report)")
      checkOutput(report.text(SalvageCommand.rangeLimit)) { report.write(to: &$0) }
      StoreCheck.checkCopy(salvaged.state.pin())
    } catch {
      Refusal.check(error)
    }
  }

  private func isAscending(_ ranges: [ClosedRange<UInt64>]) -> Bool {
    zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
  }
}
