import Foundation
import Kith

/// A file that is read in blocks from its beginning, and decompressed if it begins like a zstd file, whatever its name.
struct InputFile {
  private static let readByteCount = 1 << 20

  let path: String
  /// Size of the file; nil for a pipe or a device.
  let byteCount: Int?
  /// Bytes of the file that were read so far, compressed ones if it is compressed.
  private(set) var readCount = 0

  private let handle: FileHandle
  private var stream: ZstdStream?
  private var hasBegun = false
  /// Bytes of the file; those from `inputOffset` on are not decompressed yet.
  private var input: [UInt8] = []
  private var inputOffset = 0

  /// - Parameter path: `-` for standard input.
  init(_ path: String) throws(CommandFailure) {
    self.path = path
    if path == ByteStream.sign {
      (handle, byteCount) = (FileHandle.standardInput, nil)
      return
    }
    guard PathAccess.exists(path) else { throw .usage("\(path): no such file") }
    guard !PathAccess.isDirectory(path) else { throw .usage("\(path): a directory, where a file of rows is needed") }
    guard let file = try? PathAccess.open(path) else {
      throw .usage("\(path): cannot be opened; may this user read it?")
    }
    handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: true)
    byteCount = file.byteCount
  }

  /// Appends the next bytes of the content to `block`, about a megabyte at most; false at the end of the file.
  mutating func read(into block: inout [UInt8]) throws(CommandFailure) -> Bool {
    if !hasBegun {
      hasBegun = true
      input = Array(try readBytes())
      do throws(KithError) {
        if Zstd.isZstd(magic: Array(input.prefix(4))) { stream = try ZstdStream(file: path) }
      } catch {
        throw .no(error.sentence)
      }
    }
    if let stream { return try decompress(stream, into: &block) }
    let count = block.count
    if input.isEmpty {
      block.append(contentsOf: try readBytes())
    } else {
      block.append(contentsOf: input)
      input = []
    }
    return block.count > count
  }

  /// A compressed file can hold any amount: the rest is left for the next call.
  private mutating func decompress(
    _ stream: ZstdStream, into block: inout [UInt8]
  ) throws(CommandFailure) -> Bool {
    let end = block.count + Self.readByteCount
    while block.count < end {
      do throws(KithError) {
        if let chunk = try stream.decompress(input, from: &inputOffset) {
          block.append(contentsOf: chunk)
          continue
        }
        if input.isEmpty {
          try stream.finish()
          return false
        }
      } catch {
        throw .no(error.sentence)
      }
      input = Array(try readBytes())
      inputOffset = 0
    }
    return true
  }

  /// The next bytes of the file itself; none at its end.
  private mutating func readBytes() throws(CommandFailure) -> Data {
    do {
      let data = try handle.read(upToCount: Self.readByteCount) ?? Data()
      readCount += data.count
      return data
    } catch {
      throw .no("\(path): cannot be read after byte \(readCount): \(error.localizedDescription)")
    }
  }

  /// How much of the file was read, from 0 to 1; nil when its size is unknown.
  var shareRead: Double? {
    byteCount.map { $0 > 0 ? Double(readCount) / Double($0) : 1 }
  }

  func close() { try? handle.close() }
}
