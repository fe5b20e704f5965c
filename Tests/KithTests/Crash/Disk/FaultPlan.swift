@testable import Kith

/// The calls of `Disk` that can fail. `dropCache` is a hint and cannot.
enum DiskCall: String, Sendable, CaseIterable {
  case create, open, byteCount, read, write, sync, truncate, tryLock, status, rename, remove, makeDirectory,
    syncDirectory, list

  /// Whether the call changes the disk. Between two such calls a crash leaves the same state wherever it comes.
  var changesDisk: Bool {
    switch self {
    case .create, .write, .sync, .truncate, .rename, .remove, .makeDirectory, .syncDirectory: true
    case .open, .byteCount, .read, .tryLock, .status, .list: false
    }
  }

  /// Whether it may need space.
  var takesSpace: Bool {
    switch self {
    case .create, .write, .sync, .rename, .makeDirectory, .syncDirectory: true
    default: false
    }
  }
}

/// How many calls were made, and which was the last.
struct CallCounter: Sendable {
  private(set) var callCount = 0
  /// Calls that change the disk.
  private(set) var changeCount = 0
  /// Calls that met a fault.
  private(set) var faultCount = 0
  /// Whether one of them was a call for `ACK`: the store then continues without it.
  private(set) var hasBoundFault = false
  private(set) var last: (call: DiskCall, path: String)?

  mutating func count(_ call: DiskCall, _ path: String) {
    callCount += 1
    if call.changesDisk { changeCount += 1 }
    last = (call, path)
  }

  mutating func countFault(_ path: String) {
    faultCount += 1
    if path.isAcknowledgements { hasBoundFault = true }
  }
}

/// Which call fails, and how: at one place, at random, or because the disk is full.
struct FaultPlan: Sendable {
  enum Fault: String, Sendable, CaseIterable {
    /// Crash: before the call, in its middle, or right after it.
    case crash
    /// EIO: nothing is done, except that a sync may write any sectors.
    case inputOutputError
    /// ENOSPC, for calls that may need space: any prefix of a write is done, any sectors of a sync.
    case noSpace
    /// A write stops in its middle with EIO; other calls succeed.
    case shortWrite

    func canStrike(_ call: DiskCall) -> Bool {
      switch self {
      case .crash, .inputOutputError: true
      case .noSpace: call.takesSpace
      case .shortWrite: call == .write
      }
    }
  }

  /// The call, counted from 1, that crashes, among those that change the disk.
  var crashAtChange = Int.max
  /// The call, counted from 1, that meets a fault, among all.
  var faultAtCall = Int.max
  var fault = Fault.crash
  /// One in this many calls that read fails; 0: none.
  var readFaultOdds = 0
  /// One in this many calls that change the disk fails with EIO; 0: none.
  var changeFaultOdds = 0
  /// One in this many calls that may need space fails with ENOSPC; 0: none.
  var spaceFaultOdds = 0
  /// The total bytes that all files may have.
  var capacity = Int.max

  func fault(at counter: CallCounter, _ call: DiskCall, _ random: inout SeededRandom) -> Fault? {
    if call.changesDisk && counter.changeCount >= crashAtChange { return .crash }
    if counter.callCount == faultAtCall { return fault.canStrike(call) ? fault : nil }
    if call.changesDisk {
      if changeFaultOdds > 0 && random.below(changeFaultOdds) == 0 {
        return call == .write && random.below(2) == 0 ? .shortWrite : .inputOutputError
      }
    } else if readFaultOdds > 0 && random.below(readFaultOdds) == 0 {
      return .inputOutputError
    }
    if call.takesSpace && spaceFaultOdds > 0 && random.below(spaceFaultOdds) == 0 { return .noSpace }
    return nil
  }

  /// The offset that a write to a file can reach.
  func room(for end: Int, in inode: Int, of volume: SimulatedVolume) -> Int {
    if capacity == .max { return end }
    return volume.inodes[inode].cache.count + Swift.max(0, capacity - volume.usedByteCount)
  }
}
