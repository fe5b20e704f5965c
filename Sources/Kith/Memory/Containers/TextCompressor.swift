import CSupport

/// Compresses texts one by one, so that each can be read alone: every text is a sequence of codes of twelve bits, each
/// of which means a token of one to eight bytes.
///
/// The tokens are learned from the first megabyte of texts, while they are stored as they are: two tokens that often
/// follow each other become one. Learning takes a microsecond or two of each of these texts, so no change waits for it.
/// When the texts have changed so much that a megabyte of them takes an eighth more than it did, a further table is
/// learned in the same way. Each text keeps the number of its table; no text is encoded again.
///
/// Chat takes 0.45 of its bytes, the texts of `kith seed` 0.42, quotations 0.44; 0.56 and 0.46 with codes of one byte
/// (P. Boncz, T. Neumann, V. Leis, "FSST: Fast random access string compression", 2020), 0.36 and 0.37 with codes of
/// two bytes, whose table of a megabyte leaves the caches. A text of eighty bytes is decoded in 45 ns. After
/// F. Gargiulo, R. Venturini, "OnPair: short strings compression for fast random access", 2025.
///
/// One writer uses it. Readers decode beside it: a table is complete before a text refers to it, and never changes.
@safe final class TextCompressor: @unchecked Sendable {
  typealias Tables = UnsafePointer<UnsafeMutablePointer<kith_tokens>?>

  /// The bytes of texts from which tokens are learned, at most; and of which the share is taken that they keep.
  static let windowByteCount = 1 << 20
  /// The highest number of a table; 0 marks a plain text. After that, the last table is kept.
  static let maximumTableCount = 255

  /// The bits of a code, and the most of the token that it means.
  static let fewestBits = 12
  static let mostBits = 64

  /// The tables by number, from 1 on.
  let tables: Tables
  private let slots: UnsafeMutablePointer<UnsafeMutablePointer<kith_tokens>?>
  private(set) var tableCount = 0
  private let windowByteCount: Int
  private var trainer: UnsafeMutablePointer<kith_token_trainer>?
  private var learnedByteCount = 0
  /// The codes of the last text.
  private let codes: UnsafeMutablePointer<UInt8>
  private var window = (textByteCount: 0, storedByteCount: 0)
  /// The fewest bytes that a window took with the present table.
  private var leastByteCount = Int.max

  init(windowByteCount: Int) {
    self.windowByteCount = windowByteCount
    unsafe slots = .allocate(capacity: Self.maximumTableCount + 1)
    unsafe slots.initialize(repeating: nil, count: Self.maximumTableCount + 1)
    unsafe tables = unsafe UnsafePointer(slots)
    unsafe codes = .allocate(capacity: TextColumn.maximumByteCount)
    beginLearning()
  }

  deinit {
    for number in 0...tableCount { unsafe slots[number]?.deallocate() }
    unsafe trainer?.deallocate()
    unsafe slots.deallocate()
    unsafe codes.deallocate()
  }

  var isLearning: Bool { unsafe trainer != nil }

  /// The bytes of tables and buffers.
  var byteCount: Int {
    tableCount * MemoryLayout<kith_tokens>.size + (isLearning ? MemoryLayout<kith_token_trainer>.size : 0)
      + (Self.maximumTableCount + 1) * MemoryLayout<UInt>.size + TextColumn.maximumByteCount
  }

  // MARK: - Learning

  private func beginLearning() {
    let trainer = UnsafeMutablePointer<kith_token_trainer>.allocate(capacity: 1)
    unsafe UnsafeMutableRawPointer(trainer).initializeMemory(
      as: UInt8.self, repeating: 0, count: MemoryLayout<kith_token_trainer>.size)
    unsafe kith_tokens_begin(&trainer.pointee.tokens)
    unsafe self.trainer = unsafe trainer
    learnedByteCount = 0
  }

  /// Learns from a text, and ends the learning when there are enough.
  func learn(_ text: Span<UInt8>) { unsafe text.withUnsafeBytes { unsafe learn($0) } }

  private func learn(_ text: UnsafeRawBufferPointer) {
    guard let trainer = unsafe trainer, let start = text.baseAddress else { return }
    learnedByteCount += text.count
    let goesOn = unsafe kith_tokens_learn(trainer, start.assumingMemoryBound(to: UInt8.self), text.count)
    if !goesOn || learnedByteCount >= windowByteCount { endLearning() }
  }

  /// Uses what was learned for the texts that follow.
  func endLearning() {
    guard let trainer = unsafe trainer else { return }
    tableCount += 1
    let table = UnsafeMutablePointer<kith_tokens>.allocate(capacity: 1)
    unsafe table.initialize(from: &trainer.pointee.tokens, count: 1)
    unsafe slots[tableCount] = unsafe table
    unsafe trainer.deallocate()
    unsafe self.trainer = nil
    leastByteCount = .max
    window = (0, 0)
  }

  // MARK: - Texts

  /// Encodes a text if that makes it shorter. Returns the number of the table, 0 for none, and what is to be stored:
  /// valid until the next text.
  func encode(_ text: UnsafeRawBufferPointer) -> (table: Int, stored: UnsafeRawBufferPointer) {
    guard let start = text.baseAddress else { return unsafe (0, text) }
    var (number, stored) = unsafe (0, text)
    if let table = unsafe slots[tableCount] {
      let count = unsafe kith_tokens_encode(
        table, start.assumingMemoryBound(to: UInt8.self), text.count, codes, text.count)
      if count > 0 { unsafe (number, stored) = unsafe (tableCount, UnsafeRawBufferPointer(start: codes, count: count)) }
      note(text.count, stored.count)
    }
    if isLearning { unsafe learn(text) }
    return unsafe (number, stored)
  }

  /// Learns again when texts take an eighth more than they did.
  private func note(_ textByteCount: Int, _ storedByteCount: Int) {
    window.textByteCount += textByteCount
    window.storedByteCount += storedByteCount
    guard window.textByteCount >= windowByteCount else { return }
    // For a window of exactly its length: the last text may be longer than what was missing.
    let share = window.storedByteCount * windowByteCount / window.textByteCount
    if share / 9 * 8 > leastByteCount, !isLearning, tableCount < Self.maximumTableCount { beginLearning() }
    leastByteCount = min(leastByteCount, share)
    window = (0, 0)
  }

  /// Decodes a text, which ends the process if it is none: the codes were made by `encode` with the same table.
  @inline(__always)
  @unsafe static func decode(
    _ tables: Tables, _ number: Int, _ codes: UnsafeRawPointer, room: Int, to target: UnsafeMutableRawPointer,
    byteCount: Int
  ) {
    guard let table = unsafe tables[number] else { preconditionFailure("a compressed text has a table") }
    let taken = unsafe kith_tokens_decode(
      table, codes.assumingMemoryBound(to: UInt8.self), room, target.assumingMemoryBound(to: UInt8.self), byteCount)
    precondition(taken > 0, "a compressed text has the codes of its table")
  }

  /// The bytes of the codes of a text; 0 if there is no such text.
  @unsafe static func storedByteCount(
    _ tables: Tables, _ number: Int, _ codes: UnsafeRawPointer, room: Int, byteCount: Int
  ) -> Int {
    guard let table = unsafe tables[number] else { return 0 }
    return unsafe kith_tokens_size(table, codes.assumingMemoryBound(to: UInt8.self), room, byteCount)
  }
}
