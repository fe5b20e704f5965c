/// The intact components of a snapshot with damaged sections: whole components, and empty ones in place of those that
/// cannot be read.
///
/// The header must be intact, and the users, to which everything else refers. If the tables are damaged, most often
/// because the end of the file is cut off, only the sections before the first damage are available.
struct IntactSections<D: ByteStorage>: Sendable {
  let header: SnapshotHeader
  let lostParts: [SalvageReport.LostPart]
  let lostRelations: [SalvageReport.LostRelation]
  /// Why the tables could not be used, so that only each section's own hash verifies it; nil if they could.
  let tableDamage: KithError?
  private let reader: SnapshotFileReader<D>
  private let empty: Set<SectionID>
  /// Sections of a schema that cannot be read, or whose relations lack what they need.
  private let absent: Set<SectionID>
  private let userCount: Int
  private let byteLimit: Int

  /// Reads everything once.
  ///
  /// - Throws: `corrupt` if nothing can be used; `unsupportedVersion`, `limitExceeded`, `system`.
  init(
    _ file: D.File, path: String, from storage: D, memoryLimit: Int, limit: RestoreLimit
  ) throws(KithError) {
    byteLimit = limit.byteCount(fileByteCount: try storage.byteCount(of: file))
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
    var damage: [SectionID: KithError] = [:]
    for (id, _) in GraphSections.names + GraphSections.namesOfSchema {
      if id.isOfSchema && !reader.has(id) { continue }
      do throws(KithError) {
        try reader.forEachFrame(of: id) { _ in }
      } catch {
        guard case .corrupt = error else { throw error }
        damage[id] = error
      }
    }
    for id in GraphComponent.users.sections { if let error = damage[id] { throw error } }
    let ids = try reader.find(GraphSections.userIDs)
    // An element takes at least one byte, so an empty section is not longer than the file's content.
    guard ids.head.elementCount <= UInt64(ids.contentByteCount) else {
      throw ids.place.corrupt("section \(GraphSections.userIDs) cannot hold \(ids.head.elementCount) elements")
    }
    userCount = Int(ids.head.elementCount)
    var lostParts: [SalvageReport.LostPart] = []
    for part in GraphComponent.allCases {
      // Only sound tables tell that sections never were there.
      if let sections = part.relation?.sections, tableDamage == nil, !sections.areExpected(in: reader) { continue }
      let names = part.sections.compactMap { damage[$0]?.description }
      let isOrphaned = part.relation?.facts.target == .post && lostParts.contains { $0.part == .posts }
      if names.isEmpty && !isOrphaned { continue }
      lostParts.append(
        .init(
          part: part, count: (try? reader.find(part.countedSection))?.head.elementCount,
          reason: names.isEmpty ? "the posts are lost" : names.joined(separator: "; ")))
    }
    self.lostParts = lostParts
    empty = Set(lostParts.flatMap(\.part.sections))
    (absent, lostRelations) = Self.lostRelations(reader, damage, Set(lostParts.map(\.part)))
  }

