import Kith

/// A kind of query, which is run for one item of the sample after another.
struct BenchQuery: Sendable {
  enum Group: String, CaseIterable, Sendable {
    case search = "Search"
    case timelines = "Timelines"
    case people = "People and likes"
    case graph = "Graph queries"
    case changes = "Changes"
  }

  typealias Ask = @Sendable (_ view: borrowing GraphView, _ repetition: Int) throws(KithError) -> Int

  let group: Group
  let name: String
  /// Runs the query and returns a number that depends on the result, so that no call can be optimized away.
  let ask: Ask

  /// Every query of a graph; those about posts only if the sample has some.
  static func all(_ sample: BenchSample, _ view: borrowing GraphView) throws(KithError) -> [BenchQuery] {
    var questions = searches(sample, view)
    if !sample.posts.isEmpty { questions += try timelines(sample, view) }
    questions += people(sample)
    if !sample.posts.isEmpty { questions += likes(sample) }
    if !sample.followers.isEmpty { questions += graph(sample) }
    return questions
  }

  /// The two queries that are measured over graph sizes and threads.
  static func search(_ sample: BenchSample) -> BenchQuery {
    BenchQuery(group: .search, name: "any part of a name, 1 to 8 letters") { (view, place) throws(KithError) in
      let viewer = sample.users.cycled(place + 1)
      return try view.searchUsers(sample.parts.cycled(place), UserQuery(excludedUser: viewer, viewer: viewer)).count
    }
  }

  static func timeline(_ sample: BenchSample) -> BenchQuery {
    BenchQuery(group: .timelines, name: "first page") { (view, place) throws(KithError) in
      try view.timeline(of: sample.users.cycled(place)).count
    }
  }

  static func isFollowing(_ sample: BenchSample) -> BenchQuery {
    BenchQuery(group: .people, name: "whether one follows another") { (view, place) throws(KithError) in
      try view.isFollowing(sample.users.cycled(place &* 7 &+ 1), as: sample.users.cycled(place)) ? 1 : 0
    }
  }
}

extension Array {
  /// The element at an index of the array, repeated without end; the array is not empty.
  func cycled(_ place: Int) -> Element { self[Int(UInt(bitPattern: place) % UInt(count))] }
}
