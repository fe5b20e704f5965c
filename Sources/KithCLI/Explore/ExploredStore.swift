import Foundation
import Kith
import Synchronization

/// What is explored: the graph of a store that another process may write, or of a snapshot, and its past states.
///
/// A store is followed (`FollowedStore`).
final class ExploredStore: Sendable {
  enum Kind: String {
    case store, snapshot
  }

  /// The most past states in memory.
  static let pastLimit = 2
  let path: String
  let kind: Kind
  private let options: SocialGraph.Options
  private let followed: FollowedStore
  private let log = Mutex(ChangeLog())
  private let failure = Mutex<HTTPFailure?>(nil)
  /// The most recently used last.
  private let past = Mutex<[(at: Int64, graph: SocialGraph)]>([])

  init(_ path: String, _ options: SocialGraph.Options = SocialGraph.Options()) throws(CommandFailure) {
    self.path = path
    self.options = options
    followed = FollowedStore(path, try StoreAccess.open(path, access: .readOnly, options), options)
    kind = ((try? StoreTools.isFile(path)) ?? false) ? .snapshot : .store
    if kind == .store { try followed.follow { [self] in note($0) } }
  }

  private func note(_ event: FollowedStore.Event) {
    switch event {
    case .changes(let changes, let first): log.withLock { $0.add(changes, first: first) }
    case .replaced: break
    case .failed(let error): failure.withLock { $0 = HTTPFailure(error) }
    case .began: failure.withLock { $0 = nil }
    }
  }

  /// Ends the thread that follows. What was read stays.
  func close() { followed.close() }

  /// The newest graph. A later one replaces it if the store had to be read again.
  var graph: SocialGraph { followed.graph }

  /// Why the store cannot be followed; nil if it is.
  var problem: HTTPFailure? { failure.withLock { $0 } }

  /// The changes after one that were seen while the store was followed, at most the newest.
  func changes(after sequence: UInt64) -> ArraySlice<(sequence: UInt64, change: Change)> {
    log.withLock { $0.changes(after: sequence) }
  }

  // MARK: Past states

  /// The state as of a time, if it was opened.
  func past(at time: Int64) -> SocialGraph? {
    past.withLock { past in
      guard let place = past.firstIndex(where: { $0.at == time }) else { return nil }
      let entry = past.remove(at: place)
      past.append(entry)
      return entry.graph
    }
  }

  /// Opens the state as of a time, and closes the least recently used if there are too many.
  func openPast(at time: Int64, _ control: ReadControl) throws(KithError) -> SocialGraph {
    if let graph = past(at: time) { return graph }
    let graph = try SocialGraph.read(path, at: .time(Timestamp(time)), options: options, control: control)
    if control.isCancelled { throw .cancelled }
    past.withLock { past in
      past.removeAll { $0.at == time }
      past.append((time, graph))
      if past.count > Self.pastLimit { past.removeFirst() }
    }
    return graph
  }

  // MARK: Facts

  func writeInfo(to writer: inout JSONWriter) {
    writer.member("name", URL(fileURLWithPath: path.shownPath).standardizedFileURL.lastPathComponent)
    writer.member("kind", kind.rawValue)
    writer.member("path", path.shownPath)
    writer.member("version", Version.text)
    writer.member("live", kind == .store && problem == nil)
    Self.writeCounts(of: graph, to: &writer)
    writer.member("now", Timestamp.now().rawValue)
  }

  /// The number of the last change, the counts, and the declared relations.
  static func writeCounts(of graph: SocialGraph, to writer: inout JSONWriter) {
    let (counts, sequence) = graph.read { view in (view.counts, view.sequence) }
    writer.member("sequence", sequence)
    counts.write(to: &writer)
    writer.objects("relations", graph.read { view in view.declaredRelations }) { writer, item in
      item.relation.write(to: &writer)
      writer.member("count", item.count)
    }
  }
}
