import Testing

@testable import Kith

/// An engine and its model with the same changes.
struct ModelPair {
  let graph: SocialGraph
  private(set) var model = ReferenceModel()

  init(_ options: SocialGraph.Options = SocialGraph.Options()) { graph = SocialGraph(options: options) }

  /// A change that both accept.
  mutating func make(_ change: Change) throws {
    switch (graph.outcome(of: change), model.outcome(of: change)) {
    case (.success(let made), .success(let expected)) where made == expected: return
    case (let outcome, let expected): throw Difference(description: "\(change) gave \(outcome), not \(expected)")
    }
  }
}

extension Answer {
  /// The number of items of a page.
  var itemCount: Int { descriptions.count }
}
