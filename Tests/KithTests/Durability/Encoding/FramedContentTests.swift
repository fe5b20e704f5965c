import Testing

@testable import Kith

/// Content that is read frame by frame equals the whole, in any order, and is verified by one hash.
@Suite struct FramedContentTests {
  private static let frames: [[UInt8]] = [[1, 2, 3], [4], [5, 6, 7, 8, 9], [10, 11]]
  private static let whole = frames.flatMap(\.self)

  private func content(hash: UInt64? = XXH64.hash(Self.whole.span)) -> FramedContent {
    FramedContent(byteCounts: Self.frames.map(\.count), hash: hash) { (frame) throws(KithError) in Self.frames[frame] }
  }

  @Test("Every range is the one of the whole")
  func ranges() throws {
    for content in [content(), content(hash: nil), FramedContent(Self.whole)] {
      #expect(content.byteCount == Self.whole.count)
      for start in 0...Self.whole.count {
        for end in start...Self.whole.count {
          let (bytes, first) = try content.bytes(start..<end)
          #expect(Array(bytes[(start - first)..<(end - first)]) == Array(Self.whole[start..<end]))
        }
      }
    }
  }

  @Test("The hash is that of all frames, whatever was read before", arguments: [[], [10], [9, 3, 0], [3]])
  func hash(starts: [Int]) throws {
    let content = content()
    for start in starts { _ = try content.bytes(start..<start + 1) }
    #expect(try content.hasItsHash())
    let other = self.content(hash: 7)
    for start in starts { _ = try other.bytes(start..<start + 1) }
    #expect(try !other.hasItsHash())
  }

  @Test("A frame that cannot be read is an error, not a wrong hash")
  func damaged() {
    let error = KithError.corrupt(file: "f", offset: 1, reason: "torn")
    let content = FramedContent(byteCounts: [2, 2], hash: 1) { (frame) throws(KithError) in
      if frame == 1 { throw error }
      return [0, 0]
    }
    #expect(throws: error) { try content.bytes(1..<3) }
    #expect(throws: error) { try content.hasItsHash() }
  }
}
