import Kith

/// A file of rows in any format, as blocks of tab-separated lines with the numbers that they have in the file.
protocol RowBlocks {
  var file: InputFile { get }
  /// The current lines, whole ones.
  var bytes: [UInt8] { get }
  /// How the line after these ends, if not as all must.
  var badEnd: String? { get }
  /// Reads the next lines; false when there are no more.
  mutating func next() throws(CommandFailure) -> Bool
  /// Gives the name of the relation that makes threads, before the first lines are read; nil without one.
  mutating func settle(thread: String?)
}

extension RowBlocks {
  mutating func settle(thread: String?) {}
}
