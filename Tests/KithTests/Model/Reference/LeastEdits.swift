/// The smallest edit distance between a text and any run of scalars of a key: the table of the definition, cell by
/// cell. An edit inserts, deletes or replaces a scalar, or swaps two neighbours; none is edited twice.
func leastEdits(_ text: [UInt8], in key: [UInt8]) -> Int {
  let text = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
  let key = Array(String(decoding: key, as: UTF8.self).unicodeScalars)
  var (row, above) = ([Int](repeating: 0, count: key.count + 1), [Int]())
  for (index, scalar) in text.enumerated() {
    let twoAbove = above
    above = row
    row[0] = index + 1
    for place in key.indices {
      let replaced = above[place] + (key[place] == scalar ? 0 : 1)
      row[place + 1] = min(above[place + 1] + 1, row[place] + 1, replaced)
      if index > 0, place > 0, text[index - 1] == key[place], scalar == key[place - 1] {
        row[place + 1] = min(row[place + 1], twoAbove[place - 1] + 1)
      }
    }
  }
  return row.reduce(.max, min)
}
