extension KithError {
  /// What is invalid about a request, with the value that is.
  @nonexhaustive
  public enum RequestProblem: Sendable, Hashable {
    /// An id of a new user or post is below 1.
    case id(Int64)
    /// The time of a follow or a like is not 0 to `SocialGraph.Limits.edgeMilliseconds`.
    case edgeTime(Timestamp)
    /// The time of a post is before 1970.
    case postTime(Timestamp)
    /// A user tried to block themselves.
    case cannotBlockSelf
    /// A user tried to mute themselves.
    case cannotMuteSelf
    /// An edge would lead from a node to itself.
    case edgeToItself(relation: String)
    /// An edge would join nodes that its relation does not: `needed` says which it joins.
    case edgeEnds(relation: String, needed: String)
    /// The time of an edge is given, and its relation keeps none.
    case edgeTimeUnused(relation: String)
    /// The time of an edge is missing, which only a file can lack: else the engine fills it in.
    case edgeTimeMissing(relation: String)
    /// A display name breaks a rule of usernames.
    case displayName(UsernameProblem)
    /// A payload has more bytes than `SocialGraph.Limits.payloadByteCount`.
    case payloadByteCount(Int)
    /// A time of an edit is given with neither a text nor a payload.
    case editTimeUnused
    /// The time of an edit is missing, which only a file can lack: else the engine fills it in.
    case editTimeMissing
    /// A post is given more edges than `SocialGraph.Limits.postEdgeCount`.
    case postEdgeCount(Int)
    /// A reply is given with its post, and stays: an edge of this relation is not added or removed later.
    case threadEdge(relation: String)
    /// A post replies to several posts.
    case severalParents
    /// More relations are asked for, as counts, marks or incoming edges, than a graph has.
    case detailCount(Int)
    /// A count or a mark of a relation is asked for that has no end of the types of a result.
    case noDetails(relation: String)
    /// A mark is asked for of a relation that leads from posts.
    case noMark(relation: String)
    /// Marks are asked for without a viewer.
    case marksNeedViewer
    /// The facts of a relation are not allowed.
    case relation(String, reason: String)
    /// No kind of users has this name.
    case unknownKind(String)
    /// A kind has a name that relations cannot have.
    case kindName(String)
    /// The kind of a user is never changed.
    case kindStays
    /// A schema is declared when a graph is opened, not by a change.
    case declaredAtOpen
    /// A batch has more changes than `limit`.
    case tooManyChanges(limit: Int)
    /// The texts and payloads of a batch take more than `SocialGraph.Limits.batchByteCount`.
    case batchTooLong(byteLimit: Int)
    /// The limit of a page is not 1 to `SocialGraph.Limits.pageCount`.
    case limit(Int)
    /// More ids are asked for at once than `SocialGraph.Limits.idCount`.
    case idCount(Int)
    /// The sources of a timeline come from a relation that does not lead to users: `needed` says which do.
    case timelineSources(relation: String, needed: String)
    /// A timeline over two hops takes no sources and no filters.
    case twoHopFilters
    /// A limit of follows to read is negative.
    case followLimit(Int)
    /// One of the bounds of a path is negative.
    case path(maximumHops: Int, followLimit: Int)
    /// More mutuals are named than `SocialGraph.Limits.namedCount`, or a bound is negative.
    case suggestions(namedCount: Int, followLimit: Int)
    /// A parameter of PageRank is out of its range.
    case pageRank(damping: Double, tolerance: Double, maximumRounds: Int)
    /// The named order of users is by a viewer's follows, and there is no viewer.
    case orderNeedsViewer(String)
    /// Posts of a viewer's followees are searched for, and there is no viewer.
    case followedOnlyNeedsViewer
    /// Posts of those whom a viewer mutes are left out, and there is no viewer.
    case leavesOutMutedNeedsViewer
    /// A fuzzy search is by similarity, not by the named order.
    case fuzzyOrder(String)
    /// These edges have no list of that kind.
    case noSuchList(of: String)
    /// The journal lacks a change: a snapshot holds it.
    case notInJournal(sequence: UInt64)
    /// Changes wait for a snapshot, because a bulk load is in no journal.
    case unsavedBulkLoad
    /// The graph has given its files up for a while: `SocialGraph.suspend`.
    case suspended
    /// Another process has opened the store for writing while the graph was suspended, so it cannot be resumed.
    case changedWhileSuspended(path: String)
    /// A store is opened by a URL that is no file URL.
    case notAFileURL
    /// A text from C is not valid UTF-8.
    case invalidUTF8
    /// No snapshot and journals lead to any state.
    case unreachable(path: String)
    /// No snapshot and journals lead to a change.
    case unreachableSequence(UInt64, path: String)
    /// No snapshot and journals lead to a time.
    case unreachableTime(Timestamp, path: String)
    /// A time is later than now, by the clock of this machine.
    case futureTime(Timestamp, now: Timestamp)
    /// A snapshot holds one state, so none can be chosen.
    case singleInstant(path: String)
    /// A path ends without the name of a file.
    case fileNameMissing(path: String)
    /// A file would be replaced.
    case fileExists(path: String)
    /// A file would be created in a directory that does not exist.
    case noDirectory(String, path: String)
    /// A file would be created inside a store.
    case insideStore(String, path: String)
    /// The URL of a log is none, in the client library's own words.
    case logURL(reason: String)
    /// A graph cannot become the beginning of a log that is in use.
    case logInUse(position: UInt64, snapshotCount: Int)
    /// A request has a token, for which the log needs these rules: `ReplicatedGraph.upgrade`.
    case tokensNeedRules(Int)
    /// No request with this ticket is in doubt on this replica.
    case notInDoubt(ticket: UInt64)
  }

