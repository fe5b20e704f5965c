import Kith

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Fills an engine with a made-up network, checks its answers and measures how long they take.
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
    if settings.journalOnly {
      var harness = Harness(settings)
      let (measurements, rates) = try JournalWorkload(settings: settings).run(&harness)
      print(Report.table(measurements) + "\n\n" + Report.table(rates))
      return
    }
    let clock = ContinuousClock()
    let network = Network(settings)
    let began = clock.now
    let graph = try network.load()
    let load = (clock.now - began) / Duration.seconds(1)
    let plain = PlainAnswers(network)

    var harness = Harness(settings)
    let empty = harness.measure("nothing", questions: 1) { $0 }
    let timelines = try TimelineWorkload(network: network, graph: graph).run(&harness, against: plain)
    let searches = try SearchWorkload(network: network, graph: graph).run(&harness, against: plain, seed: settings.seed)
    let journal = try JournalWorkload(settings: settings).run(&harness)
    let report = Report(
      settings: settings, network: network, loadSeconds: load, clockNanoseconds: empty.engine.p50,
      measurements: timelines + searches + journal.measurements, rates: journal.rates)
    print(settings.json ? report.json : report.table)
  }
}
