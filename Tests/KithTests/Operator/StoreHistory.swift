@testable import Kith

/// The files of a store in memory, with its whole history: every change, and the model after each.
final class StoreHistory {
  /// A write of the journal.
  struct Frame {
    let changes: ClosedRange<UInt64>
    let writtenAt: Timestamp
  }

  let fixture: JournalFixture
  /// Change `n` stands at `n - 1`.
  private(set) var changes: [Change] = []
  /// The model after change `n` stands at `n`.
  private(set) var models = [ReferenceModel()]
  private(set) var frames: [Frame] = []
  /// Numbers of the changes that snapshots end with.
  private(set) var snapshots: [UInt64] = []

  /// - Parameters:
  ///   - snapshotOdds: one in this many writes is followed by a snapshot.
  ///   - hasSchema: whether the first change declares a schema, which is drawn.
  init(seed: UInt64, frameCount: Int, snapshotOdds: Int, hasSchema: Bool = false) throws {
    fixture = try JournalFixture(hasSchema: hasSchema)
    var draw = Draw(seed: seed, userCount: 12)
    if hasSchema { try declare(draw.schema()) }
    for _ in 0..<frameCount {
      try write(&draw)
      if draw.seldom(snapshotOdds) {
        try fixture.snapshot(at: fixture.time)
        snapshots.append(fixture.state.sequence)
      }
    }
    try fixture.close()
  }

  private func declare(_ relations: [Relation]) throws {
    var model = models[0]
    (model.declared, model.sequence) = (relations, 1)
    changes.append(.declare(SocialGraph.Schema(relations)))
    models.append(model)
    try fixture.commit(changes)
    frames.append(Frame(changes: 1...1, writtenAt: fixture.time))
  }

  /// One to five changes with an effect, as one frame.
  private func write(_ draw: inout Draw) throws {
    var (model, frame) = (models[models.count - 1], [Change]())
    let wanted = 1 + draw.below(5)
    while frame.count < wanted {
      let drawn = draw.change(for: model)
      guard let change = try? fixture.state.complete(drawn, now: { 1_700_000_000_000 }),
        case .success(let applied) = model.outcome(of: change), applied.didChange
      else { continue }
      frame.append(change)
      models.append(model)
    }
    let first = UInt64(changes.count + 1)
    try fixture.commit(frame)
    changes += frame
    frames.append(Frame(changes: first...UInt64(changes.count), writtenAt: fixture.time))
  }

  var last: UInt64 { UInt64(changes.count) }
}

extension GraphView {
  /// The differences from a model as text; nil if there are none.
  func difference(from model: ReferenceModel) -> String? {
    let problems = verify()
    if !problems.isEmpty { return "\(problems)" }
    if counts != model.counts { return "\(counts), not \(model.counts)" }
    let (rows, expected) = (rows, model.rows)
    if rows == expected { return nil }
    let stray = rows.filter { !expected.contains($0) } + expected.filter { !rows.contains($0) }
    return "not in both: \(stray.map { String(decoding: $0, as: UTF8.self) })"
  }
}
