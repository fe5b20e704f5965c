/// What is sound of a snapshot some of whose sections are damaged: whole parts, and empty ones in the place of those
/// that cannot be read.
///
/// The header must be sound, and the users, to whom everything else belongs. Where the tables are not, most often
/// because the end of the file is cut off, the sections before the first damage are what there is.
struct SoundSections<D: ByteStorage>: Sendable {
  let header: SnapshotHeader
  let lostParts: [SalvageReport.LostPart]
  /// Why the tables could not be used, and nothing but each section's own hash vouches for it; nil when they could.
  let tableDamage: KithError?
  private let reader: SnapshotFileReader<D>
  private let empty: Set<SectionID>
  private let userCount: Int

  /// Reads everything once.
  ///
  /// Errors: `corrupt` when nothing of it can be used; `unsupportedVersion`, `limitExceeded`, `system`.
  init(_ file: D.File, path: String, from storage: D, memoryLimit: Int) throws(KithError) {
    do throws(KithError) {
      reader = try SnapshotFileReader(
        file: file, path: path, disk: storage, memoryLimit: memoryLimit, knownSections: GraphSections.known)
      tableDamage = nil
    } catch {
      guard case .corrupt = error else { throw error }
      reader = try SnapshotFileReader(
        rebuilding: file, path: path, disk: storage, memoryLimit: memoryLimit, knownSections: GraphSections.known)
      tableDamage = error
    }
    header = reader.header
    guard header.sequence <= JournalFormat.numberLimit else {
      throw .corrupt(file: path, offset: 40, reason: "no change has the number \(header.sequence)")
    }
    var damage: [SectionID: KithError] = [:]
    for (id, _) in GraphSections.names {
      do throws(KithError) {
        try reader.forEachFrame(of: id) { _ in }
      } catch {
        guard case .corrupt = error else { throw error }
        damage[id] = error
      }
    }
    for id in GraphPart.users.sections { if let error = damage[id] { throw error } }
    let ids = try reader.find(GraphSections.userIDs)
    // An element takes a byte at least: so no empty section is longer than what the file holds.
    guard ids.head.elementCount <= UInt64(ids.contentByteCount) else {
      throw ids.place.corrupt("section \(GraphSections.userIDs) cannot hold \(ids.head.elementCount) elements")
    }
    userCount = Int(ids.head.elementCount)
    var lostParts: [SalvageReport.LostPart] = []
    for part in GraphPart.allCases {
      let names = part.sections.compactMap { damage[$0]?.description }
      let isOrphaned = part == .likes && lostParts.contains { $0.part == .posts }
      if names.isEmpty && !isOrphaned { continue }
      lostParts.append(
        .init(
          part: part, count: (try? reader.find(part.countedSection))?.head.elementCount,
          reason: names.isEmpty ? "the posts are lost" : names.joined(separator: "; ")))
    }
    self.lostParts = lostParts
    empty = Set(lostParts.flatMap(\.part.sections))
  }

  func state() throws(KithError) -> GraphState { try GraphSections.state(from: self, sequence: header.sequence) }
}

extension SoundSections: SectionSource {
  var path: String { reader.path }

  func section(_ id: SectionID) throws(KithError) -> Section {
    if !empty.contains(id) { return try reader.section(id) }
    let head = emptyHead(id)
    let content = [UInt8](repeating: 0, count: head.encoding == .integers32 ? 4 * userCount : 0)
    return Section(head: head, content: content, place: FilePlace(file: path, offset: 0))
  }

  func find(_ id: SectionID) throws(KithError) -> (head: SectionHead, contentByteCount: Int, place: FilePlace) {
    if !empty.contains(id) { return try reader.find(id) }
    let section = try section(id)
    return (section.head, section.content.count, section.place)
  }

  func forEachFrame(of id: SectionID, _ body: ([UInt8]) throws(KithError) -> Void) throws(KithError) {
    if !empty.contains(id) { try reader.forEachFrame(of: id, body) }
  }

  /// No elements; of degrees, a zero for every user.
  private func emptyHead(_ id: SectionID) -> SectionHead {
    let degrees = [GraphSections.follows, GraphSections.likes, GraphSections.blocks, GraphSections.mutes].map(\.degrees)
    if degrees.contains(id) { return SectionHead(id: id, encoding: .integers32, elementCount: UInt64(userCount)) }
    let lists = [GraphSections.follows, GraphSections.likes, GraphSections.blocks, GraphSections.mutes].map(\.targets)
    let encoding: ColumnEncoding =
      if lists.contains(id) {
        .listPlanes
      } else if id == GraphSections.textBytes {
        .bytes
      } else {
        id == GraphSections.postIDs || id == GraphSections.postTimes ? .deltaPlanes : .planes
      }
    return SectionHead(id: id, encoding: encoding, elementCount: 0)
  }
}

extension GraphPart {
  /// The sections that hold it, and no other part.
  var sections: [SectionID] {
    switch self {
    case .users: [GraphSections.userIDs, GraphSections.nameLengths, GraphSections.nameBytes]
    case .posts:
      [
        GraphSections.postIDs, GraphSections.postAuthors, GraphSections.postTimes, GraphSections.textLengths,
        GraphSections.textBytes,
      ]
    case .follows: GraphSections.follows.all
    case .likes: GraphSections.likes.all
    case .blocks: GraphSections.blocks.all
    case .mutes: GraphSections.mutes.all
    }
  }

  /// The one with an element for each of what it counts.
  fileprivate var countedSection: SectionID {
    switch self {
    case .users, .posts: sections[0]
    case .follows, .likes, .blocks, .mutes: sections[1]
    }
  }
}

extension GraphSections.EdgeSections {
  fileprivate var all: [SectionID] { [degrees, targets] + (seconds.map { [$0] } ?? []) }
}