  /// What is not compiled in.
  @nonexhaustive
  public enum Feature: Sendable, Hashable {
    /// Searches with `UserQuery.Match.regex`, without the package trait `Regex`.
    case regularExpressions
    /// Relations that a host declares, in a graph that follows a log.
    case schemaOfReplicas
  }
}

extension KithError.RequestProblem: CustomStringConvertible {
  /// One sentence: which value is invalid, and its range.
  public var description: String {
    switch self {
    case .id: "an id is 1 or more"
    case .edgeTime: "the time of a follow or a like is 0 to \(SocialGraph.Limits.edgeMilliseconds) ms since 1970"
    case .postTime: "the time of a post is 0 ms since 1970 or more"
    case .cannotBlockSelf: "users cannot block themselves"
    case .cannotMuteSelf: "users cannot mute themselves"
    case .edgeToItself(let relation): "an edge of \(relation) cannot lead from a node to itself"
    case .edgeEnds(let relation, let needed): "an edge of \(relation) leads from \(needed)"
    case .edgeTimeUnused(let relation): "an edge of \(relation) has no time of its own; leave it out"
    case .edgeTimeMissing(let relation): "an edge of \(relation) has a time of its own, which is missing"
    case .displayName(let problem): problem.description(of: "a display name")
    case .payloadByteCount(let count): "a payload of \(count) bytes; \(SocialGraph.Limits.payloadByteCount) are allowed"
    case .editTimeUnused: "the time of an edit belongs to a text or a payload; give one of them, or leave it out"
    case .editTimeMissing: "the edit of a text or a payload has a time, which is missing"
    case .postEdgeCount(let count):
      "a post is given at most \(SocialGraph.Limits.postEdgeCount) edges, not \(count); add the others after it"
    case .threadEdge(let relation): "an edge of \(relation) is given with its post, and is never changed"
    case .severalParents: "a post replies to one post at most"
    case .detailCount(let count): "at most \(SocialGraph.Limits.relationCount) relations at once, not \(count)"
    case .noDetails(let relation): "no edge of \(relation) leads to or from what is listed"
    case .noMark(let relation): "an edge of \(relation) leads from a post, so no viewer has one"
    case .marksNeedViewer: "marks are the viewer's: give a viewer"
    case .relation(let name, let reason): "relation \(name.debugDescription): \(reason)"
    case .unknownKind(let name): "no kind is called \(name.debugDescription); a schema declares kinds"
    case .kindName(let name): "\(name.debugDescription) cannot name a kind: it takes letters, digits and underscores"
    case .kindStays: "the kind of a user is given with the user, and never changed"
    case .declaredAtOpen: "a schema is declared when a graph is opened"
    case .tooManyChanges(let limit): "a batch has at most \(limit) changes"
    case .batchTooLong(let limit): "the changes of a batch take at most \(limit) bytes: divide it"
    case .limit(let limit): "a limit is 1 to \(SocialGraph.Limits.pageCount), not \(limit)"
    case .idCount(let count): "at most \(SocialGraph.Limits.idCount) ids are asked for at once, not \(count)"
    case .timelineSources(let relation, let needed):
      "an edge of \(relation) does not lead from \(needed), as those to the sources of a timeline do"
    case .twoHopFilters: "a timeline over two hops has no other sources and no filters"
    case .followLimit: "a limit of follows is not negative"
    case .path: "hops and follows to read cannot be negative"
    case .suggestions: "0 to \(SocialGraph.Limits.namedCount) mutuals can be named; a limit of follows is not negative"
    case .pageRank: "damping is 0 to 1, tolerance is not negative, rounds are 0 to \(SocialGraph.Limits.roundCount)"
    case .orderNeedsViewer(let order): "order \(order) needs a viewer"
    case .followedOnlyNeedsViewer, .leavesOutMutedNeedsViewer:
      "posts of those one follows, or without those one mutes, need a viewer"
    case .fuzzyOrder(let order): "match fuzzy has an order of its own, not \(order)"
    case .noSuchList(let edges): "there is no such list of \(edges)"
    case .notInJournal(let sequence): "the journal holds no change \(sequence); read the graph as it is instead"
    case .unsavedBulkLoad: "a bulk load is not yet saved; write a snapshot first"
    case .suspended: "the graph is suspended; resume it first"
    case .changedWhileSuspended(let path):
      "\(path) was opened for writing by others while the graph was suspended; close the graph and open it again"
    case .notAFileURL: "a store is opened by a file URL"
    case .invalidUTF8: "not valid UTF-8"
    case .unreachable(let path): Self.unreachable("the newest state", path)
    case .unreachableSequence(let sequence, let path): Self.unreachable("change \(sequence)", path)
    case .unreachableTime(_, let path): Self.unreachable("that time", path)
    case .futureTime(let time, let now):
      "\(time.exactText) is later than now, \(now.exactText); without a time, the newest state is restored"
    case .singleInstant(let path):
      "\(path.shownPath) is a snapshot, which holds one instant; give the store's directory"
    case .fileNameMissing(let path): "\(path.shownPath): the name of a file is needed"
    case .fileExists(let path):
      "\(path.shownPath): something is there already, and nothing is replaced; choose another name"
    case .noDirectory(let directory, let path): "\(path.shownPath): there is no directory \(directory.shownPath)"
    case .insideStore(let store, let path):
      "\(path.shownPath): \(store.shownPath) is a store, which nothing else may stand in; choose a place beside it"
    case .logURL(let reason): reason
    case .logInUse(let position, let count): "the log is in use: it has \(position) records, \(count) snapshots"
    case .tokensNeedRules(let rules): "tokens need rules \(rules) of the log; update all hosts, then upgrade the log"
    case .notInDoubt(let ticket): "no request \(ticket) is in doubt here"
    }
  }

  private static func unreachable(_ state: String, _ path: String) -> String {
    "\(path.shownPath): no snapshot and its journals lead to \(state); open one of its snapshots, or a backup"
  }
}

extension KithError.Feature: CustomStringConvertible {
  /// Its name, and how it is compiled in.
  public var description: String {
    switch self {
    case .regularExpressions: "match regex without the package trait Regex"
    case .schemaOfReplicas: "a schema of a replicated graph"
    }
  }
}
