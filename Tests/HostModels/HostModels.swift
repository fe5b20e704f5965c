/// A module of a host that has names of its own, as every social app does: Kith has a `User` and a `Post`, too.

/// The user of the app, who has an account beside the graph.
public struct User: Equatable, Sendable {
  /// What the app shows.
  public var displayName: String

  /// An account.
  public init(displayName: String) { self.displayName = displayName }
}

/// What the app shows for a post.
public struct Post: Equatable, Sendable {
  /// The first line.
  public var headline: String

  /// A post from its first line.
  public init(headline: String) { self.headline = headline }
}
