import Foundation
import Kith

/// Measures one graph.
struct BenchRun {
  /// The queries that are measured on graphs of several sizes.
  static let growing = ["search of names", "first page of a timeline", "whether one follows another"]

  let source: String
  let seed: UInt64
  /// The most queries of each kind.
  let sampleCount: Int
  /// Whether smaller synthetic graphs are generated and measured too.
  let grows: Bool
  let options: SocialGraph.Options
  private var progress = Progress()

  /// Passes, throughput and changes.
  private static let laterStepCount = 3 + 4 + 10
  private static let sizeCount = 3

  init(source: String, seed: UInt64, sampleCount: Int, grows: Bool, options: SocialGraph.Options) {
    self.source = source
    self.seed = seed
    self.sampleCount = sampleCount
    self.grows = grows
    self.options = options
  }

  /// - Parameter open: makes or reads the graph in memory, which is changed.
  mutating func measure(_ open: () throws(CommandFailure) -> SocialGraph) throws(CommandFailure) -> BenchReport {
    defer { progress.finish() }
    let clock = ContinuousClock()
    let began = clock.now
    let graph = try open()
    let opened = clock.now
    progress.note("waiting for the index of posts")
    waitForIndex(graph)
    let indexed = clock.now
    if graph.read({ $0.counts.users }) == 0 { throw .no("\(source): a graph without users has nothing to measure") }
    do throws(KithError) {
      progress.note("drawing the sample")
      let sample = try drawn(from: graph)
      var report = try questions(graph, sample)
      if grows { report.sizes = try sizes(graph, sample, counts: report.counts) }
      report.passes = [
        .init(name: "reading or making the graph", duration: opened - began),
        .init(name: "the index of posts, built behind it", duration: indexed - opened),
      ]
      report.passes += try passes(graph)
      report.throughput = try BenchThroughput(graph: graph, sample: sample).measure(&progress)
      let changes = BenchChanges(graph: graph, sample: sample, count: min(sampleCount, 20_000))
      report.rows += try changes.measure(&progress).map {
        .init(group: .changes, name: $0.name, latencies: $0.latencies)
      }
      return report
    } catch {
      throw .no(error.sentence)
    }
  }

  /// The index of posts is built in the background after opening.
  private func waitForIndex(_ graph: SocialGraph) {
    while !graph.read({ $0.isPostSearchIndexed }) { Thread.sleep(forTimeInterval: 0.002) }
  }

  private func drawn(from graph: SocialGraph) throws(KithError) -> BenchSample {
    try graph.read { [seed, sampleCount] (view) throws(KithError) in
      try BenchSample(view, seed: seed, questionCount: sampleCount)
    }
  }

  private mutating func questions(
    _ graph: SocialGraph, _ sample: BenchSample
  ) throws(KithError) -> BenchReport {
    let clock = Latencies(count: 10_000) { $0 }.quantile(0.5)
    var report = BenchReport(
      source: source, counts: graph.read { $0.counts }, machine: Machine(), clockNanoseconds: clock,
      memory: graph.read { $0.memoryReport() })
    let all = try graph.read { (view) throws(KithError) in try BenchQuery.all(sample, view) }
    let fanIns = sample.posts.isEmpty ? [] : sample.fanIns
    progress.begin(stepCount: all.count + fanIns.count + Self.laterStepCount + (grows ? Self.sizeCount : 0))
    for question in all {
      progress.next("measuring \(question.group.rawValue.lowercased()): \(question.name)")
      let latencies = try ask(question, graph)
      report.rows.append(.init(group: question.group, name: question.name, latencies: latencies))
    }
    for fanIn in fanIns {
      progress.next("measuring timelines: \(grouped(fanIn.followeeCount)) followed")
      let question = BenchQuery(group: .timelines, name: "") { (view, place) throws(KithError) in
        try view.timeline(of: fanIn.users.cycled(place)).count
      }
      report.fanIns.append(
        .init(
          followeeCount: fanIn.followeeCount, userCount: fanIn.users.count, latencies: try ask(question, graph)))
    }
    return report
  }

  /// The first tenth is run once before without being measured, to warm up caches and branch predictors.
  private func ask(_ question: BenchQuery, _ graph: SocialGraph) throws(KithError) -> Latencies {
    func once(_ place: Int) throws(KithError) -> Int {
      try graph.read { (view) throws(KithError) in try question.ask(view, place) }
    }
    _ = try Latencies(count: sampleCount / 10, limit: .milliseconds(100), once)
    return try Latencies(count: sampleCount, limit: .seconds(1), once)
  }

  // MARK: - The whole graph

  private mutating func passes(_ graph: SocialGraph) throws(KithError) -> [BenchReport.Pass] {
    let clock = ContinuousClock()
    let began = clock.now
    let pin = graph.pin()
    var passes = [BenchReport.Pass(name: "a pin", duration: clock.now - began)]
    func time(_ name: String, _ pass: () throws(KithError) -> Void) throws(KithError) {
      progress.next("measuring \(name)")
      let began = clock.now
      try pass()
      passes.append(.init(name: name, duration: clock.now - began))
    }
    try time("10 rounds of PageRank") { () throws(KithError) in
      _ = try pin.pageRank(PageRank.Options(tolerance: 0, maximumRounds: 10))
    }
    try time("connected components") { () throws(KithError) in _ = try pin.connectedComponents() }
    try time("degree distribution") { () throws(KithError) in _ = try pin.degreeDistribution() }
    return passes
  }

  // MARK: - Sizes

  /// Synthetic graphs of a sixteenth and a quarter of the size, with as many follows, posts and likes for each user;
  /// then the graph itself.
  private mutating func sizes(
    _ graph: SocialGraph, _ sample: BenchSample, counts: SocialGraph.Counts
  ) throws(KithError) -> [BenchReport.Size] {
    var sizes: [BenchReport.Size] = []
    for divisor in [16, 4] {
      let network = SeededNetwork(
        userCount: counts.users / divisor, followCount: counts.follows / divisor, postCount: counts.posts / divisor,
        likeCount: counts.likes / divisor, seed: seed)
      guard network.userCount >= 100, network.impossibility == nil else { continue }
      let smaller = SocialGraph(options: options)
      progress.note("making a network of \(counted(network.userCount, "user"))")
      try smaller.bulk { (batch) throws(KithError) in try network.apply(to: &batch, &progress) }
      waitForIndex(smaller)
      sizes.append(try size(smaller, try drawn(from: smaller)))
    }
    return sizes + [try size(graph, sample)]
  }

  private mutating func size(_ graph: SocialGraph, _ sample: BenchSample) throws(KithError) -> BenchReport.Size {
    let userCount = graph.read { $0.counts.users }
    progress.next("measuring a network of \(counted(userCount, "user"))")
    let questions = [BenchQuery.search(sample), .timeline(sample), .isFollowing(sample)]
    var latencies: [Latencies] = []
    for question in questions { latencies.append(try ask(question, graph)) }
    return BenchReport.Size(userCount: userCount, latencies: latencies)
  }
}
