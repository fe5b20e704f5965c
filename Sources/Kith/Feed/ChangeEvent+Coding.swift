/// Encoded as a line of `kith watch`: the request that makes the change with its `sequence`, or `{"missed":[a,b]}`.
extension ChangeEvent: Codable {
  /// Encodes the event as an object.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    switch self {
    case .change(let change, let sequence):
      try object.encode(sequence, forKey: .sequence)
      try change.write(to: &object)
    case .missed(let range): try object.encode(range, forKey: .missed)
    }
  }

  /// Decodes an event.
  /// - Throws: `DecodingError`, as `Change` does, and for a range that ends before it begins.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: WireKey.self)
    if let range = try object.decodeIfPresent(ClosedRange<UInt64>.self, forKey: .missed) {
      self = .missed(range)
    } else {
      self = .change(try Change(from: decoder), sequence: try object.decode(UInt64.self, forKey: .sequence))
    }
  }
}
