import Kith

/// The result of an operation, as a host would hold it; it is written as JSON after the clock has stopped.
enum Reply: Sendable {
  case read(Answer)
  case change(ChangeAnswer)
  case batch([ChangeAnswer], sequence: UInt64)
  case replica(ReplicaAnswer)
  case snapshot(SnapshotInfo)
  /// A watch has the sequence number itself, and no failure.
  case stats(SocialGraph.Counts, MemoryReport, sequence: UInt64?, failure: SocialGraph.Statistics.Failure?)
  case statistics(SocialGraph.Statistics, asText: Bool)
  case health(Health)
  case problems([SocialGraph.Violation])
  case watching(Int)
  case unwatched(Bool)
  /// What `help` answers, with what a session may watch, if it is answered in one.
  case help([Shape], WatchLimits?)
}

/// The result of a single change.
struct ChangeAnswer: Sendable {
  enum Outcome: Sendable {
    case changed(Bool)
    case user(User)
    case post(Post)
    /// What a repetition of a request has added at first, and is gone since.
    case removedUser(UserID)
    case removedPost(PostID)
  }

  let outcome: Outcome
  let sequence: UInt64
  /// The position of its record, if a replica made it.
  var position: UInt64?
}

extension JSONWriter {
  /// The members of a success, after `"ok":true`.
  mutating func members(of reply: Reply, to request: Request, in line: [UInt8]) {
    switch reply {
    case .read(let answer): members(of: answer)
    case .change(let change): members(of: change)
    case .batch(let changes, let sequence):
      objects("results", zip(changes, request.changes)) { writer, result in
        writer.member("ok", true)
        writer.members(of: result.0)
        writer.tag(result.1.tag, in: line)
      }
      member("sequence", sequence)
      if let position = changes.first?.position { member("position", position) }
    case .replica(let answer): answer.write(to: &self)
    case .snapshot(let snapshot):
      member("path", snapshot.path.shownPath)
      member("sequence", snapshot.sequence)
    case .stats(let counts, let memory, let sequence, let failure):
      stats(counts, memory, sequence)
      if sequence != nil { member(failure) }
    case .statistics(let statistics, let asText): metrics(statistics, asText: asText)
    case .health(let health): health.write(to: &self)
    case .problems(let problems): objects("problems", problems) { $0.problem($1) }
    case .watching(let number): member("watch", number)
    case .unwatched(let changed): member("changed", changed)
    case .help(let shapes, let limits): array("ops", shapes) { $1.write(to: &$0, limits) }
    }
  }

  /// The members of the answer to a read.
  private mutating func members(of answer: Answer) {
    switch answer {
    case .users(let page):
      array("users", page.indices) {
        $0.user(page[$1], ranges: page.highlights?[$1], displayNameRanges: page.displayNameHighlights?[$1])
      }
      member("next", stringOrNull: page.next?.text)
      if let total = page.total { member("count", total) }
    case .posts(let page):
      array("posts", page.indices) { $0.post(page[$1], ranges: page.highlights?[$1]) }
      member("next", stringOrNull: page.next?.text)
      if let total = page.total { member("count", total) }
    case .timeline(let page): timeline(page)
    case .twoHopTimeline(let page):
      timeline(page)
      member("truncated", page.isTruncated)
    case .user(let user): object("user") { user.write(to: &$0) }
    case .post(let post): object("post") { post.write(to: &$0) }
    case .usersByID(let users): list(users)
    case .postsByID(let posts): list(posts)
    case .lookup(let found):
      list(found.users)
      list(found.posts)
    case .value(let value): member("value", value)
    case .relations(let relations): objects("relations", relations) { $0.relations($1) }
    case .edges(let edges):
      objects("edges", edges) { writer, edges in
        writer.member(.to, edges.to)
        writer.member(.from, edges.from)
      }
    case .ancestors(let page):
      array("posts", page.items) { $0.post($1) }
      member("truncated", page.isTruncated)
    case .incoming(let page):
      objects("incoming", page.items) { $1.write(to: &$0) }
      member("next", stringOrNull: page.next?.text)
    case .incomingCount(let found):
      member("count", found.count)
      member("truncated", found.isTruncated)
    case .suggestions(let page):
      array("users", page.items) { $0.user($1.user, mutualCount: $1.mutualCount) }
      member("truncated", page.isTruncated)
    case .shortestPath(let path):
      member("value", orNull: path.hops)
      member("complete", path != .gaveUp)
    }
  }

