extension TLSFAllocator {
  /// Checks that every block knows the previous one, that no two free blocks are adjacent, and that exactly the free
  /// blocks are listed, each in its class.
  func checkInvariants() -> [String] {
    var problems: [String] = []
    var (taken, vacant, freeCount, emptyCount) = (0, 0, 0, 0)
    for arena in arenas {
      var previous: Block?
      var block = unsafe Block(arena.base + Self.lineByteCount)
      while block.span > 0 {
        if block.isFirst != (previous == nil) { problems.append("a block is wrong about being the first") }
        if block.freePrevious != (previous?.isFree == true ? previous : nil) {
          problems.append("a block does not know the one before it")
        }
        if block.isFree {
          freeCount += 1
          if block.isVacant { vacant += block.span }
          if previous?.isFree == true { problems.append("two free blocks are neighbours") }
        } else {
          taken += block.span
        }
        previous = block
        block = block.next
      }
      if block.freePrevious != (previous?.isFree == true ? previous : nil) {
        problems.append("the end of an arena does not know the block before it")
      }
      if unsafe block.base != arena.base + arena.byteCount { problems.append("an arena ends elsewhere") }
      if previous?.isFree == true && previous?.isFirst == true { emptyCount += 1 }
    }
    if taken != takenByteCount { problems.append("\(taken) bytes are taken, not \(takenByteCount)") }
    if vacant != vacantByteCount { problems.append("\(vacant) bytes are vacant, not \(vacantByteCount)") }
    if emptyCount != emptyArenaCount { problems.append("\(emptyCount) arenas are free, not \(emptyArenaCount)") }
    var listedCount = 0
    for (index, head) in heads.enumerated() {
      let (level, subclass) = (index / SizeClass.perLevel, index % SizeClass.perLevel)
      if (head != nil) != (classes[level] >> UInt32(subclass) & 1 != 0) { problems.append("a bitmap is wrong") }
      var next = head
      while let block = next {
        listedCount += 1
        if !block.isFree || SizeClass(of: block.span).index != index { problems.append("a list is of others") }
        next = block.listed.behind
      }
    }
    for level in classes.indices where (classes[level] != 0) != (levels >> UInt64(level) & 1 != 0) {
      problems.append("the bitmap of levels is wrong")
    }
    if listedCount != freeCount { problems.append("\(listedCount) blocks are listed, \(freeCount) are free") }
    return problems
  }
}
