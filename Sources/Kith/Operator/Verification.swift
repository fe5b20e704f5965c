/// Verifies a snapshot file or a store: reads and checks everything.
///
/// For a snapshot file: that a graph can be built from it, by the same code that restores it. For a store: the same for
/// every snapshot; the frames and order of every journal; `ACK`; and that all of it leads to a state. A deep
/// verification also checks the invariants of that state: forward and backward lists, counters, indexes. A quick one
/// checks only hashes and order, which detects all accidental damage, but not forgery.
package struct Verification: Sendable {
  /// How much is verified.
  package enum Extent: Sendable {
    /// Hashes and the order of files. No graph is built.
    case quick
    /// The checks of restoring and opening.
    case whole
    /// Also the invariants of the graph.
    case deep
  }

  /// The damage and its places; empty if there is none.
  package private(set) var problems: [SocialGraph.Violation] = []
  /// Harmless findings: what was torn by a crash and never acknowledged.
  package private(set) var remarks: [String] = []
  /// The sequence number of the last change; nil if the files lead to no state.
  package private(set) var sequence: UInt64?
  package let extent: Extent
  private let passes: PassControl

  /// - Parameter allowedByteCount: the most memory for the graph of a snapshot file, if its size allows less: see
  ///   `RestoreLimit`.
  /// - Parameter control: reports what was read, and cancels.
  /// - Parameter passes: reports how much of the graph a deep verification has checked, and cancels that.
  /// - Throws: errors that prevent opening, such as `noStore`, `notAStore`, `unsupportedVersion`, `limitExceeded`,
  ///   `system`; `cancelled`.
  /// - Complexity: O(all files); memory: the graph, or a few megabytes if quick.
  package init(
    of path: String, _ extent: Extent = .whole, allowedByteCount: Int? = nil, control: ReadControl? = nil,
    passes: PassControl = PassControl()
  ) throws(KithError) {
    self.extent = extent
    self.passes = passes
    let disk = SystemDisk(control: control)
    if try StoreTools.isFile(path, disk) {
      try verify(try disk.open(path, writable: false), named: path, from: disk, allowedByteCount)
    } else {
      try verify(store: StoreDirectory(path, disk: disk))
    }
  }

  /// Verifies the bytes of a snapshot, which errors call `name`.
  package init(
    ofSnapshot bytes: [UInt8], named name: String, _ extent: Extent = .whole, allowedByteCount: Int? = nil,
    passes: PassControl = PassControl()
  ) throws(KithError) {
    self.extent = extent
    self.passes = passes
    try verify(bytes, named: name, from: MemoryStorage(), allowedByteCount)
  }

  private mutating func verify<Storage: ByteStorage>(
    _ file: Storage.File, named name: String, from storage: Storage, _ allowedByteCount: Int?
  ) throws(KithError) {
    do throws(KithError) {
      if extent == .quick {
        sequence = try SnapshotFile.verify(file, path: name, from: storage).header.sequence
        return
      }
      let snapshot = try SnapshotFile.read(
        file, path: name, limit: .outside(allowedByteCount: allowedByteCount), from: storage)
      sequence = snapshot.header.sequence
      if extent == .deep {
        problems = try check(snapshot.state)
        remarks = snapshot.state.users.sharedNames.remark.map { [$0] } ?? []
      }
    } catch {
      guard case .corrupt = error else { throw error }
      problems = [try SocialGraph.Violation(damage: error)]
    }
  }

  private func check(_ state: borrowing GraphState) throws(KithError) -> [SocialGraph.Violation] {
    let violations = state.checkInvariants(passes)
    if passes.isCancelled { throw .cancelled }
    return violations
  }

  // MARK: - Stores

  private mutating func verify(
    store directory: StoreDirectory<SystemDisk>
  ) throws(KithError) {
    _ = try directory.openForReading()
    var (base, invariants, failure): (String?, [SocialGraph.Violation], SocialGraph.Violation?) = (nil, [], nil)
    if extent != .quick {
      do throws(KithError) {
        let recovered = try Recovery<SystemDisk>.forReading(directory)
        sequence = recovered.state.sequence
        remarks = recovered.report.remarks(onSnapshots: false)
        base = recovered.report.snapshot
        if extent == .deep { invariants = try check(recovered.state) }
      } catch {
        failure = try SocialGraph.Violation(damage: error)
      }
    }
    for name in try directory.openForReading().strays {
      remarks.append("\(name.shownPath) is no file of a store, and is passed over")
    }
    let restored = base
    problems = try StoreDirectory<SystemDisk>.againWhilePruned { () throws(KithError) in
      try damage(in: directory, besides: restored)
    }
    problems += invariants
    // The reason why the files lead to no state was often already found in one of them.
    if let failure, !problems.contains(where: { $0.place == failure.place }) { problems.append(failure) }
  }

  /// Checks the files, each by itself and in their order.
  /// - Parameter restored: the snapshot from which a graph was already built.
  private mutating func damage(
    in directory: StoreDirectory<SystemDisk>, besides restored: String?
  ) throws(KithError) -> [SocialGraph.Violation] {
    var problems: [SocialGraph.Violation] = []
    for name in try directory.openForReading().snapshots where name.description != restored {
      do throws(KithError) {
        if extent == .quick {
          try directory.verify(name)
        } else {
          _ = try directory.readSnapshot(name)
        }
      } catch {
        problems.append(try SocialGraph.Violation(damage: error))
      }
    }
    do throws(KithError) {
      let listing = try StoreListing(directory)
      if extent == .quick {
        sequence = listing.lastSequence
        let places = problems.map(\.place)
        problems += listing.problems.filter { !places.contains($0.place) }
      } else {
        problems += listing.journals.compactMap(\.problem) + listing.gaps
      }
    } catch {
      problems.append(try SocialGraph.Violation(damage: error))
    }
    return problems
  }
}
