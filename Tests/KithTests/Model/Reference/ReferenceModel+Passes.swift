@testable import Kith

// MARK: - The whole graph

extension ReferenceModel {
  /// The connected components of the graph, by lowest id: flooded one after the other.
  var components: [Set<UserID>] {
    var neighbours: [UserID: Set<UserID>] = [:]
    for (user, edges) in follows {
      for target in edges.keys {
        neighbours[user, default: []].insert(target)
        neighbours[target, default: []].insert(user)
      }
    }
    var left = Set(users.keys)
    var components: [Set<UserID>] = []
    while let start = left.min() {
      var (component, ring): (Set<UserID>, Set<UserID>) = ([start], [start])
      while !ring.isEmpty {
        ring = Set(ring.flatMap { neighbours[$0] ?? [] }).subtracting(component)
        component.formUnion(ring)
      }
      components.append(component)
      left.subtract(component)
    }
    return components
  }

  /// This many rounds of PageRank, by pushing each score along all follows.
  func pageRank(rounds: Int, damping: Double) -> [UserID: Double] {
    let share = 1 / Double(max(1, users.count))
    var scores = users.mapValues { _ in share }
    for _ in 0..<rounds {
      var next = users.mapValues { _ in (1 - damping) * share }
      for (user, score) in scores {
        let targets = Array((follows[user] ?? [:]).keys)
        for target in targets.isEmpty ? Array(users.keys) : targets {
          next[target]? += damping * score / Double(targets.isEmpty ? users.count : targets.count)
        }
      }
      scores = next
    }
    return scores
  }

  /// How many users have how many followers, and how many follow how many.
  var degrees: (followers: [Int: Int], followees: [Int: Int]) {
    var degrees: (followers: [Int: Int], followees: [Int: Int]) = ([:], [:])
    for user in users.keys {
      degrees.followers[followerCount(user), default: 0] += 1
      degrees.followees[follows[user]?.count ?? 0, default: 0] += 1
    }
    return degrees
  }
}

extension ModelRun {
  /// Passes over the whole graph, on one core and on all.
  func checkPasses(_ pin: SocialGraph.Pin, _ model: ReferenceModel, _ place: String) throws {
    for control in [PassControl(), PassControl(taskLimit: 1)] {
      let found = try pin.connectedComponents(control: control)
      let expected = model.components
      for component in expected {
        let firsts = Set(try component.map { try found.first(of: $0, in: pin.view) })
        if firsts.count != 1 || !component.isSuperset(of: firsts) {
          throw differ("\(place): the part \(component.sorted()) has the first members \(firsts.sorted())")
        }
      }
      let sizes = expected.map(\.count).sorted(by: >)
      if found.components.map(\.userCount) != sizes {
        throw differ("\(place): parts \(found.components), not \(sizes)")
      }

      let degrees = try pin.degreeDistribution(control: control)
      let pairs = [(degrees.followers, model.degrees.followers), (degrees.followees, model.degrees.followees)]
      for (histogram, expected) in pairs {
        let counts = Dictionary(uniqueKeysWithValues: histogram.buckets.map { ($0.degree, $0.userCount) })
        if counts != expected { throw differ("\(place): degrees \(counts), not \(expected)") }
      }

      let options = PageRank.Options(tolerance: 0, maximumRounds: 3)
      let ranks = try pin.pageRank(options, control: control)
      for (user, score) in model.pageRank(rounds: 3, damping: options.damping) {
        let own = ranks.score(of: user, in: pin.view)
        if abs(own - score) > 1e-12 { throw differ("\(place): the rank of \(user) is \(own), not \(score)") }
      }
    }
  }
}
