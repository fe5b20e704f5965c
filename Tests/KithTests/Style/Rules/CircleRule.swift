/// Files that name each other's types stay few: a circle of files can only be read, moved and tested as one.
enum CircleRule {
  static let fileCount = 3

  /// What is compiled as one, or as modules that see each other.
  private static let groups = [
    ["Sources/Kith/", "Sources/KithFoundation/", "Sources/KithReplication/", "Sources/KithCLI/"],
    ["Tests/KithTests/"], ["Tests/KithCLITests/"],
    ["Tests/KithReplicationTests/"],
    ["Benchmarks/Sources/KithBenchmarks/"], ["Fuzz/Sources/KithFuzz/"],
  ]

  static func findings(in files: [SourceFile]) -> [Finding] {
    groups.flatMap { group in
      let files = files.filter { $0.isSwift && $0.isIn(group) }
      return circles(of: references(among: files)).filter { $0.count > fileCount }.map { circle in
        let paths = circle.map { files[$0].path }.sorted()
        return Finding(
          path: paths[0], line: 1,
          advice: "is in a circle of \(paths.count) files that name each other's types, \(fileCount) are allowed: "
            + "\(paths.dropFirst().joined(separator: ", ")); give the type that closes it a file of its own")
      }
    }
  }

  /// By file, the files whose types it names. A type declared in several files counts for none: tokens do not show
  /// which is meant.
  private static func references(among files: [SourceFile]) -> [Set<Int>] {
    var homes: [String: Set<Int>] = [:]
    var reachable: Set<String> = []
    for (index, file) in files.enumerated() {
      for (name, isReachable) in LayerRule.typeNames(declaredIn: file) {
        homes[name, default: []].insert(index)
        if isReachable { reachable.insert(name) }
      }
    }
    let paths = LayerRule.typeHomes(in: files)
    return files.enumerated().map { index, file in
      let namespaces = LayerRule.namespaces(in: file, paths)
      let named = file.tokens.enumerated().compactMap { place, token -> Int? in
        guard token.kind == .word, !namespaces.contains(place), reachable.contains(token.text),
          let home = homes[token.text], home.count == 1
        else { return nil }
        return home.first
      }
      return Set(named).subtracting([index])
    }
  }

  /// The strongly connected components of a directed graph (Tarjan).
  static func circles(of edges: [Set<Int>]) -> [[Int]] {
    var search = ComponentSearch(edges: edges)
    for node in edges.indices where search.order[node] == nil { search.visit(node) }
    return search.components
  }

  private struct ComponentSearch {
    let edges: [Set<Int>]
    /// By node, when it was visited.
    var order: [Int: Int] = [:]
    var components: [[Int]] = []
    private var stack: [Int] = []

    init(edges: [Set<Int>]) { self.edges = edges }

    /// The earliest node on the stack that can be reached.
    @discardableResult
    mutating func visit(_ node: Int) -> Int {
      let own = order.count
      order[node] = own
      var lowest = own
      stack.append(node)
      for next in edges[node] {
        if let visited = order[next] {
          if stack.contains(next) { lowest = min(lowest, visited) }
        } else {
          lowest = min(lowest, visit(next))
        }
      }
      if lowest == own, let place = stack.firstIndex(of: node) {
        components.append(Array(stack[place...]))
        stack.removeSubrange(place...)
      }
      return lowest
    }
  }
}
