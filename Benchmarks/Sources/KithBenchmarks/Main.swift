import Kith

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Fills an engine with a synthetic graph, checks its answers and measures its latency.
@main
enum Main {
  static func main() {
    do {
      if CommandLine.arguments.contains("--help") { return print(Settings.usage) }
      try run(try Settings(CommandLine.arguments.dropFirst()))
    } catch let misuse as Settings.Misuse {
      print("\(misuse.message)\n\(Settings.usage)")
      exit(2)
    } catch let wrong as WrongAnswer {
      print("wrong answer: \(wrong.message)")
      exit(1)
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }

  private static func run(_ settings: Settings) throws {
    if settings.only == ["journal"] {
      var harness = Harness(settings)
      let (measurements, rates) = try JournalWorkload(settings: settings).run(&harness)
      print(Report.table(measurements) + "\n\n" + Report.table(rates))
      return
    }
    if settings.only == ["live"] {
      var harness = Harness(settings)
      let (measurements, rates) = try LiveWorkload(settings: settings).run(&harness)
      print(Report.table(measurements) + "\n\n" + Report.table(rates))
      return
    }
    if settings.only == ["names"] {
      var harness = Harness(settings)
      print(Report.table(try NameWorkload(settings: settings).run(&harness)))
      return
    }
    let clock = ContinuousClock()
    let network = Network(settings)
    let began = clock.now
    let graph = try network.load()
    let load = (clock.now - began) / Duration.seconds(1)
    if settings.only == ["counted"] {
      rest()
      return try CountedWorkload(network: network, graph: graph, seed: settings.seed).run()
    }
    var harness = Harness(settings)
    let empty = harness.measure("nothing", questions: 1) { $0 }
    let (measurements, rates) = try measure(settings, network, graph, &harness)
    let report = Report(
      settings: settings, network: network, loadSeconds: load, clockNanoseconds: empty.engine.p50,
      measurements: measurements, rates: rates)
    print(settings.json ? report.json : report.table)
  }

  /// Waits until the process is idle: idle compaction of the names begins after a second without additions, as in the
  /// regression gate.
  private static func rest() {
    var before: clock_t
    repeat {
      before = clock()
      sleep(2)
    } while clock() - before > 20_000
  }

  private static func measure(
    _ settings: Settings, _ network: Network, _ graph: SocialGraph, _ harness: inout Harness
  ) throws -> (measurements: [Measurement], rates: [Rate]) {
    func wants(_ workload: String) -> Bool { settings.only.isEmpty || settings.only.contains(workload) }
    var measurements: [Measurement] = []
    if wants("timeline") || wants("search") || wants("patterns") {
      let plain = PlainAnswers(network)
      if wants("timeline") {
        measurements += try TimelineWorkload(network: network, graph: graph).run(&harness, against: plain)
      }
      if wants("search") {
        measurements += try SearchWorkload(network: network, graph: graph)
          .run(&harness, against: plain, seed: settings.seed)
      }
      if wants("patterns") {
        measurements += try PatternWorkload(network: network, graph: graph)
          .run(&harness, against: plain, seed: settings.seed)
      }
    }
    var rates: [Rate] = []
    if wants("posts") {
      let posts = try PostWorkload(network: network, graph: graph, seed: settings.seed).run(&harness)
      measurements += posts.measurements
      rates += posts.rates
    }
    if wants("filters") { measurements += try FilterWorkload(network, graph, seed: settings.seed).run(&harness) }
    if wants("questions") {
      measurements += try HopWorkload(network: network, graph: graph, seed: settings.seed).run(&harness)
    }
    if wants("passes") { measurements += try PassWorkload(network: network, graph: graph).run(&harness) }
    if wants("live") {
      let live = try LiveWorkload(settings: settings).run(&harness)
      measurements += live.measurements
      rates += live.rates
    }
    if wants("pages") { measurements += try PageWorkload(network: network, graph: graph).run(&harness) }
    if wants("lookups") || wants("changes") {
      let baseline = EdgeBaseline(network)
      if wants("lookups") {
        measurements += try LookupWorkload(network: network, graph: graph, baseline: baseline, seed: settings.seed)
          .run(&harness)
      }
      if wants("changes") {
        measurements += try ChangeWorkload(network: network, graph: graph, baseline: baseline, seed: settings.seed)
          .run(&harness)
      }
    }
    if wants("pins") {
      measurements += try PinWorkload(network: network, graph: graph, seed: settings.seed).run(&harness)
    }
    if wants("concurrency") {
      let concurrency = try ConcurrencyWorkload(network: network, graph: graph, seed: settings.seed).run(&harness)
      measurements += concurrency.measurements
      rates += concurrency.rates
    }
    if wants("memory") {
      measurements += try MemoryWorkload(network: network, graph: graph, seed: settings.seed).run(&harness)
    }
    // After those before, because it adds blocks and mutes.
    if wants("blocks") {
      measurements += try BlockWorkload(network: network, graph: graph, seed: settings.seed).run(&harness)
    }
    // The last of those that share the graph, because it adds many posts of the same seconds.
    if wants("stalls") {
      measurements += try StallWorkload(network: network, graph: graph, seed: settings.seed).run(&harness)
    }
    if !wants("journal") { return (measurements, rates) }
    let journal = try JournalWorkload(settings: settings).run(&harness)
    return (measurements + journal.measurements, rates + journal.rates)
  }
}
