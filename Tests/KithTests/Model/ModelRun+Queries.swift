@testable import Kith

extension ModelRun {
  // MARK: - Single queries

  /// Sends a new query to the live graph, or continues a list that was begun before other changes.
  mutating func askOnce() throws {
    let (question, walk) = nextQuestion()
    let reply = graph.read { $0.reply(to: question, from: walk?.cursor) }
    try compare(question, reply, model, walk, "live")
  }

  /// Asks the users or posts of a list for counts and marks.
  mutating func askDetails() throws {
    let (question, details, pin) = (draw.list(for: model), draw.details(model), graph.pin())
    switch pin.view.reply(to: question).answer {
    case .users(let users, _, _):
      let found = users.compactMap(\.self)
      try compare(details, found.map { (.user($0.id), nil) }, question) { () throws(KithError) in
        try pin.view.adding(details, to: users).compactMap(\.self).map { (own($0, details), nil) }
      }
    case .posts(let posts, _):
      let found = posts.compactMap(\.self)
      let nodes = found.map { (Node.post($0.id), $0.author.user.map { Node.user($0.id) }) }
      try compare(details, nodes, question) { () throws(KithError) in
        try pin.view.adding(details, to: posts).compactMap(\.self).map { post in
          (own(post, details), post.author.user.map { own($0, details) })
        }
      }
    default: return
    }
  }

  private typealias Told = (own: ReferenceModel.Details, author: ReferenceModel.Details?)

  private func own(_ user: User, _ details: ResultDetails) -> ReferenceModel.Details {
    ReferenceModel.Details(
      counts: told(details.counts) { user.count(of: $0) }, marks: told(details.marks) { user.isMarked($0) },
      payload: user.payload)
  }

  private func own(_ post: Post, _ details: ResultDetails) -> ReferenceModel.Details {
    ReferenceModel.Details(
      counts: told(details.counts) { post.count(of: $0) }, marks: told(details.marks) { post.isMarked($0) },
      payload: post.payload)
  }

  private func told<Value>(_ relations: [Relation], _ value: (Relation) -> Value?) -> [String: Value] {
    Dictionary(relations.compactMap { relation in value(relation).map { (relation.name, $0) } }) { first, _ in first }
  }

  private func compare(
    _ details: ResultDetails, _ nodes: [(Node, Node?)], _ question: Question,
    _ ask: () throws(KithError) -> [Told]
  ) throws {
    if nodes.isEmpty { return }
    var expected: [Told] = []
    var refusal: ReferenceModel.Refusal?
    do throws(ReferenceModel.Refusal) {
      for (node, author) in nodes {
        let told = try model.details(details, node, author: author)
        expected.append((told.own, author == nil ? nil : told.author))
      }
    } catch {
      refusal = error
    }
    let outcome: Result<[Told], KithError> = Result { () throws(KithError) in try ask() }
    switch outcome {
    case .success(let told):
      let isSame = told.elementsEqual(expected) { $0.own == $1.own && $0.author == $1.author }
      if refusal != nil || !isSame {
        throw differ("\(question) with \(details) tells \(told), not \(refusal.map { "\($0)" } ?? "\(expected)")")
      }
    case .failure(let error):
      if refusal?.codes.contains(error.code) != true {
        throw differ("\(question) with \(details) is refused with \(error.code), not \(expected)")
      }
    }
  }

  /// Queries a pinned version: it answers as the model did then.
  mutating func askOfOneKept() throws {
    guard !kept.isEmpty else { return }
    let instant = kept[draw.below(kept.count)]
    for _ in 0..<3 {
      let (question, walk) = nextQuestion()
      let reply = instant.pin.view.reply(to: question, from: walk?.cursor)
      try compare(question, reply, instant.model, walk, "pinned at step \(instant.step)")
    }
    if step % 50 == 0 { try checkWhole(instant.pin, instant.model, "pinned at step \(instant.step)") }
  }

  func ask(_ question: Question, of reply: Reply<Cursor>, _ model: ReferenceModel, _ place: String) throws(Difference) {
    let expected = model.reply(to: question)
    if !reply.agrees(with: expected) {
      throw differ("\(place): \(question)\nanswers \(reply)\nnot     \(expected)")
    }
  }

  private mutating func nextQuestion() -> (Question, Walk?) {
    guard !walks.isEmpty, draw.below(2) == 0 else { return (draw.question(for: model), nil) }
    let walk = walks[draw.below(walks.count)]
    // Rarely, a cursor goes to a query that it was not made by.
    let question = draw.below(10) == 0 ? draw.list(for: model) : draw.variation(of: walk.question, model)
    return (question, walk)
  }

  private mutating func compare(
    _ question: Question, _ reply: Reply<Cursor>, _ model: ReferenceModel, _ walk: Walk?, _ place: String
  ) throws {
    let isList = question.isList
    let expected = model.reply(to: question, from: isList ? walk?.place : nil)
    if !reply.agrees(with: expected) {
      let start = walk.map { " from \($0.place)" } ?? ""
      throw differ("\(place): \(question)\(start)\nanswers \(reply)\nnot     \(expected)")
    }
    for (cursor, place) in [(reply.next, expected.next), (reply.previous, expected.previous)] {
      guard let cursor, let place else { continue }
      if walks.count == 12 { walks.remove(at: draw.below(12)) }
      walks.append(Walk(question: question, cursor: cursor, place: place))
    }
  }

  // MARK: - Whole lists