  /// The declared relations that cannot be read: because their sections or the schema are damaged, or because their
  /// edges depend on what is lost.
  private static func lostRelations(
    _ reader: SnapshotFileReader<D>, _ damage: [SectionID: KithError], _ lostParts: Set<GraphComponent>
  ) -> (absent: Set<SectionID>, lost: [SalvageReport.LostRelation]) {
    guard reader.has(GraphSections.schema) else { return ([], []) }
    let schema = try? GraphSections.declared(in: reader)
    guard damage[GraphSections.schema] == nil, let relations = schema?.relations else {
      let all = Set(GraphSections.namesOfSchema.map(\.id))
      return (
        all, [.init(name: "the schema", reason: damage[GraphSections.schema]?.description ?? "it cannot be read")]
      )
    }
    var absent: Set<SectionID> = []
    var lost: [SalvageReport.LostRelation] = []
    var gone = Set(lostParts.compactMap { $0.relation?.facts.name })
    // Without parents no edge of a reply is one.
    let parents = GraphSections.postParents
    let areParentsLost = reader.has(parents) && (damage[parents] != nil || lostParts.contains(.posts))
    if areParentsLost { absent.insert(parents) }
    for (name, sections, needsPosts) in Self.hostColumns where sections.contains(where: reader.has) {
      let damaged = sections.compactMap { damage[$0]?.description }
      if damaged.isEmpty && !(needsPosts && lostParts.contains(.posts)) { continue }
      absent.formUnion(sections)
      lost.append(.init(name: name, reason: damaged.first ?? "the posts are lost"))
    }
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for (number, relation) in relations.enumerated() where !gone.contains(relation.name) {
        let sections = EdgeSections(ofDeclared: Relation.builtIn.count + number)
        let damaged = sections.all.compactMap { damage[$0]?.description }
        let base = relation.endsWith.flatMap { gone.contains($0) ? $0 : nil }
        let isOrphaned = lostParts.contains(.posts) && (relation.source == .post || relation.target == .post)
        let isWithoutParents = relation.isThread && areParentsLost
        guard isWithoutParents || reader.has(sections.degrees) && (!damaged.isEmpty || base != nil || isOrphaned) else {
          continue
        }
        gone.insert(relation.name)
        absent.formUnion(sections.all)
        let reason = base.map { "the edges of \($0) are lost" } ?? "the posts are lost"
        let damagedParents = isWithoutParents ? damage[parents]?.description : nil
        lost.append(.init(name: relation.name, reason: damaged.first ?? damagedParents ?? reason))
        isGrowing = true
      }
    }
    return (absent, lost)
  }

  /// What a host keeps, by what is lost together.
  private static var hostColumns: [(name: String, sections: [SectionID], needsPosts: Bool)] {
    [
      ("payloads of users", [GraphSections.userPayloadLengths, GraphSections.userPayloadBytes], false),
      ("flags of users", [GraphSections.userFlags], false),
      ("payloads of posts", [GraphSections.postPayloadLengths, GraphSections.postPayloadBytes], true),
      ("flags of posts", [GraphSections.postFlags], true),
      ("times of edits", [GraphSections.postEditTimes], true),
      ("audiences, so that posts are seen by those whom they mention alone", [GraphSections.postAudiences], true),
      ("who is private, so that all users are", [GraphSections.userPrivacy], false),
    ]
  }

  func state() throws(KithError) -> GraphState {
    var state = try GraphSections.state(from: self, sequence: header.sequence, byteLimit: byteLimit)
    // What was lost shows nothing to more people than before.
    if absent.contains(GraphSections.postAudiences) {
      for row in 0..<UInt32(state.posts.rowCount) where state.posts.isLive(row) {
        state.posts.setAudience(.mentioned, of: row)
      }
    }
    if absent.contains(GraphSections.userPrivacy) {
      for row in 0..<UInt32(state.users.rowCount) where state.users.isLive(row) { state.users.setPrivate(true, row) }
    }
    return state
  }
}

extension IntactSections: SectionSource {
  var path: String { reader.path }

  func section(_ id: SectionID) throws(KithError) -> Section {
    if !empty.contains(id) { return try reader.section(id) }
    let head = emptyHead(id)
    return Section(head: head, content: zeros(Int(head.elementCount)), place: FilePlace(file: path, offset: 0))
  }

  func find(_ id: SectionID) throws(KithError) -> (head: SectionHead, contentByteCount: Int, place: FilePlace) {
    if absent.contains(id) { throw .corrupt(file: path, offset: 0, reason: "section \(id) cannot be read") }
    if !empty.contains(id) { return try reader.find(id) }
    let section = try section(id)
    return (section.head, section.content.count, section.place)
  }

  func forEachFrame(of id: SectionID, _ body: ([UInt8]) throws(KithError) -> Void) throws(KithError) {
    if !empty.contains(id) { try reader.forEachFrame(of: id, body) }
  }

  /// `count` zeros as byte-stream-split 32-bit integers.
  private func zeros(_ count: Int) -> [UInt8] {
    let pieces = (0..<ColumnCoding.pieceCount(count, of: UInt32.self)).map { piece in
      ColumnCoding.planes(piece, of: count) { (_, _: inout MutableSpan<UInt32>) in }
    }
    return pieces.flatMap(\.content) + pieces.flatMap(\.headers)
  }

  /// A section without elements; for degrees, a zero per user.
  private func emptyHead(_ id: SectionID) -> SectionHead {
    let relations = RelationKind.allCases.map(\.sections)
    if relations.contains(where: { $0.degrees == id }) {
      return SectionHead(id: id, encoding: .planes, elementCount: UInt64(userCount))
    }
    let encoding: ColumnEncoding =
      if relations.contains(where: { $0.targets == id }) {
        .listPlanes
      } else if id == GraphSections.textBytes {
        .bytes
      } else {
        id == GraphSections.postIDs || id == GraphSections.postTimes ? .deltaPlanes : .planes
      }
    return SectionHead(id: id, encoding: encoding, elementCount: 0)
  }
}

extension GraphComponent {
  /// The sections that hold only this component.
  var sections: [SectionID] {
    switch self {
    case .users: [GraphSections.userIDs, GraphSections.nameLengths, GraphSections.nameBytes]
    case .posts:
      [
        GraphSections.postIDs, GraphSections.postAuthors, GraphSections.postTimes, GraphSections.textLengths,
        GraphSections.textBytes,
      ]
    case .relation(let kind): kind.sections.all
    }
  }

  /// The section with one element per user, post or edge of this component.
  fileprivate var countedSection: SectionID {
    switch self {
    case .users, .posts: sections[0]
    case .relation(let kind): kind.sections.targets
    }
  }
}
