/// The posts between two keys, both exclusive.
struct PostRange {
  var low: PostKey
  var high: PostKey

  /// The posts between two times, both exclusive.
  init(before: Timestamp?, after: Timestamp?) {
    low = PostKey(time: after?.rawValue ?? -1, id: .max)
    high = before.map { PostKey(time: $0.rawValue, id: 0) } ?? .end
  }

  var isEmpty: Bool { low >= high }
}
