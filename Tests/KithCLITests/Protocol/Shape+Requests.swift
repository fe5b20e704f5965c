import Kith

@testable import KithCLI

extension Shape {
  /// Of fields of which a request has exactly one, the first.
  var chosen: [Field] { alternatives.map(\.0) }

  /// All fields that a request can have at once; of those that exclude others, one line of them.
  var fields: [Field] { most[0] }

  /// The same with each of these lines.
  var most: [[Field]] {
    guard case .graph(let operation) = operation, !operation.exclusive.isEmpty else { return [fields(without: [])] }
    return operation.exclusive.map { line in
      // What a visitor, who is no user, cannot ask for.
      let others: [Field] = line.contains(.asVisitor) ? [.following, .leaveOutMuted, .marks] : []
      return fields(without: others + operation.exclusive.flatMap(\.self).filter { !line.contains($0) })
    }
  }

  private func fields(without others: [Field]) -> [Field] {
    required + optional.filter { field in !others.contains(field) && !alternatives.contains { $0.1 == field } }
  }

  private var alternatives: [(Field, Field)] {
    if case .graph(let operation) = operation { operation.alternatives } else { [] }
  }
}
