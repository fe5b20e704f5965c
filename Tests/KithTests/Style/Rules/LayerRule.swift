/// A folder of a module may name only the types and members of its own layer and of those below.
enum LayerRule {
  /// A module whose folders are layers.
  struct Module {
    let path: String
    /// The folders, from the bottom up.
    let layers: [String]
    /// Whether files outside of all folders are the layer above them; otherwise there may be none.
    var hasTop = false

    func name(of layer: Int) -> String { layer < layers.count ? "\(layers[layer])/" : path }
  }

  static let modules = [
    Module(
      path: "Sources/Kith/",
      layers: [
        "Concurrency", "Memory", "Model", "Text", "Indexes", "Graph", "Queries", "Durability", "Feed", "Engine", "Live",
        "Replication", "Requests", "Analytics", "Operator",
      ]),
    Module(path: "Sources/KithC/", layers: ["Handles", "Arguments", "Functions"]),
    Module(path: "Sources/KithReplication/", layers: ["Support", "Log", "Replica", "Postgres"]),
    Module(
      path: "Sources/KithCLI/",
      layers: [
        "JSON", "Console", "Arguments", "Files", "Access", "Protocol", "Sessions", "Store", "QueryCommands", "Seed",
        "Import", "Bench", "Drill", "Demo", "Serve", "Replica", "Watch", "Explore", "Manual",
      ], hasTop: true),
  ]

  static func findings(in files: [SourceFile]) -> [Finding] { modules.flatMap { findings(in: files, of: $0) } }

  private static func findings(in all: [SourceFile], of module: Module) -> [Finding] {
    let files = all.compactMap { file in layer(of: file, in: module).map { (file: file, layer: $0) } }
    // The engine is below the other modules: its members are theirs.
    let engine = all.filter { layer(of: $0, in: modules[0]) != nil }
    let types = declarations(in: files) { typeNames(declaredIn: $0) }
    let members = extensionMembers(in: files, above: module.path == modules[0].path ? [] : engine, typeLayers: types)
    let homes = typeHomes(in: files.map(\.file))
    return files.flatMap { file, layer -> [Finding] in
      let owners = namespaces(in: file, homes)
      return file.tokens.indices.compactMap { index -> Finding? in
        let token = file.tokens[index]
        guard token.kind == .word, !owners.contains(index) else { return nil }
        let isMember = index > 0 && file.tokens[index - 1].text == "."
        let declared = types[token.text].flatMap { $0.isReachable ? $0.layer : nil }
        guard let owner = isMember ? members[token.text] ?? declared : declared, owner > layer else { return nil }
        return Finding(
          path: file.path, line: token.line,
          advice: "\(module.layers[layer])/ names \(token.text) of \(module.name(of: owner)), a layer above; "
            + "move what needs it up, or the declaration down")
      }
    } + strays(files, of: module)
  }

  private struct Declaration {
    /// The lowest layer that declares the name.
    var layer: Int
    /// Whether any declaration can be named without the type around it.
    var isReachable = false
  }

  private static func layer(of file: SourceFile, in module: Module) -> Int? {
    guard file.isSwift, file.path.hasPrefix(module.path), !file.path.contains(".docc/") else { return nil }
    let rest = file.path.dropFirst(module.path.count)
    let isTop = module.hasTop && !rest.contains("/")
    return module.layers.firstIndex { rest.hasPrefix("\($0)/") } ?? (isTop ? module.layers.count : -1)
  }

  private static func strays(_ files: [(file: SourceFile, layer: Int)], of module: Module) -> [Finding] {
    files.filter { $0.layer < 0 }.map {
      Finding(
        path: $0.file.path, line: 1, advice: "is in no layer; move it into \(module.layers.joined(separator: ", "))")
    }
  }

  private static func declarations(
    in files: [(file: SourceFile, layer: Int)], _ names: (SourceFile) -> [(name: String, isReachable: Bool)]
  ) -> [String: Declaration] {
    var found: [String: Declaration] = [:]
    for (file, layer) in files {
      for (name, isReachable) in names(file) {
        let known = found[name]
        found[name] = Declaration(
          layer: min(known?.layer ?? layer, layer), isReachable: isReachable || known?.isReachable ?? false)
      }
    }
    return found
  }

  /// Members that the standard library has too: tokens do not show whose is meant.
  private static let standardMembers: Set<String> = ["values"]

