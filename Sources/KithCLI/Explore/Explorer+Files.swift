import Kith

/// The files of a store, and the times that they restore.
extension Explorer {
  func files() throws(HTTPFailure) -> HTTPReply {
    guard store.kind == .store else { return try snapshotFile() }
    let listing = try HTTPFailure.from { () throws(KithError) in try StoreTools.list(store.path) }
    return .object { writer in
      writer.objects("snapshots", listing.snapshots) { writer, snapshot in
        writer.member("name", snapshot.name)
        writer.member("sequence", snapshot.sequence)
        writer.member("time", orNull: snapshot.report?.writtenAt.rawValue)
        writer.member("bytes", orNull: snapshot.report?.fileByteCount)
        writer.member("state", snapshot.problem?.message ?? "readable")
      }
      writer.objects("journals", zip(listing.journals, listing.restorableByJournal)) { writer, item in
        item.0.write(to: &writer, isRestorable: item.1 != nil)
      }
      let now = Timestamp.now().rawValue
      writer.member("earliest", orNull: listing.restorableTimes.min().map { min($0, now) })
      writer.member("latest", orNull: listing.restorableTimes.max().map { min($0, now) })
      writer.member("clock", stringOrNull: listing.clockSteps.remark)
      let activity = listing.journals.reduce(into: ChangeActivity()) { $0.merge($1.activity) }
      writer.object("activity") { writer in
        writer.member("step", activity.step)
        writer.array("counts", activity.counts) { writer, bucket in
          writer.array([bucket.start, Int64(bucket.count)]) { $0.integer($1) }
        }
      }
    }
  }

  private func snapshotFile() throws(HTTPFailure) -> HTTPReply {
    let reports = try HTTPFailure.from { () throws(KithError) in try StoreTools.inspect(store.path) }
    return .object { writer in
      writer.objects("snapshots", reports) { writer, report in
        writer.member("name", report.path)
        writer.member("sequence", report.sequence)
        writer.member("time", report.writtenAt.rawValue)
        writer.member("bytes", report.fileByteCount)
        writer.member("state", "readable")
      }
      writer.array("journals", [Int]()) { $0.integer($1) }
      writer.member("earliest", orNull: reports.first?.writtenAt.rawValue)
      writer.member("latest", orNull: reports.first?.writtenAt.rawValue)
    }
  }
}

extension JournalReport {
  fileprivate func write(to writer: inout JSONWriter, isRestorable: Bool) {
    writer.member("name", name)
    writer.member("from", firstSequence)
    writer.member("to", lastSequence)
    writer.member("bytes", fileByteCount)
    writer.member("fromTime", orNull: header?.writtenAt.rawValue)
    writer.member("toTime", orNull: lastWrittenAt?.rawValue)
    writer.member("state", problem?.message ?? end.word)
    writer.member("restorable", isRestorable)
  }
}

extension StoreListing {
  /// The times of the snapshots that can be restored, and of the ends of the journals that lead on from them.
  fileprivate var restorableTimes: [Int64] {
    let snapshots = snapshots.filter { $0.restorable != nil }.compactMap(\.report?.writtenAt.rawValue)
    let journals = zip(journals, restorableByJournal).filter { $0.1 != nil }.flatMap { journal, _ in
      [journal.header?.writtenAt.rawValue, journal.lastWrittenAt?.rawValue].compactMap(\.self)
    }
    return snapshots + journals
  }
}
