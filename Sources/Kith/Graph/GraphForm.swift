/// How a graph is kept in memory. Files, results and changes do not depend on it.
struct GraphForm: Sendable {
  /// The form of the relations' lists.
  var lists = ListForm.plain
  /// Whether the texts of posts are compressed.
  var compressesTexts = false

  static let plain = GraphForm()
}
