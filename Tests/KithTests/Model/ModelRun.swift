@testable import Kith

/// A difference between engine and model; the text names its place.
struct Difference: Error, CustomStringConvertible {
  let description: String
}

/// An engine and its model side by side: both get the same changes, drawn from a seed, and the same queries.
///
/// The run stops at the first difference, with its seed and step.
struct ModelRun {
  /// A pinned version, and the model at that time.
  struct Kept {
    let pin: SocialGraph.Pin
    let model: ReferenceModel
    let step: Int
  }

  /// A list that was read so far.
  struct Walk {
    let question: Question
    let cursor: Cursor
    let place: ReferenceModel.Place
  }

  let seed: UInt64
  var draw: Draw
  var step = 0
  /// The form of the present graph: a run begins with one, and each restore continues with the next.
  private(set) var form: GraphForm
  var graph: SocialGraph
  var model = ReferenceModel()
  var kept: [Kept] = []
  var walks: [Walk] = []

  /// - Parameters:
  ///   - users: the approximate number; above a few, they are all added at the start.
  ///   - end: what ids and times are near; nil for ordinary ones.
  ///   - hasSchema: whether the graph has a schema, which is drawn.
  init(seed: UInt64, users: Int, _ form: ListForm, near end: Int64? = nil, hasSchema: Bool = false) throws {
    self.seed = seed
    self.form = GraphForm(lists: form)
    draw = Draw(seed: seed, userCount: users, givesIDs: seed % 2 == 0)
    draw.end = end
    model.declared = hasSchema ? draw.schema() : nil
    let kinds = hasSchema ? draw.pick([[], ["tag"], ["tag", "place"]]) : []
    model.userKinds += kinds
    model.sequence = hasSchema ? 1 : 0
    graph = SocialGraph(
      options: SocialGraph.Options { $0.compactLists = form == .compact },
      schema: model.declared.map { SocialGraph.Schema($0, userKinds: kinds) })
    if users > 20 { try populate(users) }
  }

  func differ(_ what: String) -> Difference {
    Difference(description: "seed \(seed), \(form), step \(step): \(what)")
  }

  /// Many users at once, as by an import.
  private mutating func populate(_ count: Int) throws {
    var changes = (0..<count).map { _ in Change.addUser(id: nil, username: draw.name()) }
    func someone() -> UserID { UserID(Int64(1 + (draw.seldom(3) ? draw.below(4) : draw.below(count)))) }
    for _ in 0..<count * 10 { changes.append(.follow(as: someone(), target: someone(), at: draw.edgeTime())) }
    for _ in 0..<count * 2 {
      changes.append(.addPost(id: nil, by: someone(), text: draw.text(), createdAt: draw.postTime()))
    }
    for _ in 0..<count * 4 {
      let post = PostID(Int64(1 + (draw.seldom(3) ? draw.below(4) : draw.below(count * 2))))
      changes.append(.like(as: someone(), post: post, at: draw.edgeTime()))
    }
    try makeBulk(changes)
  }

  /// Changes of an import: a refused one is skipped.
  private mutating func makeBulk(_ changes: [Change]) throws {
    try graph.bulk { batch throws(Difference) in
      for change in changes { try compare(batch.outcome(ofImporting: change), model.outcome(of: change), change) }
    }
    try checkWhole()
  }

  // MARK: - A step

  mutating func advance() throws {
    step += 1
    switch draw.below(40) {
    case 0..<4: try makeBatch()
    case 4: keep()
    case 6 where draw.seldom(3): graph.freezePosts()
    case 7 where draw.seldom(3): graph.settlePosts()
    case 8 where draw.seldom(3): graph.compressTexts()
    case 5 where draw.seldom(3):
      try makeBulk((0..<draw.below(25)).map { _ in draw.change(for: model) })
    default: try makeChange()
    }
    for _ in 0..<2 { try askOnce() }
    try askDetails()
    if step % 5 == 0 { try askOfOneKept() }
    if step % 20 == 0 { try walkOneList() }
    if step % 50 == 0 { try checkWhole() }
    if step % (draw.userCount > 20 ? 35 : 120) == 0 { try restore() }
  }