  /// Small pages, one after another, give the same items as one long page.
  mutating func walkOneList() throws {
    let question = draw.list(for: model)
    let limit = 1 + draw.below(4)
    let view = graph.pin()
    let whole = view.view.reply(to: question.changed(limit: 1_000))
    if case .refusal = whole.answer { return }
    var items: [String] = []
    var cursor: Cursor?
    repeat {
      let reply = view.view.reply(to: question.changed(limit: limit), from: cursor)
      items += reply.answer.descriptions
      cursor = reply.next
    } while cursor != nil && items.count < 5_000 && !question.isNewer
    if question.isNewer { items = backwards(question, limit, view.view) }
    if items != whole.answer.descriptions {
      let expected = model.reply(to: question.changed(limit: 1_000))
      throw differ("page by page (\(limit)): \(question) gives \(items), not \(whole), and by the rules \(expected)")
    }
  }

  /// A timeline from the oldest post on, printed newest first.
  private func backwards(_ question: Question, _ limit: Int, _ view: borrowing GraphView) -> [String] {
    var items: [String] = []
    var cursor: Cursor?
    while true {
      let reply = view.reply(to: question.changed(limit: limit), from: cursor)
      items = reply.answer.descriptions + items
      cursor = reply.previous
      if reply.answer.descriptions.count < limit { return items }
    }
  }

  // MARK: - Everything

  mutating func checkWhole() throws { try checkWhole(graph.pin(), model, "live") }

  private func checkWhole(_ pin: SocialGraph.Pin, _ model: ReferenceModel, _ place: String) throws {
    let problems = pin.view.verify()
    if !problems.isEmpty { throw differ("\(place): \(problems)") }
    let (counts, sequence) = (pin.view.counts, pin.view.sequence)
    if counts != model.counts { throw differ("\(place): \(counts), not \(model.counts)") }
    if sequence != model.sequence { throw differ("\(place): change \(sequence), not \(model.sequence)") }
    try checkPasses(pin, model, place)
    let (rows, expected) = (pin.view.rows, model.rows)
    if rows != expected {
      let stray = rows.filter { !expected.contains($0) } + expected.filter { !rows.contains($0) }
      throw differ("\(place): these rows are not in both: \(stray)")
    }
  }
}

extension GraphView {
  /// Everything as lines of text bytes, in the order of exports.
  var rows: [[UInt8]] {
    var rows: [String] = []
    forEachUser { id, name, fields in
      rows.append("user \(id) \(name)" + ReferenceModel.Kept(fields).row)
    }
    forEachPost { id, author, time, parent, text, fields in
      var kept = ReferenceModel.Kept(fields)
      kept.editedAt = fields.editedAt?.rawValue
      rows.append("post \(id) \(author) \(time.rawValue) \(text)" + (parent.map { " to \($0)" } ?? "") + kept.row)
    }
    rows = rows.filter { $0.hasPrefix("user") } + rows.filter { !$0.hasPrefix("user") }.sorted()
    for kind in RelationKind.allCases {
      forEachEdge(of: kind) { source, target, time in
        rows.append("\(kind) \(source) \(target)" + (time.map { " \($0.rawValue)" } ?? ""))
      }
    }
    var edges: [String] = []
    for relation in exportedRelations {
      forEachEdge(ofDeclared: relation.name) { relation, source, target, time in
        let (from, to) = (Node(relation.source, source), Node(relation.target, target))
        edges.append("\(Change.addEdge(relation, from: from, to: to, at: time))")
      }
    }
    if state.declared.hasThreads {
      for row in 0..<UInt32(state.posts.rowCount) {
        guard let parent = state.declared.threads.parent(of: row) else { continue }
        let root = state.postID(state.declared.threads.root(of: row))
        edges.append("reply \(state.postID(row)) to \(state.postID(parent)) of \(root) at \(state.posts.time(row))")
      }
    }
    return (rows + edges.sorted()).map { Array($0.utf8) }
  }
}

extension ReferenceModel {
  /// The same of the model.
  var rows: [[UInt8]] {
    var rows = users.sorted { $0.key < $1.key }.map {
      "user \($0.key) \($0.value.text)" + (keptWithUsers[$0.key]?.row ?? "")
    }
    rows += posts.map { id, post in
      let parent = parents[id].flatMap { posts[$0] == nil ? nil : " to \($0)" } ?? ""
      return "post \(id) \(post.author) \(post.time) \(post.text)\(parent)" + (keptWithPosts[id]?.row ?? "")
    }.sorted()
    for (title, edges) in [("follow", follows.mapValues { $0.rawPairs }), ("like", likes.mapValues { $0.rawPairs })] {
      for (user, pairs) in edges.sorted(by: { $0.key < $1.key }) {
        rows += pairs.map { "\(title) \(user) \($0.0) \(Int64($0.1) * 1_000)" }
      }
    }
    for (title, edges) in [("block", blocks), ("mute", mutes)] {
      for (user, targets) in edges.sorted(by: { $0.key < $1.key }) {
        rows += targets.sorted().map { "\(title) \(user) \($0)" }
      }
    }
    return (rows + edgeRows).map { Array($0.utf8) }
  }
}

extension Dictionary where Key: RawRepresentable & Comparable, Key.RawValue == Int64, Value == UInt32 {
  fileprivate var rawPairs: [(Int64, UInt32)] { sorted { $0.key < $1.key }.map { ($0.key.rawValue, $0.value) } }
}

extension Answer {
  /// The items in words, one each.
  var descriptions: [String] {
    switch self {
    case .users(let users, _, _): users.map { "\(String(describing: $0))" }
    case .posts(let posts, _), .boundedPosts(let posts, _): posts.map { "\(String(describing: $0))" }
    case .incoming(let edges): edges.map { "\($0)" }
    default: ["\(self)"]
    }
  }
}
