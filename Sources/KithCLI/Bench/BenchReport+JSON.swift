import Kith

/// The report as JSON: times in nanoseconds, rates in whole queries a second.
extension BenchReport {
  func write(to writer: inout JSONWriter) {
    writer.member("version", Version.text)
    writer.member("source", source)
    writer.member("unit", "ns")
    writer.member("clock", clockNanoseconds)
    writer.object("machine") { machine.write(to: &$0) }
    writer.object("counts") { counts.write(to: &$0) }
    writer.objects("latencies", rows) { writer, row in
      writer.member("group", row.group.rawValue)
      writer.member("name", row.name)
      row.latencies.write(to: &writer)
    }
    writer.objects("timelinesByFollowees", fanIns) { writer, fanIn in
      writer.member("followees", fanIn.followeeCount)
      writer.member("users", fanIn.userCount)
      fanIn.latencies.write(to: &writer)
    }
    writer.objects("sizes", sizes) { writer, size in
      writer.member("users", size.userCount)
      writer.objects("latencies", zip(BenchRun.growing, size.latencies)) { writer, item in
        writer.member("name", item.0)
        item.1.write(to: &writer)
      }
    }
    writeRates(to: &writer)
  }

  private func writeRates(to writer: inout JSONWriter) {
    writer.objects("throughput", throughput) { writer, line in
      writer.member("name", line.name)
      writer.array("threads", BenchThroughput.threadCounts) { $0.integer($1) }
      writer.array("perSecond", line.perSecond) { $0.integer(Int($1)) }
      writer.array("changesPerSecond", line.changesPerSecond) { $0.integer(Int($1)) }
    }
    writer.objects("passes", passes) { writer, pass in
      writer.member("name", pass.name)
      writer.member("ns", Int(pass.duration.seconds * 1e9))
    }
    writer.object("memory") { writer in
      writer.member("bytes", memory.byteCount)
      writer.object("structures") { writer in
        for entry in memory.entries { writer.member(entry.name, entry.byteCount) }
      }
    }
  }
}

extension Latencies {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("count", count)
    for (name, nanoseconds) in zip(Self.shareNames, percentiles) { writer.member(name, orNull: nanoseconds) }
    writer.member("max", maximum)
    writer.member("perSecond", Int(perSecond))
  }
}

extension Machine {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("processor", processor)
    writer.member("cores", coreCount)
    writer.member("memory", memoryByteCount)
    writer.member("system", system)
    writer.member("load", stringOrNull: load)
    writer.member("measuredAt", measuredAt)
    writer.member("optimised", Self.warning == nil)
  }
}
