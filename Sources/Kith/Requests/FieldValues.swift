/// The values of a request's fields, each of its field's kind.
package struct FieldValues: Sendable {
  private var values: [(field: Field, value: FieldValue)] = []

  package init() {}

  /// Sets the value of a field.
  package mutating func append(_ value: FieldValue, for field: Field) { values.append((field, value)) }

  /// Replaces usernames by ids.
  /// - Parameter find: looks a name up; nil for an unknown one.
  /// - Throws: `unknownUsername`. An unknown name in `users`, whose answer is null, becomes an id that no user has.
  package func resolved(_ find: (_ username: String, _ kind: String?) -> UserID?) throws(KithError) -> FieldValues {
    var found = self
    for (index, (field, value)) in values.enumerated() {
      switch value {
      case .reference(let reference): found.values[index].value = .reference(.id(try reference.resolved(find)))
      case .references(let references):
        var ids: [UserReference] = []
        ids.reserveCapacity(references.count)
        for reference in references {
          do throws(KithError) {
            ids.append(.id(try reference.resolved(find)))
          } catch {
            if field != .users { throw error }
            ids.append(.id(.noUser))
          }
        }
        found.values[index].value = .references(ids)
      case .edges(let edges):
        var resolved: [FieldValue.Edge] = []
        for edge in edges { resolved.append(try edge.resolved(find)) }
        found.values[index].value = .edges(resolved)
      case .integer, .text, .flag, .integers, .texts, .payload: break
      }
    }
    return found
  }

  /// The bytes that the values take, roughly.
  package var byteCount: Int {
    values.reduce(0) { sum, each in
      switch each.value {
      case .text(let text): sum + text.utf8.count
      case .payload(let bytes): sum + bytes.count
      case .references(let users): sum + users.count * MemoryLayout<UserReference>.stride
      case .integers(let integers): sum + integers.count * MemoryLayout<Int64>.stride
      case .edges(let edges): sum + edges.reduce(0) { $0 + MemoryLayout<PostEdge>.stride + $1.relation.utf8.count }
      case .texts(let texts): sum + texts.reduce(0) { $0 + MemoryLayout<String>.stride + $1.utf8.count }
      case .integer, .flag, .reference: sum
      }
    }
  }

  // MARK: - Values

  /// Whether the field was given.
  package func has(_ field: Field) -> Bool { values.contains { $0.field == field } }

  package func integer(_ field: Field) -> Int64? {
    if case .integer(let integer)? = value(of: field) { integer } else { nil }
  }

  /// A text, or the word of a choice.
  package func text(_ field: Field) -> String? {
    if case .text(let text)? = value(of: field) { text } else { nil }
  }

  package func flag(_ field: Field) -> Bool? {
    if case .flag(let flag)? = value(of: field) { flag } else { nil }
  }

  private func value(of field: Field) -> FieldValue? {
    values.first { $0.field == field }?.value ?? field.defaultValue
  }

  /// The value of a field that is required or has a default: the shape of the request was checked, so it is missing
  /// only if the table and its reader disagree.
  package func required<Value>(_ field: Field, _ read: (Field) -> Value?) -> Value {
    guard let value = read(field) else { preconditionFailure("there is no value for the field \(field.name)") }
    return value
  }

  // MARK: - Values as the engine's types, after names were resolved

  /// The user of an optional field; nil if it is missing.
  func user(_ field: Field) -> UserID? {
    if case .reference(.id(let id))? = value(of: field) { id } else { nil }
  }

  /// Who asks; nil for one who sees all.
  var viewer: UserID? { flag(.asVisitor) == true ? .visitor : user(.viewer) }

  /// The users of a list; none if it is missing.
  func users(_ field: Field) -> [UserID] {
    guard case .references(let references)? = value(of: field) else { return [] }
    return references.map { if case .id(let id) = $0 { id } else { .noUser } }
  }

  /// The texts of a list; nil if it is missing.
  func texts(_ field: Field) -> [String]? {
    if case .texts(let texts)? = value(of: field) { texts } else { nil }
  }

  /// The posts of a list; none if it is missing.
  func posts(_ field: Field) -> [PostID] {
    if case .integers(let ids)? = value(of: field) { ids.map { PostID(rawValue: $0) } } else { [] }
  }

  /// The edges of a new post; none if they are missing.
  var edges: [PostEdge] {
    guard case .edges(let edges)? = value(of: .edges) else { return [] }
    return edges.map { edge in
      let target: Node
      switch edge.target {
      case .user(.id(let id)): target = .user(id)
      case .user(.username): target = .user(.noUser)
      case .post(let id): target = .post(PostID(rawValue: id))
      }
      let relation = Relation(edge.relation, from: .post, to: target.end)
      return PostEdge(relation, to: target, at: edge.time.map { Timestamp($0) })
    }
  }

  /// The details that are asked for. The viewer of an operation that takes none is its user.
  func details(of operation: GraphOperation) -> ResultDetails {
    func relations(_ field: Field) -> [Relation] {
      (texts(field) ?? []).map { Relation($0, from: .user, to: .user) }
    }
    let owner = operation.fields.optional.contains(.viewer) ? nil : user(.user)
    return ResultDetails(
      counts: relations(.counts), marks: relations(.marks), includesPayloads: flag(.payloads) ?? false,
      viewer: viewer ?? owner)
  }

  /// What the host keeps with a user, or with a post, as far as it is given.
  var userFields: UserFields {
    UserFields(
      kind: text(.kind), displayName: text(.displayName), payload: payload, flags: hostFlags,
      isPrivate: flag(.isPrivate))
  }
  var postFields: PostFields {
    PostFields(
      payload: payload, flags: hostFlags, editedAt: time(.editedAt),
      audience: text(.audience).flatMap(Audience.init(rawValue:)))
  }

  private var payload: [UInt8]? { if case .payload(let bytes)? = value(of: .payload) { bytes } else { nil } }
  private var hostFlags: UInt16? { integer(.flags).map { UInt16(truncatingIfNeeded: $0) } }

  /// A relation by its name, which alone counts.
  var relation: Relation { Relation(required(.relation, text), from: .user, to: .user) }

  /// The user of a field, or the post of another.
  func node(_ userField: Field, _ postField: Field) -> Node? {
    user(userField).map { .user($0) } ?? post(postField).map { .post($0) }
  }

  func post(_ field: Field) -> PostID? { integer(field).map { PostID(rawValue: $0) } }
  func time(_ field: Field) -> Timestamp? { integer(field).map { Timestamp($0) } }
  var limit: Int { Int(required(.limit, integer)) }
  var cursor: Cursor? { text(.cursor).map { Cursor($0) } }

  func choice<Word: RawRepresentable<String>>(_ field: Field) -> Word {
    required(field) { text($0).flatMap(Word.init(rawValue:)) }
  }
}

extension UserReference {
  fileprivate func resolved(_ find: (_ username: String, _ kind: String?) -> UserID?) throws(KithError) -> UserID {
    switch self {
    case .id(let id): return id
    case .username(let name, let kind):
      guard let id = find(name, kind) else { throw unknown }
      return id
    }
  }
}

extension FieldValue.Edge {
  fileprivate func resolved(_ find: (_ username: String, _ kind: String?) -> UserID?) throws(KithError)
    -> FieldValue.Edge
  {
    guard case .user(let reference) = target else { return self }
    return FieldValue.Edge(relation, to: .user(.id(try reference.resolved(find))), at: time)
  }
}

extension UserID {
  /// An id that no user can have: ids begin at 1.
  fileprivate static let noUser = UserID(rawValue: 0)
}
