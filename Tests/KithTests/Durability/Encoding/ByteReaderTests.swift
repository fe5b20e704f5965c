import Testing

@testable import Kith

@Suite struct ByteReaderTests {
  @Test("The reader reads what the writer appends")
  func roundTrip() throws {
    var writer = ByteWriter()
    writer.append(UInt8(0xFE))
    writer.append(UInt16(0x1234))
    writer.append(UInt32(0x89AB_CDEF))
    writer.append(UInt64(0x0123_4567_89AB_CDEF))
    writer.append(Int64.min)
    writer.append([7, 8])
    writer.pad(to: 32)
    #expect(writer.bytes.prefix(7) == [0xFE, 0x34, 0x12, 0xEF, 0xCD, 0xAB, 0x89])
    var reader = ByteReader(writer.bytes, file: "f")
    #expect(try reader.readUInt8() == 0xFE)
    #expect(try reader.readUInt16() == 0x1234)
    #expect(try reader.readUInt32() == 0x89AB_CDEF)
    #expect(try reader.readUInt64() == 0x0123_4567_89AB_CDEF)
    #expect(try reader.readInt64() == .min)
    #expect(try reader.readBytes(2) == [7, 8])
    try reader.expectZeros(7)
    #expect(reader.remaining == 0)
  }

  @Test("A read past the end reports the file and the absolute offset")
  func readPastTheEnd() throws {
    var reader = ByteReader([1, 2, 3], file: "some.file", at: 1000)
    _ = try reader.readUInt8()
    #expect(throws: KithError.corrupt(file: "some.file", offset: 1001, reason: "4 bytes are wanted, 2 are left")) {
      try reader.readUInt32()
    }
    #expect(reader.remaining == 2, "a failed read takes nothing")
  }

  @Test("An integer is not read from too few bytes", arguments: [0, 1, 2, 3, 4, 5, 6, 7])
  func tooFewBytes(count: Int) {
    var reader = ByteReader([UInt8](repeating: 0xFF, count: count), file: "f")
    #expect(throws: KithError.self) { try reader.readUInt64() }
    #expect(throws: KithError.self) { try reader.readInt64() }
    if count < 4 { #expect(throws: KithError.self) { try reader.readUInt32() } }
    if count < 2 { #expect(throws: KithError.self) { try reader.readUInt16() } }
    if count < 1 { #expect(throws: KithError.self) { try reader.readUInt8() } }
  }

  @Test("A count beyond its limit is thrown, also one that no Int can hold")
  func countBeyondLimit() {
    for value in [UInt64(11), UInt64(Int64.max), .max] {
      var writer = ByteWriter()
      writer.append(value)
      var reader = ByteReader(writer.bytes, file: "f", at: 8)
      #expect(throws: KithError.corrupt(file: "f", offset: 8, reason: "the count is \(value), at most 10 is possible"))
      {
        try reader.readCount("the count", atMost: 10)
      }
    }
  }

  @Test("A length beyond the end is thrown, not trapped", arguments: [-1, Int.min, 4, Int.max])
  func lengthBeyondTheEnd(count: Int) {
    var reader = ByteReader([1, 2, 3], file: "f")
    #expect(throws: KithError.self) { try reader.readBytes(count) }
    #expect(throws: KithError.self) { try reader.skip(count) }
  }

  @Test("A missing value is reported with its expected offset")
  func missingValue() {
    var reader = ByteReader([0, 0, 9, 1], file: "f")
    #expect(throws: KithError.corrupt(file: "f", offset: 2, reason: "a reserved byte is not zero")) {
      try reader.expectZeros(3)
    }
    #expect(throws: KithError.corrupt(file: "f", offset: 3, reason: "the word is not what it must be")) {
      try reader.expect([2], "the word")
    }
    reader = ByteReader([5, 0, 0, 0, 1], file: "f")
    #expect(throws: KithError.corrupt(file: "f", offset: 0, reason: "the magic is 0x5, not 0x6")) {
      try reader.expect(UInt32(6), "the magic")
    }
  }
}
