#if Replication
  import Foundation
  import Kith
  import KithReplication
  import Synchronization

  /// `kith demo --replicas N`: replicas on a cluster of PostgreSQL that both lose members, and what is left of what was
  /// acknowledged.
  final class ReplicaDemo: Sendable {
    private static let phaseSeconds = 2.0
    private static let probeCount = 300
    private static let waitSeconds = 60.0

    private struct Tally {
      var acknowledged: [String] = []
      var position: Int64 = 0
      var unknownCount = 0
      var refusedCount = 0
    }

    private let replicas: [DemoReplica]
    private let tally = Mutex(Tally())
    private let stop = StopFlag()

    private init(_ replicas: [DemoReplica]) { self.replicas = replicas }

    static func run(replicaCount: Int) throws(CommandFailure) {
      guard let programs = PostgresPrograms.find() else {
        throw .usage("PostgreSQL 15 or newer is not installed; ./Scripts/demo --replicas \(replicaCount) installs it")
      }
      ByteStream.ignoreBrokenPipes()
      let began = ContinuousClock.now
      let directory = try TemporaryDirectory.make("replicas")
      defer { TemporaryDirectory.remove(directory) }
      let servers = try Self.folder("servers", in: directory)
      _ = try Self.folder("snapshots", in: directory)
      // The servers' user must reach their folder.
      try? FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: directory)
      try Console.write("A primary and two standbys of PostgreSQL; a change is acknowledged by two of the three\n")
      let cluster = try TrialCluster(in: servers, count: 3, programs)
      defer { cluster.remove() }
      let url = cluster.url
      try ReplicaAccess.withLog(url) { (log) async throws(KithError) in try await log.create() }
      try Console.write("  running, with an empty log, after \((ContinuousClock.now - began).text)\n")
      let replicas = (1...replicaCount).map { DemoReplica($0, url: url, in: directory) }
      defer { for replica in replicas { replica.kill() } }
      for replica in replicas { try replica.start() }
      try ReplicaDemo(replicas).show(cluster)
      let time = (ContinuousClock.now - began).text
      try Console.write("\nDone in \(time); everything is removed. See docs/REPLICATION.md\n")
    }

    private static func folder(_ name: String, in directory: String) throws(CommandFailure) -> String {
      let path = "\(directory)/\(name)"
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      } catch {
        throw .no("\(path): \(error.localizedDescription)")
      }
      return path
    }

    // MARK: The acts

    private func show(_ cluster: TrialCluster) throws(CommandFailure) {
      try Console.write("\n\(replicas.count) replicas, each a process with the whole graph\n")
      for (index, replica) in replicas.enumerated() {
        guard replica.ask({ $0.add("addUser", ("username", Self.author(index))) })?.isOK == true else {
          throw .no("\(replica.name): \(replica.lastWords)")
        }
      }
      try probe()
      try Console.write("\nA client of each replica adds posts, one after the other\n")
      let clients = DispatchGroup()
      for index in replicas.indices {
        clients.enter()
        Thread.detachNewThread {
          self.write(by: index)
          clients.leave()
        }
      }
      try act("all is well") {}
      try act("the primary is killed, a standby promoted") { () throws(CommandFailure) in
        let old = cluster.primary
        cluster.kill(old)
        try cluster.promote()
        try cluster.clone(old)
      }
      let last = replicas[replicas.count - 1]
      try act("\(last.name) is killed, and begins again from a snapshot") { () throws(CommandFailure) in
        _ = replicas[0].ask { $0.add("snapshot") }
        last.kill()
        try last.start()
      }
      let restart = try answered(last, "replica").integer("snapshot")
      guard let restart else { throw .no("\(last.name) did not begin from a snapshot") }
      try Console.write("  \(last.name) began after record \(grouped(Int(restart)))\n")
      stop.set()
      clients.wait()
      try compare()
    }

    /// One phase of the load, with what happens at its beginning.
    private func act(_ title: String, _ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
      let before = tally.withLock { $0.acknowledged.count }
      let began = ContinuousClock.now
      try body()
      Thread.sleep(forTimeInterval: Self.phaseSeconds)
      let count = tally.withLock { $0.acknowledged.count } - before
      try Console.write("  \(title): \(grouped(count)) posts acknowledged in \((ContinuousClock.now - began).text)\n")
    }

    private static func author(_ index: Int) -> String { "author\(index + 1)" }

    private func write(by index: Int) {
      var number = 0
      while !stop.isSet {
        number += 1
        let text = "post \(number) of \(Self.author(index))"
        let answer = replicas[index].ask { writer in
          writer.member("op", "addPost")
          writer.name("user")
          writer.object { $0.member("username", Self.author(index)) }
          writer.member("text", text)
        }
        tally.withLock { tally in
          guard let answer else { return tally.unknownCount += 1 }
          if answer.isOK {
            tally.acknowledged.append(text)
            tally.position = max(tally.position, answer.integer("position") ?? 0)
          } else {
            tally.refusedCount += 1
          }
        }
        // The process is gone; the demo starts it again.
        if answer == nil { Thread.sleep(forTimeInterval: 0.05) }
      }
    }

    /// How long a change takes to its acknowledgement, and from there to another replica.
    private func probe() throws(CommandFailure) {
      var (writes, lags): ([Duration], [Duration]) = ([], [])
      for number in 0..<Self.probeCount {
        let (one, other) = (replicas[number % replicas.count], replicas[(number + 1) % replicas.count])
        let began = ContinuousClock.now
        guard let position = one.ask({ $0.add("addUser", ("username", "probe\(number)")) })?.integer("position") else {
          throw .no("\(one.name): \(one.lastWords)")
        }
        let written = ContinuousClock.now
        let seen = other.ask { writer in
          writer.add("user")
          writer.name("user")
          writer.object { $0.member("username", "probe\(number)") }
          writer.member("atLeast", position)
        }
        guard seen?.isOK == true else { throw .no("\(other.name) does not see a change of \(one.name)") }
        writes.append(written - began)
        lags.append(ContinuousClock.now - written)
      }
      func quantiles(_ values: [Duration]) -> String {
        let sorted = values.sorted()
        return "p50 \(sorted[sorted.count / 2].text), p99 \(sorted[sorted.count * 99 / 100].text)"
      }
      try Console.write("  a change until two servers have it: \(quantiles(writes))\n")
      try Console.write("  from there until another replica has it: \(quantiles(lags))\n")
    }

    // MARK: The end

    private func compare() throws(CommandFailure) {
      try Console.write("\nAfter it all\n")
      var digests: Set<String> = []
      for replica in replicas {
        let answer = try answered(replica, "digest")
        guard let digest = answer.text("digest") else { throw .no("\(replica.name): no digest") }
        digests.insert(digest)
      }
      var counts: [String: Int] = [:]
      for index in replicas.indices { try count(Self.author(index), &counts) }
      let tally = tally.withLock { $0 }
      let lost = tally.acknowledged.filter { counts[$0] == nil }.count
      let duplicated = counts.values.filter { $0 > 1 }.count
      try Console.write(
        """
          posts acknowledged: \(grouped(tally.acknowledged.count)), lost: \(lost), duplicated: \(duplicated)
          refused while there was no primary: \(tally.refusedCount); of unknown fate, as their replica ended: \
        \(tally.unknownCount)
          digests of the \(replicas.count) graphs: \(digests.count == 1 ? "equal, \(digests.first ?? "")" : "DIFFERENT")

        """)
      if lost > 0 || duplicated > 0 || digests.count != 1 { throw .no("the replicas have not kept their promise") }
    }

    /// The answer of a replica that may still be connecting anew.
    private func answered(_ replica: DemoReplica, _ operation: String) throws(CommandFailure) -> [JSONMember] {
      let deadline = ContinuousClock.now.advanced(by: .seconds(Self.waitSeconds))
      while ContinuousClock.now < deadline {
        guard let answer = replica.ask({ $0.add(operation) }) else {
          throw .no("\(replica.name): \(replica.lastWords)")
        }
        if answer.isOK { return answer }
      }
      throw .no("\(replica.name) does not answer \(operation)")
    }

    private func count(_ author: String, _ counts: inout [String: Int]) throws(CommandFailure) {
      var cursor: String?
      repeat {
        let page = replicas[0].ask { writer in
          writer.add("timeline")
          writer.name("user")
          writer.object { $0.member("username", author) }
          writer.member("includeSelf", true)
          writer.member("limit", SocialGraph.Limits.pageCount)
          if let cursor { writer.member("cursor", cursor) }
        }
        guard let page, page.isOK else { throw .no("\(replicas[0].name) does not show the posts of \(author)") }
        for post in page.list("posts") { if let text = post.text("text") { counts[text, default: 0] += 1 } }
        cursor = page.text("next")
      } while cursor != nil
    }
  }

  extension JSONWriter {
    /// A request with texts.
    fileprivate mutating func add(_ operation: String, _ members: (name: String, text: String)...) {
      member("op", operation)
      for (name, text) in members { member(name, text) }
    }
  }
#endif
