/// The results of a search box: the list found for its text.
public struct SearchResults<Value: RandomAccessCollection & Equatable & Sendable>: RandomAccessCollection, Sendable
where Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
  /// The text of the query.
  public let query: String
  /// The list, as the query gave it, such as a page with its `next`, `total` and `highlights`; nil after an error.
  public let value: Value?
  /// The error of the search (such as `queryTooLong`, or `unknownUser` if the viewer was removed). The list is then
  /// empty.
  public let error: KithError?
  /// The difference from the previous list.
  public internal(set) var difference = ListDifference<Value.Element.ID>()
  private let search: LiveSearch<Value>?

  /// - Parameter result: the result of the search; nil before the first one.
  init(_ query: String, _ search: LiveSearch<Value>?, _ result: Result<Value, KithError>?) {
    self.query = query
    self.search = search
    (value, error) =
      switch result {
      case .success(let value): (value, nil)
      case .failure(let error): (nil, error)
      case nil: (nil, nil)
      }
  }

  /// Results without a session, for previews and tests.
  public init(query: String, value: Value) { self.init(query, nil, .success(value)) }

  /// Results of a search that failed, for previews and tests.
  public init(query: String, error: KithError) { self.init(query, nil, .failure(error)) }

  /// The elements as an array.
  public var items: [Value.Element] { Array(self) }
  /// The index of the first element.
  public var startIndex: Int { 0 }
  /// The index after the last element.
  public var endIndex: Int { value?.count ?? 0 }
  /// The element at an index.
  public subscript(index: Int) -> Value.Element {
    guard let value, index >= 0, index < value.count else { preconditionFailure("the index is one of the list's") }
    return value[value.index(value.startIndex, offsetBy: index)]
  }
}

extension SearchResults: SearchAnswer {
  /// The results of another text, if these contain them.
  func narrowed(to text: String) -> SearchResults? {
    guard let value, let narrowed = search?.narrow(value, query, text) else { return nil }
    return SearchResults(text, search, .success(narrowed))
  }

  /// Equal in everything but the difference.
  public static func == (left: SearchResults, right: SearchResults) -> Bool {
    left.query == right.query && left.value == right.value && left.error == right.error
  }
}
