@testable import Kith

/// The calls of the seam that can fail. `dropCache` is a wish and cannot.
enum DiskCall: String, Sendable, CaseIterable {
  case create, open, byteCount, read, write, sync, truncate, tryLock, status, rename, remove, makeDirectory,
    syncDirectory, list

  /// Whether the disk is another afterwards: between two such calls a crash leaves the same, wherever it falls.
  var changesDisk: Bool {
    switch self {
    case .create, .write, .sync, .truncate, .rename, .remove, .makeDirectory, .syncDirectory: true
    case .open, .byteCount, .read, .tryLock, .status, .list: false
    }
  }

  /// Whether it may need room.
  var takesSpace: Bool {
    switch self {
    case .create, .write, .sync, .rename, .makeDirectory, .syncDirectory: true
    default: false
    }
  }
}

/// How many calls there were, and which was the last.
struct CallCounter: Sendable {
  private(set) var callCount = 0
  /// Those that change the disk.
  private(set) var changeCount = 0
  /// Calls that met a fault.
  private(set) var faultCount = 0
  /// Whether one of them was a call for `ACK`: the store goes on without it then.
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

/// When which call goes wrong: at one place, at random, or because the disk is full.
struct FaultPlan: Sendable {
  enum Fault: String, Sendable, CaseIterable {
    /// Everything stops: before the call, in its middle, or right after it.
    case crash
    /// EIO: nothing is done, except that of a sync any sectors land.
    case inputOutputError
    /// ENOSPC, for calls that may need room: any first part of a write is done, any sectors of a sync.
    case noSpace
    /// A write stops in its middle with EIO; other calls do not meet it.
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
  /// One in so many calls that read fails; 0: none does.
  var readFaultOdds = 0
  /// One in so many calls that change the disk fails with EIO; 0: none does.
  var changeFaultOdds = 0
  /// One in so many calls that may need room fails with ENOSPC; 0: none does.
  var spaceFaultOdds = 0
  /// Bytes that all files together may have.
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

  /// To which byte a write to a file can go.
  func room(for end: Int, in inode: Int, of volume: SimulatedVolume) -> Int {
    if capacity == .max { return end }
    return volume.inodes[inode].cache.count + Swift.max(0, capacity - volume.usedByteCount)
  }
}
