import Synchronization

/// Edges in any order, sorted into the lists of their sources, for the construction of a relation that has them.
struct EdgeLists {
  /// In the place of the rows of an edge that is left out.
  static let leftOut = UInt64.max

  /// By source: where its edges begin in `elements`; one more at the end.
  private var starts: [Int]
  /// By source: the new edges, as elements of `Adjacency.forward`.
  private var elements: [UInt64]
  /// By source: how many of them are new.
  private var newCounts: [UInt32]

  /// Distributes edges by source.
  /// - Parameters:
  ///   - rows: by edge: the row of the source in the high word, that of the target in the low word; or `leftOut`.
  ///   - sourceCount: the number of rows of sources.
  /// - Complexity: O(edges + sources), by counting.
  init(rows: [UInt64], sourceCount: Int) {
    precondition(rows.count < UInt32.max, "the index of an edge is a word")
    starts = [Int](repeating: 0, count: sourceCount + 1)
    newCounts = [UInt32](repeating: 0, count: sourceCount)
    for edge in rows where edge != Self.leftOut { starts[Int(edge >> 32) + 1] += 1 }
    for source in 0..<sourceCount { starts[source + 1] += starts[source] }
    elements = [UInt64](repeating: 0, count: starts[sourceCount])
    var next = starts
    for (index, edge) in rows.enumerated() where edge != Self.leftOut {
      let source = Int(edge >> 32)
      elements[next[source]] = edge << 32 | UInt64(index)
      next[source] += 1
    }
  }

  /// The number of edges that are new.
  var newCount: Int { newCounts.reduce(0) { $0 + Int($1) } }

  /// Sorts each list, and drops the duplicates: of edges of the relation, and of earlier edges; on all cores.
  /// - Parameter columns: has the times of the edges.
  mutating func sort(_ columns: EdgeColumns, besides relation: borrowing Adjacency) {
    let isEmpty = relation.count == 0
    _ = sort {
      UInt32(columns.time($0) / 1_000)
    } isKnown: {
      !isEmpty && relation.contains($0, $1)
    }
  }

  /// Sorts each list, and drops the duplicates: of edges that are known, and of earlier edges.
  /// - Parameters:
  ///   - taskLimit: the most parallel tasks; nil for the number of cores.
  ///   - second: the time of an edge, by its index.
  ///   - isKnown: whether there is an edge already, by source and target.
  /// - Returns: the least index of a duplicate; nil if there is none.
  /// - Complexity: O(edges · log longest list).
  @inline(__always)
  mutating func sort(
    taskLimit: Int? = nil, second: @Sendable (Int) -> UInt32, isKnown: @Sendable (UInt32, UInt32) -> Bool
  ) -> Int? {
    let starts = starts
    let firstDropped = Atomic(Int.max)
    // Safety: each chunk writes the lists and the counts of its own sources.
    unsafe elements.withUnsafeMutableBufferPointer { elements in
      nonisolated(unsafe) let elements = unsafe elements
      unsafe newCounts.withUnsafeMutableBufferPointer { counts in
        nonisolated(unsafe) let counts = unsafe counts
        unsafe ParallelChunks.run(rows: counts.count, taskLimit: taskLimit) { _, sources in
          for source in sources where starts[source] < starts[source + 1] {
            let list = unsafe UnsafeMutableBufferPointer(rebasing: elements[starts[source]..<starts[source + 1]])
            let (count, dropped) = unsafe Self.settle(list, of: UInt32(source), second, isKnown)
            unsafe counts[source] = count
            if dropped < .max { firstDropped.min(dropped, ordering: .relaxed) }
          }
          return true
        }
      }
    }
    let first = firstDropped.load(ordering: .relaxed)
    return first < .max ? first : nil
  }

  /// Sorts the edges of one source, keeps the first of those with one target unless it is known, and replaces the
  /// indices by timestamps. Returns how many are kept, and the least index of the others.
  @inline(__always)
  private static func settle(
    _ list: UnsafeMutableBufferPointer<UInt64>, of source: UInt32, _ second: (Int) -> UInt32,
    _ isKnown: (UInt32, UInt32) -> Bool
  ) -> (count: UInt32, dropped: Int) {
    var list = unsafe list
    if list.count > 1 { unsafe list.sort() }
    var (count, dropped) = (0, Int.max)
    for place in list.indices {
      let edge = unsafe list[place]
      let (target, index) = (Adjacency.target(edge), Int(Adjacency.timestamp(edge)))
      if unsafe count > 0 && Adjacency.target(list[count - 1]) == target || isKnown(source, target) {
        dropped = min(dropped, index)
        continue
      }
      unsafe list[count] = UInt64(target) << 32 | UInt64(second(index))
      count += 1
    }
    return (UInt32(count), dropped)
  }

  /// The new edges alone: how many each source has, and their elements in order.
  consuming func packed() -> (degrees: [UInt32], elements: [UInt64]) {
    var end = 0
    for source in newCounts.indices {
      let start = starts[source]
      for place in start..<start + Int(newCounts[source]) {
        elements[end] = elements[place]
        end += 1
      }
    }
    elements.removeLast(elements.count - end)
    return (newCounts, elements)
  }

  /// The relation with the new edges. Its backward lists wait for `buildBackward`.
  /// - Complexity: O(edges).
  func merged(with relation: borrowing Adjacency, targetCount: Int, workers: Int) -> Adjacency {
    let degrees = newCounts.indices.map { newCounts[$0] + UInt32(relation.targetCount(UInt32($0))) }
    return Adjacency(
      degrees: degrees, targetCount: targetCount, workers: workers, form: relation.form,
      targetsPerBlock: relation.backward.listsPerBlock
    ) { sources, _, buffer in
      var end = 0
      func put(_ element: UInt64) {
        buffer[end] = element
        end += 1
      }
      for source in sources {
        var new = starts[source]
        let newEnd = new + Int(newCounts[source])
        relation.forEachTarget(of: UInt32(source)) { target, timestamp in
          let element = UInt64(target) << 32 | UInt64(timestamp)
          while new < newEnd && elements[new] < element {
            put(elements[new])
            new += 1
          }
          put(element)
        }
        while new < newEnd {
          put(elements[new])
          new += 1
        }
      }
    }
  }
}
