import Testing

@testable import Kith

@Suite struct ZstdTests {
  private static let sentence = Array("to be or not to be, to be or not to be\n".utf8)

  /// `zstd -c sentence`: one segment, content size and checksum.
  private static let frameOfFile: [UInt8] = [
    0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x27, 0xD5, 0x00, 0x00, 0x78, 0x74, 0x6F, 0x20, 0x62, 0x65, 0x20, 0x6F, 0x72, 0x20,
    0x6E, 0x6F, 0x74, 0x20, 0x2C, 0x0A, 0x03, 0x00, 0x37, 0x0F, 0xA8, 0xCC, 0x05, 0xD7, 0xFC, 0x02, 0x33, 0xD3, 0xFB,
    0x86,
  ]

  /// `cat sentence | zstd -c`: without content size.
  private static let frameOfPipe: [UInt8] = [
    0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x58, 0xED, 0x00, 0x00, 0xA0, 0x74, 0x6F, 0x20, 0x62, 0x65, 0x20, 0x6F, 0x72, 0x20,
    0x6E, 0x6F, 0x74, 0x20, 0x74, 0x6F, 0x20, 0x62, 0x65, 0x2C, 0x0A, 0x02, 0x00, 0x37, 0x0F, 0xA8, 0xA1, 0x84, 0x01,
    0x33, 0xD3, 0xFB, 0x86,
  ]

  @Test("A frame holds its content and states its length", arguments: [0, 1, 100, 128 << 10, 1 << 20, 4 << 20])
  func frameContent(count: Int) throws {
    var random = SeededRandom(seed: UInt64(count))
    let content = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x0F) }
    for level: Int32 in [-1, 1, 3] {
      let frame = try ZstdCompressor().compress(content.span, level: level)
      #expect(Zstd.frameContentByteCount(frame.span) == UInt64(count))
      #expect(Zstd.frameByteCount(frame.span) == frame.count)
      #expect(Zstd.canHold(count, inFrameOf: frame.count))
      #expect(try decompressed(frame, count) == content)
    }
  }

  @Test("A stored frame has the announced length, and zstd reads it", arguments: [0, 1, 64, 255])
  func storedFrame(count: Int) throws {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    let frame = Zstd.stored(content)
    #expect(frame.count == Zstd.storedByteCount(count))
    #expect(Zstd.frameByteCount(frame.span) == frame.count)
    #expect(try decompressed(frame, count) == content)
    for bit in 0..<8 * frame.count {
      var damaged = frame
      damaged[bit / 8] ^= 1 << (bit % 8)
      #expect((try? decompressed(damaged, count)) ?? content == content)
    }
  }

  @Test("A shared context gives the same frames as separate contexts")
  func sharedContext() throws {
    let compressor = try ZstdCompressor()
    let first = try compressor.compress(Self.sentence.span, level: 1)
    #expect(try compressor.compress(Self.sentence.span, level: 1) == first)
    #expect(try ZstdCompressor().compress(Self.sentence.span, level: 1) == first)
  }

  @Test("A frame fills exactly its content or is refused")
  func exactContent() throws {
    #expect(try decompressed(Self.frameOfFile, Self.sentence.count) == Self.sentence)
    for count in [0, 1, Self.sentence.count - 1, Self.sentence.count + 1, 1 << 20] {
      #expect(throws: KithError.self) { try decompressed(Self.frameOfFile, count) }
    }
    #expect(throws: KithError.self) { try decompressed(Self.frameOfPipe, Self.sentence.count) }
    #expect(throws: KithError.self) { try decompressed(Self.frameOfFile + Self.frameOfFile, 2 * Self.sentence.count) }
    #expect(throws: KithError.self) { try decompressed(Self.frameOfFile + [0], Self.sentence.count) }
    #expect(throws: KithError.self) { try decompressed([], 0) }
  }

  @Test("No damaged frame gives other content")
  func damagedFrame() {
    for count in 0..<Self.frameOfFile.count {
      #expect(throws: KithError.self) { try decompressed(Array(Self.frameOfFile.prefix(count)), Self.sentence.count) }
    }
    for bit in 0..<(8 * Self.frameOfFile.count) {
      var frame = Self.frameOfFile
      frame[bit / 8] ^= 1 << (bit % 8)
      // zstd has an unused bit in its header, and its own checksum has 32 bits: that is why our hash is checked first.
      let content = try? decompressed(frame, Self.sentence.count)
      #expect(content == nil || content == Self.sentence)
    }
  }

  @Test("A stream gives the content of all frames, in pieces of any size", arguments: [1, 7, 39, 1000])
  func streamPieces(pieceByteCount: Int) throws {
    let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
    let file = skippable + Self.frameOfFile + skippable + Self.frameOfPipe
    #expect(try streamed(file, pieceByteCount) == Self.sentence + Self.sentence)
  }

  @Test("A stream gives more than one chunk at once")
  func streamChunks() throws {
    let content = [UInt8](repeating: 7, count: 3 << 20)
    let frame = try ZstdCompressor().compress(content.span, level: 1)
    #expect(frame.count < 1000)
    #expect(try streamed(frame, frame.count) == content)
    #expect(try streamed(frame, 10) == content)
  }

  @Test("A stream that is truncated or followed by other bytes is refused")
  func streamEnd() throws {
    for count in 0..<Self.frameOfPipe.count {
      let error = #expect(throws: KithError.self) { try streamed(Array(Self.frameOfPipe.prefix(count)), 5) }
      guard case .corrupt("f", let offset, _) = error else { throw try #require(error) }
      #expect(offset <= count)
    }
    #expect(throws: KithError.self) { try streamed(Self.frameOfPipe + Array("plain text".utf8), 5) }
    #expect(throws: KithError.self) { try streamed(Array("1\tann\n".utf8), 5) }
  }

  @Test("zstd files are recognised by their first bytes")
  func magicNumber() {
    #expect(Zstd.isZstd(magic: Self.frameOfFile))
    #expect(Zstd.isZstd(magic: [0x5E, 0x2A, 0x4D, 0x18]))
    #expect(!Zstd.isZstd(magic: Array("1\tann".utf8)))
    #expect(!Zstd.isZstd(magic: [0x28, 0xB5, 0x2F]))
  }

  @Test("A frame that claims an impossible ratio is refused")
  func impossibleRatio() {
    #expect(Zstd.canHold(4 << 20, inFrameOf: 128))
    #expect(!Zstd.canHold(4 << 20, inFrameOf: 127))
    #expect(!Zstd.canHold(64, inFrameOf: 1 << 20))
  }

  private func decompressed(_ frame: [UInt8], _ count: Int) throws -> [UInt8] {
    try ZstdDecompressor().decompress(frame.span, contentByteCount: count, file: "f", offset: 0)
  }

  private func streamed(_ file: [UInt8], _ pieceByteCount: Int) throws -> [UInt8] {
    let stream = try ZstdStream(file: "f")
    var content: [UInt8] = []
    var position = 0
    while position < file.count {
      let end = min(position + pieceByteCount, file.count)
      var offset = 0
      while let chunk = try stream.decompress(Array(file[position..<end]), from: &offset) { content += chunk }
      position = end
    }
    try stream.finish()
    return content
  }
}
