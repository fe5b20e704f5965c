import Kith
import Testing

// Made from Sources/Kith/Kith.docc/OperatingAStore.md by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
extension ArticleSnippets {
  @Test("The snippets of OperatingAStore compile and run")
  func operatingAStore() async throws {
    var options = SocialGraph.Options()
    options.maximumByteCount = 8 << 30
    options.maximumUserCount = 20_000_000
    options.lowDiskByteCount = 4 << 30
    let graph = SocialGraph(options: options)

    let report = graph.read { $0.memoryReport() }
    print(report.byteCount)
    for entry in report.entries where entry.byteCount > 0 { print(entry.name, entry.byteCount) }
  }
}
