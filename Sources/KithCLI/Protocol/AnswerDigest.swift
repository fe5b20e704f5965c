/// What is kept of an answer, to compare it with the next one: an answer can have a hundred megabytes.
///
/// Swift's hash has a random seed in each process, so that no user can prepare two answers with the same digest.
struct AnswerDigest: Equatable {
  private let hash: Int
  private let byteCount: Int

  init(_ answer: [UInt8]) {
    hash = answer.hashValue
    byteCount = answer.count
  }
}