  private mutating func makeChange() throws {
    let change = draw.change(for: model)
    let outcome = graph.outcome(of: change)
    try compare(outcome, model.outcome(of: change), change)
  }

  private func compare(
    _ outcome: Result<ChangeResult, KithError>, _ expected: Result<ChangeResult, ReferenceModel.Refusal>,
    _ change: Change
  ) throws(Difference) {
    switch (outcome, expected) {
    case (.success(let applied), .success(let right)) where applied == right: return
    case (.failure(let error), .failure(let refusal)) where refusal.codes.contains(error.code): return
    default: throw differ("\(change) gave \(outcome), not \(expected)")
    }
  }

  /// Some changes in a batch, which succeed together or not at all.
  private mutating func makeBatch() throws {
    let before = model
    var changes: [Change] = []
    for _ in 0..<1 + draw.below(6) { changes.append(draw.change(for: model)) }
    let (goesOn, fails) = (draw.below(3) == 0, draw.below(3) == 0)
    do {
      try graph.batch { batch throws(KithError) in
        for (index, change) in changes.enumerated() {
          let outcome = batch.outcome(of: change)
          let expected = model.outcome(of: change)
          do {
            try compare(outcome.unwrapped(at: batch.count), expected, change)
            let question = draw.question(for: model)
            try ask(question, of: batch.reply(to: question), model, "within a batch")
          } catch {
            throw .diverged(position: 0, reason: "\(error)")  // the difference, applied
          }
          if case .failure(let error) = outcome, !goesOn { throw error }
          if fails && index == changes.count - 1 { throw .cancelled }
        }
      }
    } catch .diverged(_, let difference) {
      throw differ(difference)
    } catch {
      model = before
    }
  }

  private mutating func keep() {
    if kept.count == 4 { kept.remove(at: draw.below(4)) }
    kept.append(Kept(pin: graph.pin(), model: model, step: step))
  }

  /// Continues with a graph that was written and read again, in the next form: the other form of lists, and each time
  /// that both were had, the other form of texts.
  private mutating func restore() throws {
    form.compressesTexts = form.compressesTexts != (form.lists == .compact)
    form.lists = form.lists == .plain ? .compact : .plain
    let pin = graph.pin()
    let sections = SectionList(GraphSections.sections(of: pin.view.state))
    // Not compressed while it is read: a megabyte would be learned first.
    let state = try GraphSections.state(
      from: sections, sequence: pin.view.sequence, form: GraphForm(lists: form.lists))
    graph = SocialGraph(state, store: nil, isReadOnly: false)
    if form.compressesTexts { graph.compressTexts() }
    if draw.seldom(2) { graph.settlePosts() }
    try checkWhole()
  }
}

// MARK: - Outcomes

extension ReferenceModel {
  mutating func outcome(of change: Change) -> Result<ChangeResult, Refusal> {
    do throws(Refusal) {
      return .success(try apply(change))
    } catch {
      return .failure(error)
    }
  }
}

extension SocialGraph {
  func outcome(of change: Change) -> Result<ChangeResult, KithError> {
    do throws(KithError) {
      return .success(try apply(change))
    } catch {
      return .failure(error)
    }
  }
}

extension SocialGraph.Batch {
  fileprivate mutating func outcome(of change: Change) -> Result<ChangeResult, KithError> {
    do throws(KithError) {
      return .success(try apply(change))
    } catch {
      return .failure(error)
    }
  }

  fileprivate mutating func outcome(ofImporting change: Change) -> Result<ChangeResult, KithError> {
    do throws(KithError) {
      return .success(try importChange(change))
    } catch {
      return .failure(error)
    }
  }

  fileprivate func reply(to question: Question) -> Reply<Cursor> { read { $0.reply(to: question) } }
}

extension Result where Success == ChangeResult, Failure == KithError {
  /// The error without its index in the batch, if that index is right.
  fileprivate func unwrapped(at index: Int) -> Self {
    guard case .failure(.inBatch(index, let error)) = self else {
      if case .failure = self {
        return .failure(.diverged(position: 0, reason: "an error of a batch without its place: \(self)"))
      }
      return self
    }
    return .failure(error)
  }
}
