#if BundledZstd
  import libzstd
#else
  import CZstd
#endif

/// The only wrapper of libzstd.
///
/// Safe because every address passed to the C library comes from a span that is valid for the whole call, together with
/// that span's own length.
package enum Zstd {
  /// The first four bytes of a zstd frame, little-endian.
  static let frameMagic: UInt32 = 0xFD2F_B528

  /// Whether a frame of `byteCount` bytes can contain `contentByteCount` bytes. Detects false claims before anything is
  /// allocated.
  ///
  /// A zstd block holds at most 128 KiB, and takes at least four bytes if it is not empty. No encoder expands content
  /// by more than 1/128 and its headers.
  static func canHold(_ contentByteCount: Int, inFrameOf byteCount: Int) -> Bool {
    contentByteCount / (128 << 10) <= byteCount / 4 && byteCount <= frameByteLimit(holding: contentByteCount)
  }

  /// The longest frame that any encoder makes of this much content.
  static func frameByteLimit(holding contentByteCount: Int) -> Int { contentByteCount + contentByteCount / 128 + 256 }

  /// A frame of this many bytes has its whole header, with the content size: ZSTD_FRAMEHEADERSIZE_MAX.
  static let frameHeaderByteLimit = 18

  /// Whether a file that begins with `bytes` is zstd: a frame, or a skippable frame.
  package static func isZstd(magic bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4 else { return false }
    let magic = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24
    return magic == frameMagic || (magic & 0xFFFF_FFF0) == 0x184D_2A50
  }

  /// The content size in a frame's header; nil if there is none, or this is no frame.
  static func frameContentByteCount(_ frame: Span<UInt8>) -> UInt64? {
    let size = unsafe frame.withUnsafeBytes { bytes in
      unsafe ZSTD_getFrameContentSize(bytes.baseAddress, bytes.count)
    }
    // The library's macros ZSTD_CONTENTSIZE_UNKNOWN and _ERROR are casts of -1 and -2, which Swift does not import.
    return size >= UInt64.max - 1 ? nil : size
  }

  /// The length of the frame at the start of `bytes`; nil if there is none, or not all of it.
  static func frameByteCount(_ bytes: Span<UInt8>) -> Int? {
    let size = unsafe bytes.withUnsafeBytes { bytes in
      unsafe ZSTD_findFrameCompressedSize(bytes.baseAddress, bytes.count)
    }
    return ZSTD_isError(size) == 0 ? size : nil
  }

  /// A frame that stores `content` uncompressed, so that its length is known in advance.
  ///
  /// At most 255 bytes. RFC 8878: magic, descriptor (single segment, checksum), content size, header of the last and
  /// raw block, content, low half of its XXH64.
  static func stored(_ content: [UInt8]) -> [UInt8] {
    precondition(content.count <= 255, "the content size is one byte")
    var frame = ByteWriter(reserving: storedByteCount(content.count))
    frame.append(frameMagic)
    frame.append(UInt8(0b0010_0100))
    frame.append(UInt8(content.count))
    frame.append(UInt8(truncatingIfNeeded: content.count << 3 | 1))
    frame.append(UInt16(content.count >> 5))
    frame.append(content)
    frame.append(UInt32(truncatingIfNeeded: XXH64.hash(content.span)))
    return frame.bytes
  }

  /// The offset of the content in a frame made by `stored`.
  static let storedContentOffset = 4 + 1 + 1 + 3

  /// The length of a frame made by `stored`.
  static func storedByteCount(_ contentByteCount: Int) -> Int { storedContentOffset + contentByteCount + 4 }

  fileprivate static func reason(_ code: Int) -> String {
    unsafe String(cString: ZSTD_getErrorName(code))
  }

  /// Compresses `content` into one frame. A file of rows is frames one after the other, as zstd's own tools read it.
  /// - Throws: `system` if there is too little memory.
  package static func frame(of content: [UInt8]) throws(KithError) -> [UInt8] {
    try ZstdCompressor.pool.lend { () throws(KithError) in
      try ZstdCompressor()
    } _: { (compressor) throws(KithError) in
      try compressor.compress(content.span, level: rowLevel)
    }
  }

  /// Rows are compressed as fast as they are encoded.
  private static let rowLevel: Int32 = 1

  fileprivate static let noMemory = KithError.system(
    errno: SystemError.outOfMemory, call: "make a zstd context", path: "")
}

/// Compresses content into independent frames, each with its content size and zstd's checksum. Reuses its tables.
/// Deterministic for a given content, level and version of libzstd.
///
/// Safe because a compressor is used by one thread at a time.
@safe final class ZstdCompressor: @unchecked Sendable {
  private let context: OpaquePointer

  /// Idle compressors. Creating one takes longer than compressing a small column.
  static let pool = Pool<ZstdCompressor>()

