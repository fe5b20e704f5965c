import Foundation
import Kith

/// The second half of the demo: figures, and the comparison of a restored snapshot.
extension DemoTour {
  /// Runs the most common queries many times, for many users.
  func measure() throws(CommandFailure) {
    let people = try StoreAccess.ask(graph) { (view) throws(KithError) in try Self.sample(view) }
    guard !people.isEmpty else { return }
    let queries = people.enumerated().map { place, user in String(user.username.prefix(1 + place % 10)) }
    var table = Table([.left, .right, .right, .right])
    table.add("query", "samples", "median", "p99")
    func add(_ label: String, _ latencies: Latencies) {
      table.add(label, grouped(latencies.count), latencies.median.text, latencies.percentile99.text)
    }
    func ask<Answer>(
      _ label: String, _ question: (borrowing GraphView, Int) throws(KithError) -> Answer
    ) throws(CommandFailure) {
      add(
        label,
        try Latencies(count: 5_000) { (place) throws(CommandFailure) in
          try StoreAccess.ask(graph) { (view) throws(KithError) in try question(view, place % people.count) }
        })
    }
    try ask("user search, 1 to 10 letters typed") { (view, place) throws(KithError) in
      try view.searchUsers(queries[place], UserQuery(excludedUser: cast.viewer.id, viewer: cast.viewer.id))
    }
    try ask("first page of a timeline") { (view, place) throws(KithError) in
      try view.timeline(of: people[place].id)
    }
    try ask("first page of \(viewerName)'s timeline") { (view, _) throws(KithError) in
      try view.timeline(of: cast.viewer.id)
    }
    try ask("newest followers of a user") { (view, place) throws(KithError) in
      try view.followers(of: people[place].id)
    }
    try ask("whether one user follows another") { (view, place) throws(KithError) in
      try view.isFollowing(people[place].id, as: cast.viewer.id)
    }
    if let target = cast.target {
      add(
        "a follow or an unfollow",
        try Latencies(count: 5_000) { (place) throws(CommandFailure) in
          let isFollow = place % 2 == 1
          let change: Change =
            isFollow
            ? .follow(as: cast.viewer.id, target: target.id, at: nil) : .unfollow(as: cast.viewer.id, target: target.id)
          do throws(KithError) { return try graph.apply(change) } catch { throw .no(error.sentence) }
        })
    }
    try Console.write(
      """

      Latency of queries, pages of 20
      \(table.text())  for \(grouped(people.count)) users, by one thread, with the clock around the engine's call

      """)
  }

  /// Up to a thousand users, evenly over the ids.
  private static func sample(_ view: borrowing GraphView) throws(KithError) -> [User] {
    let step = max(1, view.counts.users / 1_000)
    var place = 0
    var people: [User] = []
    try view.forEachUser { (id, _, _) throws(KithError) in
      if place % step == 0 { people.append(try view.user(id)) }
      place += 1
    }
    return people
  }

  /// Saves a snapshot, restores it into a new store, opens that and compares the two.
  func saveAndRestore(in directory: String) throws(CommandFailure) {
    let clock = ContinuousClock()
    let began = clock.now
    let snapshot = try StoreAccess.snapshot(graph)
    let saved = clock.now
    do throws(KithError) {
      _ = try StoreTools.restore(from: snapshot.path, to: "\(directory)/restored")
    } catch {
      throw .no("the snapshot cannot be restored: \(error.sentence)")
    }
    let fresh = try StoreAccess.open("\(directory)/restored", access: .readOnly)
    let restored = clock.now
    defer { try? fresh.close() }
    let size = (try? FileManager.default.attributesOfItem(atPath: snapshot.path)[.size] as? NSNumber)?.intValue ?? 0
    try Console.write(
      """

      A snapshot, restored into a new store
        saved in \((saved - began).text): \(byteText(size)), change \(grouped(snapshot.sequence))
        restored and opened in \((restored - saved).text)

      """)
    let own = try GraphDigest(graph.pin().view)
    let other = try GraphDigest(fresh.pin().view)
    guard own == other else {
      throw .no(
        "the restored graph differs: \(own.counts.text), \(own.hashText); \(other.counts.text), \(other.hashText)")
    }
    let pageCount = try comparePages(with: fresh)
    try Console.write(
      """
        equal: \(own.counts.text),
        change \(grouped(own.sequence)), all rows (hash \(own.hashText)),
        \(grouped(pageCount)) pages of timelines, followers and searches

      """)
  }

  /// Runs the same queries on both engines; returns how many.
  private func comparePages(with fresh: SocialGraph) throws(CommandFailure) -> Int {
    let (own, other) = (graph.pin(), fresh.pin())
    let people: [User]
    var differing: User?
    do throws(KithError) {
      people = try Self.sample(own.view)
      for user in people {
        let query = String(user.username.prefix(3))
        guard try own.view.timeline(of: user.id).items == other.view.timeline(of: user.id).items,
          try own.view.followers(of: user.id).items == other.view.followers(of: user.id).items,
          try own.view.searchUsers(query).items == other.view.searchUsers(query).items
        else {
          differing = user
          break
        }
      }
    } catch {
      throw .no(error.sentence)
    }
    if let differing { throw .no("the pages of user \(differing.id) differ after a restore") }
    return people.count * 3
  }
}
