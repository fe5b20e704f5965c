/// The next line of input, as the text of a box that holds `text` now; nil at the end of the input.
///
/// A line that leaves the text as it is changes nothing on the screen, so it is passed over.
public func nextText(after text: String, _ key: (String) -> String = { $0 }) -> String? {
  while let line = readLine() {
    if key(line) != text { return key(line) }
  }
  return nil
}