  private mutating func timeline(_ page: Page<Post>) {
    array("posts", page.items) { $0.post($1) }
    member("next", stringOrNull: page.next?.text)
    member("previous", stringOrNull: page.previous?.text)
  }

  private mutating func list(_ users: [User?]) {
    array("users", users) { if let user = $1 { $0.user(user) } else { $0.null() } }
  }

  private mutating func list(_ posts: [Post?]) {
    array("posts", posts) { if let post = $1 { $0.post(post) } else { $0.null() } }
  }

  /// `"ok":false` and the error, with its index in a batch.
  mutating func members(of error: RequestError) {
    member("ok", false)
    object("error") { writer in
      writer.member("code", error.code)
      writer.member("message", error.sentence)
      if let index = error.index { writer.member("index", index) }
      if case .graph(.inDoubt(let ticket, _)) = error { writer.member("token", ticket) }
    }
  }

  /// Echoes the tag of a request, byte for byte.
  mutating func tag(_ source: Range<Int>?, in line: [UInt8]) {
    guard let source else { return }
    name("tag")
    self.source(line[source])
  }

  private mutating func members(of change: ChangeAnswer) {
    switch change.outcome {
    case .changed(let changed): member("changed", changed)
    case .user(let user): object("user") { user.write(to: &$0) }
    case .post(let post): object("post") { post.write(to: &$0) }
    case .removedUser(let user): object("user") { $0.member("id", user.rawValue) }
    case .removedPost(let post): object("post") { $0.member("id", post.rawValue) }
    }
    member("sequence", change.sequence)
    if let position = change.position { member("position", position) }
  }

  // MARK: Objects

  mutating func user(
    _ user: User, mutualCount: Int? = nil, score: Double? = nil, ranges: [Range<Int>]? = nil,
    displayNameRanges: [Range<Int>]? = nil
  ) {
    object { writer in
      user.write(to: &writer, ranges: ranges, displayNameRanges: displayNameRanges)
      if let mutualCount { writer.member("mutualCount", mutualCount) }
      if let score { writer.member("score", score) }
    }
  }

  mutating func post(_ post: Post, ranges: [Range<Int>]? = nil) { object { post.write(to: &$0, ranges: ranges) } }

  private mutating func relations(_ relations: User.Relations) {
    member("following", relations.isFollowing)
    member("followedBy", relations.isFollowedBy)
    member("blocking", relations.isBlocking)
    member("blockedBy", relations.isBlockedBy)
    member("muting", relations.isMuting)
  }

  private mutating func stats(_ counts: SocialGraph.Counts, _ memory: MemoryReport, _ sequence: UInt64?) {
    counts.write(to: &self)
    if let sequence { member("sequence", sequence) }
    object("bytes") { writer in
      for entry in memory.entries { writer.member(entry.name, entry.byteCount) }
      writer.member("total", memory.byteCount)
    }
  }

  private mutating func problem(_ problem: SocialGraph.Violation) {
    member("code", problem.code)
    member("where", problem.place)
    member("message", problem.message)
  }
}

extension JSONWriter: WireWriter {
  mutating func member(_ key: WireKey, _ value: Int64) { member(key.rawValue, value) }
  mutating func member(_ key: WireKey, _ value: String) { member(key.rawValue, value) }
  mutating func member(_ key: WireKey, _ value: Bool) { member(key.rawValue, value) }

  mutating func member(_ key: WireKey, _ ranges: [Range<Int>]) {
    array(key.rawValue, ranges) { $0.integers([$1.lowerBound, $1.upperBound]) }
  }

  mutating func member(_ key: WireKey, _ texts: [String]) { array(key.rawValue, texts) { $0.string($1) } }

  mutating func member(_ key: WireKey, _ numbers: [(String, Int64)]) {
    object(key.rawValue) { writer in for (name, number) in numbers { writer.member(name, number) } }
  }

  mutating func member<Object: WireObject>(_ key: WireKey, _ object: Object) {
    self.object(key.rawValue) { object.write(to: &$0) }
  }

  mutating func member<Object: WireObject>(_ key: WireKey, _ objects: [Object]) {
    self.objects(key.rawValue, objects) { $1.write(to: &$0) }
  }
}
