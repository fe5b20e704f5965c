@testable import Kith

/// The model of the crash tests: the states that a store may recover to.
///
/// Position `n` is the state after `n` changes. Changes are numbered without gaps, so the state after a crash is one of
/// these or wrong, and the whole list takes one number a change.
struct CrashHistory {
  /// The digest of the state after n changes.
  private(set) var digests: [UInt64]
  /// The changes themselves; change n is at n - 1.
  private(set) var changes: [Change] = []
  /// Whether a batch continues after n, so that no store may end there.
  private var isInsideBatch: [Bool] = [false]
  /// The changes that callers know to be durable, acknowledged or seen after a recovery: each ends a frame. The last
  /// one must survive.
  private var watermark: [UInt64] = [0]

  /// Whether a snapshot healed, or was started to heal, a broken journal.
  private(set) var wasHealed = false
  /// Whether a write of `ACK` failed, so that it may not know of such a snapshot.
  private(set) var wasBoundLost = false

  init(empty digest: UInt64) {
    digests = [digest]
  }

  var attempted: UInt64 { UInt64(digests.count - 1) }

  /// A change was made in memory.
  mutating func append(_ change: Change, _ digest: UInt64) {
    changes.append(change)
    digests.append(digest)
    isInsideBatch.append(false)
  }

  /// All changes after `first` are one batch.
  mutating func joinBatch(after first: UInt64) {
    for number in (Int(first) + 1)..<Swift.max(Int(first) + 1, digests.count - 1) { isInsideBatch[number] = true }
  }

  /// Changes after `count` do not exist: a batch was rolled back, or a crash lost them.
  mutating func forget(after count: UInt64) {
    changes.removeLast(changes.count - Int(count))
    digests.removeLast(digests.count - 1 - Int(count))
    isInsideBatch.removeLast(isInsideBatch.count - 1 - Int(count))
    isInsideBatch[Int(count)] = false
  }

  /// The last change that must have survived.
  var acknowledged: UInt64 { watermark.last ?? 0 }

  /// The last change before the last frame: what is left when that frame is damaged and taken for torn.
  var acknowledgedBefore: UInt64 { watermark.dropLast().last ?? 0 }

  /// A caller got the acknowledgement that this change is durable.
  mutating func acknowledge(_ sequence: UInt64) {
    if sequence > acknowledged { watermark.append(sequence) }
  }

  /// A snapshot heals a broken journal: the changes before it may be stored nowhere else.
  mutating func heal() { wasHealed = true }

  mutating func loseBound() { wasBoundLost = true }

  /// What is wrong with a recovered state; nil if it is allowed.
  func objection(to sequence: UInt64, _ digest: UInt64, atLeast bound: UInt64) -> String? {
    if sequence > attempted { return "change \(sequence) was recovered, only \(attempted) were attempted" }
    if digest != digests[Int(sequence)] { return "the state after \(sequence) changes is not what it was" }
    if sequence < bound { return "change \(bound) was acknowledged, only \(sequence) were recovered" }
    if isInsideBatch[Int(sequence)] { return "a part of a batch was recovered, up to change \(sequence)" }
    return nil
  }

  /// A store recovered this state: callers have seen it, so it must survive.
  mutating func resume(at sequence: UInt64) {
    forget(after: sequence)
    // Damage may have removed acknowledged changes.
    while acknowledged > sequence { watermark.removeLast() }
    acknowledge(sequence)
  }
}