  init() throws(KithError) {
    guard let context = unsafe ZSTD_createCCtx() else { throw Zstd.noMemory }
    unsafe self.context = unsafe context
    _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1)
    _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
  }

  deinit {
    _ = unsafe ZSTD_freeCCtx(context)
  }

  /// Compresses `content` into one frame.
  func compress(_ content: Span<UInt8>, level: Int32) throws(KithError) -> [UInt8] {
    _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    let bound = ZSTD_compressBound(content.count)
    var code = 0
    let frame = unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      code = unsafe content.withUnsafeBytes { source in
        unsafe ZSTD_compress2(context, buffer.baseAddress, bound, source.baseAddress, source.count)
      }
      count = ZSTD_isError(code) == 0 ? code : 0
    }
    guard ZSTD_isError(code) == 0 else {
      // The buffer has the library's own bound, so only a lack of memory can cause this.
      throw .system(errno: SystemError.outOfMemory, call: "compress (\(Zstd.reason(code)))", path: "")
    }
    return frame
  }
}

/// Decompresses single frames into buffers of exactly their size. Never allocates a streaming window.
///
/// Safe because a decompressor is used by one thread at a time.
@safe final class ZstdDecompressor: @unchecked Sendable {
  private let context: OpaquePointer

  /// Idle decompressors. Creating one takes longer than decompressing a small column.
  static let pool = Pool<ZstdDecompressor>()

  init() throws(KithError) {
    guard let context = unsafe ZSTD_createDCtx() else { throw Zstd.noMemory }
    unsafe self.context = unsafe context
  }

  deinit {
    _ = unsafe ZSTD_freeDCtx(context)
  }

  /// The content of `frame`, which must be exactly one frame with exactly `contentByteCount` bytes of content.
  ///
  /// `file` and `offset` say where the frame came from, for the error.
  func decompress(
    _ frame: Span<UInt8>, contentByteCount expected: Int, file: String, offset: Int64
  ) throws(KithError) -> [UInt8] {
    guard Zstd.frameByteCount(frame) == frame.count else {
      throw .corrupt(file: file, offset: offset, reason: "not one whole zstd frame of \(frame.count) bytes")
    }
    guard Zstd.frameContentByteCount(frame) == UInt64(expected) else {
      throw .corrupt(file: file, offset: offset, reason: "the zstd frame does not hold \(expected) bytes")
    }
    var code = 0
    let content = unsafe [UInt8](unsafeUninitializedCapacity: expected) { buffer, count in
      code = unsafe frame.withUnsafeBytes { source in
        unsafe ZSTD_decompressDCtx(context, buffer.baseAddress, expected, source.baseAddress, source.count)
      }
      count = ZSTD_isError(code) == 0 ? code : 0
    }
    guard ZSTD_isError(code) == 0 else {
      throw .corrupt(file: file, offset: offset, reason: "zstd refuses the frame: \(Zstd.reason(code))")
    }
    guard code == expected else {
      throw .corrupt(file: file, offset: offset, reason: "the zstd frame held \(code) bytes, not \(expected)")
    }
    return content
  }
}

/// Decompresses a `.zst` file in chunks: for imports, whose files are made by other tools.
///
/// Pass the file's bytes in order, then call `finish`. Memory is bounded by the window, at most 128 MiB (zstd's default
/// limit), and one chunk.
@safe package final class ZstdStream {
  private let context: OpaquePointer
  private let file: String
  private var consumed: Int64 = 0
  private var isInsideFrame = false
  private var mayHoldMore = false

  /// - Parameter file: the name used in errors.
  package init(file: String) throws(KithError) {
    guard let context = unsafe ZSTD_createDCtx() else { throw Zstd.noMemory }
    unsafe self.context = unsafe context
    self.file = file
  }

  deinit {
    _ = unsafe ZSTD_freeDCtx(context)
  }

  /// Decompresses `input` from `position` on into one chunk of at most 128 KiB, and advances `position`. A small file
  /// may decompress to a lot of data, so the caller decides how much of it to hold at once.
  /// - Returns: nil when `input` is consumed and no output is left.
  /// - Throws: `corrupt` with the offset in the compressed file up to which it could be read.
  package func decompress(_ input: [UInt8], from position: inout Int) throws(KithError) -> [UInt8]? {
    // After a full chunk the library may hold more output; after a short one it does not.
    if position == input.count, !mayHoldMore { return nil }
    let before = position
    let chunk = try nextChunk(of: input, from: &position)
    consumed += Int64(position - before)
    mayHoldMore = chunk.count == Self.chunkByteCount
    return chunk
  }

  /// Must be called at the end of the file.
  /// - Throws: `corrupt` if the file has no frame, or ends inside one.
  package func finish() throws(KithError) {
    guard consumed > 0, !isInsideFrame else {
      throw .corrupt(file: file, offset: consumed, reason: "the file ends before its zstd frame does")
    }
  }

  private static let chunkByteCount = 128 << 10

  private func nextChunk(of input: [UInt8], from position: inout Int) throws(KithError) -> [UInt8] {
    var code = 0
    var reached = position
    let chunk = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { buffer, count in
      unsafe input.withUnsafeBytes { source in
        var from = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: reached)
        var into = unsafe ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
        code = unsafe ZSTD_decompressStream(context, &into, &from)
        unsafe reached = from.pos
        unsafe count = into.pos
      }
    }
    guard ZSTD_isError(code) == 0 else {
      throw .corrupt(
        file: file, offset: consumed + Int64(reached - position), reason: "zstd cannot read on: \(Zstd.reason(code))")
    }
    // Without input and output, the library asks for a next frame: no frame is open.
    if reached > position || !chunk.isEmpty { isInsideFrame = code != 0 }
    position = reached
    return chunk
  }
}
