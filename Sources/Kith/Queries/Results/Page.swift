/// One page of a query's result, in order, with the cursors of the pages before and after it.
///
/// The elements are views of one result: a page is one allocation, whatever its length (one of suggestions, a few).
public struct Page<Element: PageElement>: RandomAccessCollection, Hashable, Sendable {
  /// The number of elements on the page.
  public let count: Int
  /// The cursor of the next page; nil at the end of the list. In a timeline it leads to older posts, whatever the
  /// direction of the query was.
  public let next: Cursor?
  /// In a timeline, the cursor towards newer posts, for a query with the direction `newer`; also of one without posts,
  /// whose first posts are then newer. Nil for every other list.
  public let previous: Cursor?
  /// The number of elements in the whole list; nil unless requested (`countsMatches`).
  public let total: Int?
  /// Whether a work limit was reached. The result is then exact for the part that was read, as the query describes.
  public let isTruncated: Bool
  /// The matches of the query in the username of each user, or of its words in the text of each post; nil unless
  /// requested (`includesHighlights`). Half-open ranges of UTF-8 bytes, of whole scalars, ascending, without overlaps.
  public let highlights: [[Range<Int>]]?
  /// The same in the display name of each user.
  public let displayNameHighlights: [[Range<Int>]]?
  /// The first element, from which the others are reached; nil if the page is empty.
  @usableFromInline let anchor: Element?

  /// The elements as an array.
  @inlinable public var items: [Element] { Array(self) }
  /// The index of the first element.
  @inlinable public var startIndex: Int { 0 }
  /// The index after the last element.
  @inlinable public var endIndex: Int { count }
  /// The element at an index.
  @inlinable public subscript(index: Int) -> Element {
    guard let anchor, index >= 0, index < count else { preconditionFailure("the index is one of the page's") }
    return anchor._sibling(at: index)
  }

  /// Equal if the elements and all properties are.
  @inlinable public static func == (left: Page, right: Page) -> Bool {
    left.count == right.count && left.next == right.next && left.previous == right.previous
      && left.total == right.total && left.isTruncated == right.isTruncated && left.highlights == right.highlights
      && left.displayNameHighlights == right.displayNameHighlights
      && left.elementsEqual(right)
  }

  /// Hashes the elements.
  @inlinable public func hash(into hasher: inout Hasher) { for element in self { hasher.combine(element) } }
}

/// The matches of a query in the names of users, or in the texts of posts.
struct NameHighlights {
  private(set) var names: [[Range<Int>]]
  /// Nil in the results of posts.
  private(set) var displayNames: [[Range<Int>]]?

  init(names: [[Range<Int>]] = [], displayNames: [[Range<Int>]]? = []) {
    (self.names, self.displayNames) = (names, displayNames)
  }

  mutating func append(_ name: [Range<Int>], _ displayName: [Range<Int>]) {
    names.append(name)
    displayNames?.append(displayName)
  }
}

/// An element of a page: `User`, `Post`, `Suggestion` or `IncomingEdge`. No other type can be on a page.
public protocol PageElement: Identifiable, Hashable, Sendable where ID: Sendable {
  /// The element at another index of the result that this one is a view of. For `Page` alone.
  /// - Precondition: the result has an element at the index.
  func _sibling(at index: Int) -> Self
}

/// The records of one result; one or more per element.
protocol ResultRecords: Sendable {
  /// The number of elements.
  var count: Int { get }
}

extension ResultBuffer: ResultRecords {}

/// An element of a result: a view of the shared records that creates its values when they are read.
protocol ResultElement: PageElement {
  associatedtype Records: ResultRecords
  init(_ records: Records, _ index: Int)
}

extension ResultElement {
  /// An element for each id that was found, nil for the others. The records are those of the rows, in order.
  static func list(_ found: FoundRows, _ records: Records) -> [Self?] {
    var missing = found.missing[...]
    if missing.isEmpty { return (0..<found.rows.count).map { Self(records, $0) } }
    var index = -1
    return (0..<found.rows.count + missing.count).map { place in
      if missing.first == place {
        missing.removeFirst()
        return nil
      }
      index += 1
      return Self(records, index)
    }
  }
}

/// The rows of some ids, in order.
struct FoundRows {
  private(set) var rows: [UInt32] = []
  /// The indices of the ids that have no row, ascending.
  private(set) var missing: [Int] = []

  @inline(__always)
  init<ID>(_ ids: [ID], row: (ID) -> UInt32?) {
    rows.reserveCapacity(ids.count)
    for index in ids.indices {
      if let row = row(ids[index]) { rows.append(row) } else { missing.append(index) }
    }
  }
}

extension Page where Element: ResultElement {
  /// - Parameter records: the records of the elements; nil for an empty page.
  init(
    _ records: Element.Records?, next: Cursor? = nil, previous: Cursor? = nil, total: Int? = nil,
    isTruncated: Bool = false, highlights: NameHighlights? = nil
  ) {
    let count = records?.count ?? 0
    anchor = if let records, count > 0 { Element(records, 0) } else { nil }
    self.count = count
    self.next = next
    self.previous = previous
    self.total = total
    self.isTruncated = isTruncated
    self.highlights = highlights?.names
    displayNameHighlights = highlights?.displayNames
  }
}

extension Page {
  /// The same page of other records for its elements.
  func showing(_ anchor: Element) -> Page { Page(self, total: total, anchor: anchor) }

  /// The same page with the number of elements in the whole list.
  func counting(_ total: Int?) -> Page { Page(self, total: total, anchor: anchor) }

  private init(_ page: Page, total: Int?, anchor: Element?) {
    (self.anchor, count, next, previous) = (anchor, page.count, page.next, page.previous)
    (self.total, isTruncated) = (total, page.isTruncated)
    (highlights, displayNameHighlights) = (page.highlights, page.displayNameHighlights)
  }
}

extension Page<User> {
  /// The users at some indices of a page, as the only page of their list.
  init(_ indices: [Int], of page: Page, highlights: NameHighlights?) {
    self.init(
      page.anchor.map { UserRecords(indices, of: $0.records) }, total: page.total == nil ? nil : indices.count,
      highlights: highlights)
  }
}
