/// Builds word postings from documents that are added one after the other.
///
/// Works like `GramPostingsBuilder`: the first pass records the slots of the distinct words of each document; the next
/// passes measure the lists and fill them. Each word is hashed once, and no list grows.
struct WordPostingsBuilder {
  /// An open-addressed hash table: the high half of the word's hash, then its slot plus one. 0 marks a free entry.
  private var table = [UInt64](repeating: 0, count: 1 << 10)
  /// Words by slot, in the order in which they first occur, each terminated by a NUL.
  private var keys: [UInt8] = []
  private var keyStarts: [UInt32] = [0]
  /// By slot: the last document with the word, and the number of documents.
  private var slots: [(document: UInt32, count: UInt32)] = []
  /// The slots of all documents, concatenated.
  private var stream: [UInt32] = []
  /// By document: its end in `stream`.
  private var documentEnds: [Int] = []

  /// Adds the next document.
  /// - Parameter key: the loose key of its text.
  mutating func add(_ key: Span<UInt8>) {
    let document = UInt32(documentEnds.count)
    Words.forEach(in: key) { range in
      let slot = slot(of: key.extracting(range))
      if slots[slot].document == document { return }
      slots[slot] = (document, slots[slot].count + 1)
      stream.append(UInt32(slot))
    }
    documentEnds.append(stream.count)
  }

  /// The slot of a word, inserted if new.
  private mutating func slot(of word: Span<UInt8>) -> Int {
    let hash = Hashing.hash(word)
    let mask = table.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while true {
      let entry = table[index]
      if entry == 0 { break }
      if entry >> 32 == hash >> 32 {
        let slot = Int(entry & 0xFFFF_FFFF) - 1
        let key = keys.span.extracting(Int(keyStarts[slot])..<Int(keyStarts[slot + 1]) - 1)
        if key.count == word.count && ByteSearch.commonPrefix(key, word) == key.count { return slot }
      }
      index = (index + 1) & mask
    }
    table[index] = (hash >> 32) << 32 | UInt64(slots.count + 1)
    for index in word.indices { keys.append(word[index]) }
    keys.append(0)
    keyStarts.append(UInt32(keys.count))
    slots.append((.max, 0))
    if slots.count * 2 > table.count { growTable() }
    return slots.count - 1
  }

  private mutating func growTable() {
    let mask = table.count * 2 - 1
    var wider = [UInt64](repeating: 0, count: mask + 1)
    for slot in slots.indices {
      let hash = Hashing.hash(keys.span.extracting(Int(keyStarts[slot])..<Int(keyStarts[slot + 1]) - 1))
      var index = Int(truncatingIfNeeded: hash) & mask
      while wider[index] != 0 { index = (index + 1) & mask }
      wider[index] = (hash >> 32) << 32 | UInt64(slot + 1)
    }
    table = wider
  }

  // MARK: - Layout

  /// - Complexity: O(words of all documents), and O(n log n) for the n distinct words.
  consuming func finish() -> WordPostings {
    let entries = layOut()
    var lists = [UInt8](repeating: 0, count: entries.listByteCount)
    var bitmaps = [UInt64](repeating: 0, count: entries.bitmapWordCount)
    var places = entries.places
    forEachPosting { slot, document, gap in
      if entries.entries[slot].isBitmap {
        bitmaps[places[slot] + document / 64] |= 1 << UInt64(document % 64)
        return
      }
      var rest = gap
      while rest >= 0x80 {
        lists[places[slot]] = UInt8(rest & 0x7F | 0x80)
        places[slot] += 1
        rest >>= 7
      }
      lists[places[slot]] = UInt8(rest)
      places[slot] += 1
    }
    return WordPostings(
      documentCount: documentEnds.count, words: dictionary(), entries: entries.entries, lists: lists, bitmaps: bitmaps)
  }

  private struct Layout {
    var entries: [WordPostings.Entry] = []
    var places: [Int] = []
    var listByteCount = 0
    var bitmapWordCount = 0
  }

  /// Measures all lists. A list that would be larger than a bitmap becomes one.
  private mutating func layOut() -> Layout {
    var byteCounts = [Int](repeating: 0, count: slots.count)
    forEachPosting { slot, _, gap in byteCounts[slot] += (Int.bitWidth - (gap | 1).leadingZeroBitCount + 6) / 7 }
    let words = WordPostings.wordsPerBitmap(documentEnds.count)
    var layout = Layout()
    // The entries are kept: no array of a segment has space for more elements than it has.
    layout.entries.reserveCapacity(slots.count)
    layout.places.reserveCapacity(slots.count)
    for slot in slots.indices {
      let isBitmap = byteCounts[slot] > words * 8
      let place = isBitmap ? layout.bitmapWordCount : layout.listByteCount
      layout.places.append(place)
      layout.entries.append(
        WordPostings.Entry(count: Int(slots[slot].count), isBitmap: isBitmap, place: place))
      if isBitmap { layout.bitmapWordCount += words } else { layout.listByteCount += byteCounts[slot] }
    }
    return layout
  }

  /// Calls `body` with slot and document of every posting, and the gap to the word's previous document.
  @inline(__always)
  private mutating func forEachPosting(_ body: (_ slot: Int, _ document: Int, _ gap: Int) -> Void) {
    var next = 0
    for slot in slots.indices { slots[slot].document = .max }
    for document in documentEnds.indices {
      while next < documentEnds[document] {
        let slot = Int(stream[next])
        body(slot, document, document - Int(Int32(bitPattern: slots[slot].document)) - 1)
        slots[slot].document = UInt32(document)
        next += 1
      }
    }
  }

  private func dictionary() -> NameSegment {
    var builder = NameSegmentBuilder(namesPerPart: NameSegment.maximumNamesPerPart)
    builder.reserve(count: slots.count, keyByteCount: keys.count)
    for slot in slots.indices {
      builder.add(UInt32(slot), key: keys[Int(keyStarts[slot])..<Int(keyStarts[slot + 1]) - 1])
    }
    // Words differ in their keys, so the names are never compared.
    return builder.build(generations: 0...0, names: TextColumn()) {}
  }
}