  /// Members that an extension adds to a type of a lower layer, where nothing below declares the name: using one there
  /// is an upward reference without a type (`Timestamp.now()` declared in Engine and used in Durability).
  private static func extensionMembers(
    in files: [(file: SourceFile, layer: Int)], above engine: [SourceFile], typeLayers: [String: Declaration]
  ) -> [String: Int] {
    var lowest: [String: Int] = [:]
    for file in engine { for (name, _) in memberNames(declaredIn: file) { lowest[name] = -1 } }
    var added: [String: Int] = [:]
    for (file, layer) in files {
      for (name, extended) in memberNames(declaredIn: file) {
        lowest[name] = min(lowest[name] ?? layer, layer)
        guard let extended, let home = typeLayers[extended]?.layer, home < layer else { continue }
        added[name] = min(added[name] ?? layer, layer)
      }
    }
    return added.filter { lowest[$0.key] == $0.value && !standardMembers.contains($0.key) }
  }

  // MARK: - Namespaces

  /// By type, the paths of the files that declare it.
  static func typeHomes(in files: [SourceFile]) -> [String: Set<String>] {
    var homes: [String: Set<String>] = [:]
    for file in files { for (name, _) in typeNames(declaredIn: file) { homes[name, default: []].insert(file.path) } }
    return homes
  }

  /// The tokens that name a type only as the namespace of another: before the dot and the name of a type that another
  /// file declares (`SocialGraph.Limits`, declared in Model), and in an extension that declares only types. The nested
  /// type counts, not its owner.
  static func namespaces(in file: SourceFile, _ homes: [String: Set<String>]) -> Set<Int> {
    let tokens = file.tokens
    let extended = Set(memberNames(declaredIn: file).compactMap(\.extended))
    return Set(
      tokens.indices.filter { index in
        guard tokens[index].kind == .word, index + 1 < tokens.count, let home = homes[tokens[index].text] else {
          return false
        }
        if tokens[index + 1].text == "." {
          guard index + 2 < tokens.count, let nested = homes[tokens[index + 2].text] else { return false }
          return nested.isDisjoint(with: home)
        }
        return index > 0 && tokens[index - 1].text == "extension" && tokens[index + 1].text == "{"
          && !home.contains(file.path) && !extended.contains(tokens[index].text)
      })
  }

  // MARK: - Declarations

  /// The names of all types a file declares; reachable are those at its top level and in extensions.
  static func typeNames(declaredIn file: SourceFile) -> [(name: String, isReachable: Bool)] {
    let keywords: Set<String> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    var found: [(name: String, isReachable: Bool)] = []
    walk(file) { index, scopes in
      guard keywords.contains(file.tokens[index].text), let name = name(after: index, in: file),
        name.first?.isUppercase == true  // `class func` and the like declare no type
      else { return }
      found.append((name, scopes.allSatisfy { $0 != nil }))
    }
    return found
  }

  /// The functions, properties and cases that a file declares, with the type that an extension adds them to, if any.
  private static func memberNames(declaredIn file: SourceFile) -> [(name: String, extended: String?)] {
    let keywords: Set<String> = ["func", "var", "let", "case"]
    var found: [(name: String, extended: String?)] = []
    walk(file) { index, scopes in
      guard keywords.contains(file.tokens[index].text), let name = name(after: index, in: file) else { return }
      found.append((name, scopes.count == 1 ? scopes[0] : nil))
    }
    return found
  }

  private static func name(after index: Int, in file: SourceFile) -> String? {
    guard index + 1 < file.tokens.count, file.tokens[index + 1].kind == .word else { return nil }
    return file.tokens[index + 1].text
  }

  /// The type that an extension extends: the last name of `SocialGraph.Limits`.
  private static func extendedName(after index: Int, in file: SourceFile) -> String? {
    var index = index
    while index + 3 < file.tokens.count, file.tokens[index + 2].text == "." { index += 2 }
    return name(after: index, in: file)
  }

  /// Calls `body` with every word that is no member access, and the scopes around it: the extended type's name for an
  /// extension, nil for any other brace.
  static func walk(_ file: SourceFile, _ body: (_ index: Int, _ scopes: [String?]) -> Void) {
    var scopes: [String?] = []
    var extended: String?
    for (index, token) in file.tokens.enumerated() {
      switch (token.kind, token.text) {
      case (.word, "extension"):
        extended = extendedName(after: index, in: file)
        body(index, scopes)
      case (.mark, "{"):
        scopes.append(extended)
        extended = nil
      case (.mark, "}"): _ = scopes.popLast()
      case (.word, _) where index == 0 || file.tokens[index - 1].text != ".": body(index, scopes)
      default: break
      }
    }
  }
}
