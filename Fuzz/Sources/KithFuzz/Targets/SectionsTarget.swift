@testable import Kith

/// The uncompressed sections of a snapshot, one after the other: id, version, encoding, count of elements, length,
/// content. They are refused, or give a valid graph that is the same after a round trip.
///
/// It tests a part of `SnapshotTarget`, many times as fast.
struct SectionsTarget: FuzzTarget {
  let name = "sections"
  let maximumByteCount = 32 << 10
  /// Texts take memory by the megabyte.
  let allocationLimitMegabytes = 2

  func seeds() throws -> [[UInt8]] {
    [
      Self.bytes(GraphSections.sections(of: GraphState())), Self.bytes(GraphSections.sections(of: try Sample.state())),
      Self.bytes(GraphSections.sections(of: try Sample.ring(30))),
      Self.bytes(GraphSections.sections(of: try Sample.stateWithSchema())),
      Self.bytes(GraphSections.sections(of: try Sample.ring(40, removing: true))),
    ]
  }

  func run(_ input: [UInt8]) {
    do throws(KithError) {
      RoundTrip.check(try GraphSections.state(from: Self.sections(of: input), sequence: 1, file: "input"))
    } catch {
      Refusal.check(error)
    }
  }

  func mutateMeaning(_ input: [UInt8], random: UInt32, _ mutate: ([UInt8]) -> [UInt8]) -> [UInt8]? {
    var sections = Self.sections(of: input)
    if sections.isEmpty { return nil }
    let place = Int(random) % sections.count
    sections[place].content = mutate(sections[place].content)
    return Self.bytes(sections)
  }

  private static func bytes(_ sections: [Section]) -> [UInt8] {
    var writer = ByteWriter()
    for section in sections {
      writer.append(section.id.rawValue)
      writer.append(section.head.version)
      writer.append(section.encoding.rawValue)
      writer.append(section.elementCount)
      writer.append(UInt32(section.content.count))
      writer.append(section.content)
    }
    return writer.bytes
  }

  /// A last section may be truncated.
  private static func sections(of input: [UInt8]) -> [Section] {
    var sections: [Section] = []
    var offset = 0
    while offset + 20 <= input.count {
      let length = min(input.word(at: offset + 16), input.count - offset - 20)
      sections.append(
        Section(
          head: SectionHead(
            id: SectionID(rawValue: UInt32(input.word(at: offset))),
            version: UInt16(input.number(at: offset + 4, byteCount: 2)),
            encoding: ColumnEncoding(rawValue: UInt16(input.number(at: offset + 6, byteCount: 2))),
            elementCount: input.number(at: offset + 8, byteCount: 8)),
          content: Array(input[offset + 20..<offset + 20 + length])))
      offset += 20 + length
    }
    return sections
  }
}
