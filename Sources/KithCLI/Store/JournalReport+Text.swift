import Kith

/// A journal as text and as JSON.
extension JournalReport {
  /// `1,001 to 1,234`
  var changeRange: String {
    switch changeCount {
    case 0: ""
    case 1: grouped(firstSequence)
    default: "\(grouped(firstSequence)) to \(grouped(lastSequence))"
    }
  }

  /// How it ends, in a word, and how many bytes are dropped.
  var endText: String { end.byteCount > 0 ? "\(end.word), \(byteText(Int(end.byteCount)))" : end.word }

  /// A paragraph.
  var text: String {
    var text = printable(path) + "\n"
    guard let header else {
      return text + "  \(byteText(Int(fileByteCount))), without a header: \(explanation)\n"
    }
    text += "  format \(header.formatVersion), store \(header.storeID), generation \(grouped(generation))\n"
    text += "  begins with change \(grouped(firstSequence)), begun \(timeText(header.writtenAt.rawValue)) UTC"
    text += lastWrittenAt.map { ", last written \(timeText($0.rawValue)) UTC\n" } ?? "\n"
    text += "  \(counted(changeCount, "change")) in \(counted(frameCount, "frame")), \(byteText(Int(fileByteCount)))"
    if changeCount > 0 {
      let (own, whole) = (Double(changeByteCount), Double(frameByteCount))
      text += ": \(decimal(own / Double(changeCount))) bytes per change, "
      text += "\(decimal(whole / Double(changeCount))) with their frames"
    }
    return text + "\n  \(explanation)\n"
  }

  private var explanation: String {
    switch end {
    case .clean: "ends cleanly"
    case .torn(0): "its end is truncated; no acknowledged change was in it"
    case .torn(let byteCount): "ends with \(grouped(byteCount)) bytes of a torn frame, never acknowledged as synced"
    case .superseded(let byteCount): "ends with \(grouped(byteCount)) bytes torn by a crash; the next file continues"
    case .incomplete: "a crash came before its first change"
    case .damaged(let problem): printable("damaged: \(problem.place): \(problem.message)")
    }
  }

  func writeMembers(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("generation", generation)
    writer.member("firstSequence", firstSequence)
    writer.member("lastSequence", lastSequence)
    writer.member("changes", changeCount)
    writer.member("frames", frameCount)
    writer.member("writtenAt", orNull: (lastWrittenAt ?? header?.writtenAt)?.rawValue)
    writer.member("byteCount", fileByteCount)
    writer.member("frameBytes", frameByteCount)
    writer.member("changeBytes", changeByteCount)
    writer.member("ends", end.word)
    writer.member("droppedBytes", end.byteCount)
  }
}
