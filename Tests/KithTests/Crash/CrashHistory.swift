@testable import Kith

/// What a store may come back with: the model of the crash tests.
///
/// Position `n` stands for the state after `n` changes. Changes are numbered without gaps, so the state after a crash
/// is one of these or wrong, and the whole list is one number a change.
struct CrashHistory {
  /// The digest of the state after n changes.
  private(set) var digests: [UInt64]
  /// The changes themselves; change n is at n - 1.
  private(set) var changes: [Change] = []
  /// Whether a batch goes on after n, so that no store may end there.
  private var isInsideBatch: [Bool] = [false]
  /// The changes that callers were told are durable, or saw after a recovery: each ends a frame. The last one binds.
  private var acknowledgements: [UInt64] = [0]

  /// Whether a snapshot healed, or was to heal, a broken journal.
  private(set) var wasHealed = false
  /// Whether `ACK` could not be written at some time, so that it may not know of such a snapshot.
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

  /// Changes after `count` never happened: a batch was taken back, or a crash took them.
  mutating func forget(after count: UInt64) {
    changes.removeLast(changes.count - Int(count))
    digests.removeLast(digests.count - 1 - Int(count))
    isInsideBatch.removeLast(isInsideBatch.count - 1 - Int(count))
    isInsideBatch[Int(count)] = false
  }

  /// The last change that must be there.
  var acknowledged: UInt64 { acknowledgements.last ?? 0 }

  /// The last change before the frame of the last one: what is left when that frame is damaged and taken for torn.
  var acknowledgedBefore: UInt64 { acknowledgements.dropLast().last ?? 0 }

  /// A caller was told that this change is durable.
  mutating func acknowledge(_ sequence: UInt64) {
    if sequence > acknowledged { acknowledgements.append(sequence) }
  }

  /// A snapshot heals a broken journal: changes before it may be nowhere else.
  mutating func heal() { wasHealed = true }

  mutating func loseBound() { wasBoundLost = true }

  /// What is wrong with a state that a store came back with; nil when it may.
  func objection(to sequence: UInt64, _ digest: UInt64, atLeast bound: UInt64) -> String? {
    if sequence > attempted { return "change \(sequence) was recovered, only \(attempted) were attempted" }
    if digest != digests[Int(sequence)] { return "the state after \(sequence) changes is not what it was" }
    if sequence < bound { return "change \(bound) was acknowledged, only \(sequence) were recovered" }
    if isInsideBatch[Int(sequence)] { return "a part of a batch was recovered, up to change \(sequence)" }
    return nil
  }

  /// A store came back with this state: callers have seen it, so it must stay.
  mutating func resume(at sequence: UInt64) {
    forget(after: sequence)
    // Damage may have taken what had been acknowledged.
    while acknowledged > sequence { acknowledgements.removeLast() }
    acknowledge(sequence)
  }
}
