import Foundation
import Kith
import KithFoundation
import Testing

/// Dates and URLs, in the overlay that imports Foundation.
@Suite struct FoundationTests {
  /// 2⁵¹ ms are 71,000 years. Beyond 2⁴² s a `Double` has less than a bit for each millisecond.
  @Test("A time within 70,000 years of 1970 is the same after a conversion to a date and back")
  func roundTrip() {
    var times = [Timestamp(0), -1, 1, 999, 1_000, 1_700_000_000_123, Timestamp(SocialGraph.Limits.edgeMilliseconds)]
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<10_000 { times.append(Timestamp(.random(in: -(1 << 51)...(1 << 51), using: &generator))) }
    for time in times { #expect(Timestamp(Date(time)) == time) }
    #expect(Date(Timestamp(1_500)) == Date(timeIntervalSince1970: 1.5))
  }

  @Test("A date is rounded to the millisecond, and to the nearest time if there is none so far")
  func rounding() {
    #expect(Timestamp(Date(timeIntervalSince1970: 1.0004)) == 1_000)
    #expect(Timestamp(Date(timeIntervalSince1970: 1.0006)) == 1_001)
    #expect(Timestamp(Date(timeIntervalSince1970: 1e300)) == Timestamp(.max))
    #expect(Timestamp(Date(timeIntervalSince1970: -.infinity)) == Timestamp(.min))
    #expect(Timestamp(Date(timeIntervalSince1970: .nan)) == Timestamp(.min))
    #expect(Timestamp(.distantFuture) == 64_092_211_200_000)
  }

  @Test("A store is opened by a file URL, and its snapshot has one")
  func urls() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kith host \(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let graph = try SocialGraph.open(folder)
    try graph.addUser("ann", id: 5)
    let snapshot = try graph.snapshot()
    #expect(FileManager.default.fileExists(atPath: snapshot.url.path))
    try graph.close()
    let copy = try SocialGraph.open(snapshot.url, access: .readOnly)
    #expect(copy.read { $0.findUser(named: "ann") } == 5)
    try copy.close()
  }

  @Test("A URL of another scheme is refused")
  func schemes() throws {
    let url = try #require(URL(string: "https://example.com/store"))
    #expect(throws: KithError.invalidRequest(.notAFileURL)) { try SocialGraph.open(url) }
  }
}
