/// One page of a list: its items in order, and where to go on.
public struct Page<Item: Sendable>: RandomAccessCollection, Sendable {
  /// The items, in the order of the list.
  public var items: [Item]
  /// Where the next page begins; nil when the list has ended. A walk towards newer posts always has one.
  public var next: Cursor?
  /// Of a timeline: where newer posts begin; nil only while nothing was ever shown.
  public var previous: Cursor?
  /// How many items the whole list has, where that was asked for.
  public var total: Int?
  /// Whether a limit on the work was reached: the answer is exact for what was looked at, which its question describes.
  public var isTruncated = false

  init(_ items: [Item], next: Cursor? = nil, previous: Cursor? = nil, total: Int? = nil) {
    self.items = items
    self.next = next
    self.previous = previous
    self.total = total
  }

  /// The place of the first item.
  public var startIndex: Int { 0 }
  /// The place behind the last item.
  public var endIndex: Int { items.count }
  /// One item.
  public subscript(index: Int) -> Item { items[index] }
}
