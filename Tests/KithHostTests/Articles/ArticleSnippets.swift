import Foundation
import Testing

/// The snippets of the articles, each article a test: see `ArticleTests`.
@Suite final class ArticleSnippets {
  /// A store's folder, which the first `open` makes.
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("kith-article-\(UUID().uuidString)").path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
