@testable import Kith
@testable import KithCLI

/// The files of a store, each as `kith inspect` prints it: refused, or printed.
struct InspectTarget: StoreTarget {
  let name = "inspect"

  func run(_ input: StoreInput) {
    for file in input.files where file.kind == .snapshot {
      inspect { () throws(KithError) in
        let summary = try SnapshotFile.inspect(file.content, path: file.path, from: MemoryStorage())
        show(SnapshotReport(summary))
      }
    }
    inspect { () throws(KithError) in
      let listing = try StoreListing(StoreDirectory(MemoryDisk.directory, disk: input.disk))
      for snapshot in listing.snapshots { if let report = snapshot.report { show(report) } }
      for journal in listing.journals {
        checkOutput(journal.text) { journal.writeMembers(to: &$0) }
        require(journal.frameByteCount <= journal.fileByteCount, "\(journal.name) has more frames than bytes")
        require(journal.changeByteCount <= journal.frameByteCount, "\(journal.name) has more changes than frames hold")
      }
    }
  }

  private func inspect(_ body: () throws(KithError) -> Void) {
    do throws(KithError) {
      try body()
    } catch {
      Refusal.check(error)
    }
  }

  private func show(_ report: SnapshotReport) {
    checkOutput(report.text) { report.write(to: &$0) }
    let inFile = report.sections.reduce(0) { $0 + $1.compressedByteCount }
    require(inFile <= report.fileByteCount, "the sections are longer than their file")
  }
}
