import Foundation
import Kith

/// A file read from its beginning in blocks, decompressed when it begins as zstd files do, whatever its name.
struct InputFile {
  private static let readByteCount = 1 << 20

  let path: String
  /// Size of the file; nil for a pipe or a device.
  let byteCount: Int?
  /// Bytes of the file that were read so far: compressed ones, if it is compressed.
  private(set) var readCount = 0

  private let handle: FileHandle
  private var stream: ZstdStream?
  private var hasBegun = false

  init(_ path: String) throws(CommandFailure) {
    self.path = path
    // Resolved first: attributes are those of a link itself.
    let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved) else {
      throw .usage("\(path): no such file")
    }
    let type = attributes[.type] as? FileAttributeType
    guard type != .typeDirectory else { throw .usage("\(path): a directory, where a TSV file is needed") }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw .usage("\(path): cannot be opened; may this user read it?")
    }
    self.handle = handle
    byteCount = type == .typeRegular ? (attributes[.size] as? NSNumber)?.intValue : nil
  }

  /// Appends the next bytes of the content to `block`; false at the end of the file.
  mutating func read(into block: inout [UInt8]) throws(CommandFailure) -> Bool {
    let data: Data
    do {
      data = try handle.read(upToCount: Self.readByteCount) ?? Data()
    } catch {
      throw .no("\(path): cannot be read after byte \(readCount): \(error.localizedDescription)")
    }
    readCount += data.count
    do throws(KithError) {
      if !hasBegun {
        hasBegun = true
        if Zstd.isZstd(magic: Array(data.prefix(4))) { stream = try ZstdStream(file: path) }
      }
      guard let stream else {
        block.append(contentsOf: data)
        return !data.isEmpty
      }
      guard !data.isEmpty else {
        try stream.finish()
        return false
      }
      var content = block
      block = []
      defer { block = content }
      try stream.decompress(Array(data)) { (chunk) throws(KithError) in content.append(contentsOf: chunk) }
      return true
    } catch {
      throw .no(error.description)
    }
  }

  /// How much of the file was read, from 0 to 1; nil when its size is unknown.
  var shareRead: Double? {
    byteCount.map { $0 > 0 ? Double(readCount) / Double($0) : 1 }
  }

  func close() { try? handle.close() }
}
