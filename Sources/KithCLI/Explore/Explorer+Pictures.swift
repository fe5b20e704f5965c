import Kith

/// The endpoints that answer what the page draws of the graph.
extension Explorer {
  func memory(_ parameters: Parameters) throws(HTTPFailure) -> HTTPReply {
    let report = try graph(parameters).read { view in view.memoryReport() }
    return .object { writer in
      writer.member("total", report.byteCount)
      writer.objects("structures", report.entries) { writer, entry in
        writer.member("name", entry.name)
        writer.member("bytes", entry.byteCount)
      }
    }
  }

  func degrees(_ parameters: Parameters) throws(HTTPFailure) -> HTTPReply {
    let pin = try graph(parameters).pin()
    return try Job { (job) throws(HTTPFailure) in
      let degrees = try HTTPFailure.from { () throws(KithError) in try pin.degreeDistribution(control: job.passes) }
      return JSONWriter.bytes { writer in
        for (name, histogram) in [("followers", degrees.followers), ("followees", degrees.followees)] {
          writer.array(name, histogram.buckets) { $0.integers([$1.degree, $1.userCount]) }
        }
      }
    }.stream()
  }

  func growth(_ parameters: Parameters) throws(HTTPFailure) -> HTTPReply {
    let (pin, count) = (try graph(parameters).pin(), Int(parameters.integer(.buckets) ?? 0))
    return try Job { (job) throws(HTTPFailure) in
      let times = try HTTPFailure.from { () throws(KithError) in
        try pin.timeDistribution(bucketCount: count, control: job.passes)
      }
      return JSONWriter.bytes { times.writeMembers(to: &$0) }
    }.stream()
  }

  func neighbourhood(_ parameters: Parameters) throws(HTTPFailure) -> HTTPReply {
    let user = UserID(rawValue: parameters.integer(.userNumber) ?? 0)
    let (hops, limit) = (Int(parameters.integer(.hops) ?? 1), Int(parameters.integer(.nodeLimit) ?? 1))
    let names = (parameters.text(.relationNames) ?? "").split(separator: ",").map(String.init)
    let pin = try graph(parameters).pin()
    let found = try HTTPFailure.from { () throws(KithError) in
      let relations = try names.map { (name) throws(KithError) in try pin.view.knownRelation(name) }
      return try Neighbourhood(of: user, along: relations, hops: hops, limit: limit, in: pin.view)
    }
    let users = try HTTPFailure.from { () throws(KithError) in
      try pin.view.users(found.nodes.map { pin.view.user(at: $0.row) ?? user })
    }
    return .object { writer in
      writer.objects("nodes", zip(users, found.nodes)) { writer, node in
        writer.member("id", node.0?.id.rawValue ?? 0)
        writer.member("username", node.0?.username ?? "")
        writer.member("followerCount", node.0?.followerCount ?? 0)
        writer.member("distance", node.1.distance)
      }
      writer.array("edges", found.edges) { $0.integers([$1.source, $1.target, $1.relation]) }
      writer.strings("relations", names)
      writer.member("found", found.foundCount)
      writer.member("truncated", found.isTruncated)
      writer.member("cut", found.isCut)
    }
  }

  /// The most follows in a path.
  private static let pathLimit = 100

  func path(_ parameters: Parameters) throws(HTTPFailure) -> HTTPReply {
    let (graph, ends) = (try graph(parameters), (parameters.integer(.from) ?? 0, parameters.integer(.to) ?? 0))
    let (path, users) = try HTTPFailure.from { () throws(KithError) in
      try graph.read { (view) throws(KithError) in
        let path = try view.shortestPath(
          from: UserID(rawValue: ends.0), to: UserID(rawValue: ends.1), PathQuery(maximumHops: Self.pathLimit))
        guard case .path(let ids) = path else { return (path, [User]?.none) }
        return (path, try view.users(ids).compactMap(\.self))
      }
    }
    return .object { writer in
      writer.name("users")
      if let users { writer.array(users) { $0.user($1) } } else { writer.null() }
      writer.member("complete", path != .gaveUp)
    }
  }
}

extension TimeDistribution {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    // Users have no time of their own.
    writer.object("series") { writer in
      for kind in Kind.allCases {
        writer.object(kind.plural) { writer in
          writer.member("from", starts[kind.rawValue])
          writer.member("to", ends[kind.rawValue])
          writer.member("step", steps[kind.rawValue])
          writer.array("counts", buckets[kind.rawValue]) { $0.integer($1) }
        }
      }
    }
    writer.object("hours") { writer in
      for kind in Kind.allCases {
        writer.array(kind.plural, 0..<7) { $0.integers(hours[kind.rawValue][$1 * 24..<($1 + 1) * 24]) }
      }
    }
  }
}

extension TimeDistribution.Kind {
  fileprivate var plural: String {
    switch self {
    case .follow: "follows"
    case .post: "posts"
    case .like: "likes"
    }
  }
}
