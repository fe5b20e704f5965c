/// The schema of a snapshot, and the edges of the relations that it declares.
extension GraphSections {
  /// The schema of a snapshot; nil if it has none.
  /// - Throws: `corrupt`.
  static func declared(in source: some SectionSource) throws(KithError) -> SocialGraph.Schema? {
    guard source.has(schema) else { return nil }
    let section = try source.section(schema)
    try section.head.check(section.content.count, encodings: [.bytes], section.place)
    var reader = ByteReader(section.content, file: section.place.file, at: section.place.offset)
    let declared = try SchemaCoding.read(&reader)
    guard reader.remaining == 0 else { throw section.corrupt("\(reader.remaining) bytes follow the schema") }
    return declared
  }

  /// Restores the schema, if there is one, and the edges of its relations.
  static func restoreDeclared(
    from source: some SectionSource & Sendable, _ ends: borrowing EdgeEnds, to state: inout GraphState, workers: Int
  ) throws(KithError) {
    guard let declared = try declared(in: source) else { return }
    let section = try source.section(schema)
    do throws(KithError) {
      if let table = try state.relations.adding(declared) { state.relations = table }
    } catch {
      throw section.corrupt("the schema: \(error.description)")
    }
    for relation in state.relations.declared {
      guard let kind = relation.kind else { continue }
      let sections = EdgeSections(ofDeclared: Int(kind.number))
      guard sections.areExpected(in: source) else { continue }
      let (from, to, form) = (relation.source, relation.target, state.follows.form)
      let index =
        switch from {
        case .user: try edges(sections, to: to, source, ends, ids: ends.ids, form: form, workers: workers)
        case .post:
          try edges(
            sections, from: from, to: to, source, ends, ids: state.posts.identifiers.ids, form: form, workers: workers)
        }
      state.declared.add(index, for: relation, kind)
    }
    let problems = state.checkDeclaredEdges(PassControl())
    if let problem = problems.first { throw section.corrupt(problem) }
  }
}
