import Kith

/// A kind of question, asked about one of the sample after another.
struct BenchQuestion: Sendable {
  enum Group: String, CaseIterable, Sendable {
    case search = "Search"
    case timelines = "Timelines"
    case people = "People and likes"
    case graph = "Graph questions"
    case changes = "Changes"
  }

  typealias Ask = @Sendable (_ view: borrowing GraphView, _ repetition: Int) throws(KithError) -> Int

  let group: Group
  let name: String
  /// Asks, and answers a number that depends on the answer, so that no call can be left out.
  let ask: Ask

  /// Every question that a graph can be asked; those about posts only where the sample has some.
  static func all(_ sample: BenchSample, _ view: borrowing GraphView) throws(KithError) -> [BenchQuestion] {
    var questions = searches(sample, view)
    if !sample.posts.isEmpty { questions += try timelines(sample, view) }
    questions += people(sample)
    if !sample.posts.isEmpty { questions += likes(sample) }
    if !sample.followers.isEmpty { questions += graph(sample) }
    return questions
  }

  /// The two that stand for all where only a few can be shown: over graph sizes and threads.
  static func search(_ sample: BenchSample) -> BenchQuestion {
    BenchQuestion(group: .search, name: "any part of a name, 1 to 8 letters") { (view, place) throws(KithError) in
      let viewer = sample.users.cycled(place + 1)
      return try view.searchUsers(sample.parts.cycled(place), UserSearch(viewer: viewer, excluding: viewer)).count
    }
  }

  static func timeline(_ sample: BenchSample) -> BenchQuestion {
    BenchQuestion(group: .timelines, name: "first page") { (view, place) throws(KithError) in
      try view.timeline(of: sample.users.cycled(place)).count
    }
  }

  static func isFollowing(_ sample: BenchSample) -> BenchQuestion {
    BenchQuestion(group: .people, name: "whether one follows another") { (view, place) throws(KithError) in
      try view.isFollowing(sample.users.cycled(place), sample.users.cycled(place &* 7 &+ 1)) ? 1 : 0
    }
  }
}

extension Array {
  /// The element at a place of the array repeated without end; the array is not empty.
  func cycled(_ place: Int) -> Element { self[Int(UInt(bitPattern: place) % UInt(count))] }
}
