extension GramPostings {
  /// The grams of a query to these postings: room that is used again, from one part of the names to the next.
  struct Candidates {
    fileprivate static let maximumSparseCount = 4
    fileprivate static let maximumDenseCount = 6
    /// Sparse ones first, rarest first.
    fileprivate var entries: [Entry] = []
    fileprivate var lists: [List] = []
  }

  /// The list of a sparse gram: where the walk has come to in it, and where it ends.
  fileprivate struct List {
    var place: Int
    let end: Int
  }

  /// Calls `body` with each block from `first` on, ascending, that holds every one of `grams`, until it answers false.
  ///
  /// Of many grams as few are asked as pay: the rest is left to verification.
  /// - Parameter work: room to work in, so that one query to many postings allocates once.
  /// - Complexity: O(blocks of the rarest gram), and the logarithm of the gaps for the other grams.
  func forEachBlock(
    holding grams: [UInt32], from first: Int, _ work: inout SearchWork, _ body: (Int) -> Bool
  ) {
    guard choose(grams, &work.candidates.entries) else { return }
    let entries = work.candidates.entries
    if entries[0].isDense {
      walkBitmaps(entries.span, &work, from: first, body)
    } else {
      walkLists(entries.span, &work, from: first, body)
    }
  }

  /// Looks the grams up and orders them by weight. False when one occurs nowhere.
  private func choose(_ grams: [UInt32], _ entries: inout [Entry]) -> Bool {
    entries.removeAll(keepingCapacity: true)
    entries.reserveCapacity(grams.count)
    for gram in grams {
      guard let entry = entry(of: gram) else { return false }
      if !entry.isDense { lists.span.prefetch(entry.place, count: 1) }
      var index = entries.count
      entries.append(entry)
      while index > 0 && entries[index - 1].weight > entry.weight {
        entries[index] = entries[index - 1]
        index -= 1
      }
      entries[index] = entry
    }
    return !entries.isEmpty
  }

  private func walkBitmaps(_ entries: Span<Entry>, _ work: inout SearchWork, from first: Int, _ body: (Int) -> Bool) {
    let bitmaps = bitmaps.span
    let words = Self.wordsPerBitmap(blockCount)
    let count = min(entries.count, Candidates.maximumDenseCount)
    var word = first / 64
    var keep = ~UInt64(0) << UInt64(first % 64)
    while word < words {
      var bits = bitmaps[entries[0].place + word] & keep
      keep = ~0
      var index = 1
      while index < count && bits != 0 {
        bits &= bitmaps[entries[index].place + word]
        index += 1
      }
      while bits != 0 {
        if !work.goesOn() || !body(word * 64 + bits.trailingZeroBitCount) { return }
        bits &= bits - 1
      }
      word += 1
    }
  }

  private func walkLists(_ entries: Span<Entry>, _ work: inout SearchWork, from first: Int, _ body: (Int) -> Bool) {
    let (numbers, bitmaps) = (lists.span, bitmaps.span)
    // Out of the work and back: what is nobody else's is written to without a look at who shares it.
    var room: [List] = []
    swap(&room, &work.candidates.lists)
    defer { swap(&room, &work.candidates.lists) }
    let dense = take(entries, &room)
    var lists = room.mutableSpan
    let (place, end) = (lists[0].place, lists[0].end)
    var next = first == 0 ? place : Self.gallop(numbers, from: place, to: end, reaching: UInt16(first))
    walk: while next < end {
      let block = numbers[next]
      for index in dense where bitmaps[entries[index].place + Int(block >> 6)] >> UInt64(block & 63) & 1 == 0 {
        next += 1
        continue walk
      }
      var index = 1
      while index < lists.count {
        let found = Self.gallop(numbers, from: lists[index].place, to: lists[index].end, reaching: block)
        if found == lists[index].end { return }
        lists[index].place = found
        if numbers[found] != block {
          next = Self.gallop(numbers, from: next, to: end, reaching: numbers[found])
          continue walk
        }
        index += 1
      }
      if !work.goesOn() || !body(Int(block)) { return }
      next += 1
    }
  }

  /// The lists that are to be walked through.
  /// - Returns: which entries are the bitmaps to be asked.
  private func take(_ entries: Span<Entry>, _ room: inout [List]) -> Range<Int> {
    room.removeAll(keepingCapacity: true)
    room.reserveCapacity(Candidates.maximumSparseCount)
    var sparse = 0
    while sparse < entries.count && !entries[sparse].isDense {
      if sparse < Candidates.maximumSparseCount {
        let place = entries[sparse].place
        room.append(List(place: place + 1, end: place + 1 + Int(lists[place])))
      }
      sparse += 1
    }
    return sparse..<min(entries.count, sparse + Candidates.maximumDenseCount)
  }
}
