import Kith

/// Writes the events of a store to standard error, one a line.
struct EventLog: Sendable {
  enum Form: String, CaseIterable { case text, json }

  static let option = Option(
    "--events", "FORM",
    "how events of the store are written to standard error: text (the default), or json, one object a line",
    choices: Form.allCases.map(\.rawValue))

  private let store: String
  private let form: Form

  init(_ store: String, _ arguments: Arguments) throws(CommandFailure) {
    self.store = store
    form = try arguments.choice(Self.option) ?? .text
  }

  func note(_ event: StoreEvent) {
    switch form {
    case .text: if let text = Self.text(event) { Console.note(store, text) }
    case .json: Console.note(Self.json(event, of: store, at: .now()))
    }
  }

  /// Nil for what needs no line: the end of a snapshot has one.
  static func text(_ event: StoreEvent) -> String? {
    switch event {
    case .snapshotBegan: nil
    case .snapshotWritten(let info):
      "a snapshot of change \(info.sequence) was written: \(info.path.shownPath), \(byteText(info.byteCount))"
    case .journalFailed: event.sentence + "; {\"op\":\"snapshot\"} tries at once"
    case .diskLow(let free):
      "the disk is nearly full: \(byteText(Int(clamping: free))) are free; when it is full, changes are refused"
    default: event.sentence
    }
  }

  static func json(_ event: StoreEvent, of store: String, at time: Timestamp) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("time", time.rawValue)
      writer.member("store", store.shownPath)
      writer.member("event", event.name)
      writer.member("failure", event.isFailure)
      writer.member("message", event.sentence)
      for (name, value) in event.fields.sorted(by: { $0.key < $1.key }) {
        if let number = Int64(value) { writer.member(name, number) } else { writer.member(name, value) }
      }
    }
    writer.newline()
    return writer.bytes
  }
}
