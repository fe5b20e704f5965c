import Kith
import Testing

@testable import KithCLI

/// What the command and the protocol say of an error, beyond what the library says.
@Suite struct SentenceTests {
  @Test("Where a command helps, the command names it")
  func commands() {
    func expect(_ error: KithError, _ sentence: String) {
      #expect(error.sentence == sentence && error.description != sentence)
      let batch = KithError.inBatch(index: 2, error)
      #expect(batch.sentence == "change 2 of the batch: \(sentence)")
    }
    let lead = "s: no snapshot and its journals lead to"
    expect(.invalidRequest(.unreachable(path: "s")), "\(lead) the newest state; kith list s tells what can be restored")
    expect(
      .invalidRequest(.unreachableSequence(7, path: "s")),
      "\(lead) change 7; kith list s tells what can be restored")
    expect(
      .invalidRequest(.unreachableTime(7, path: "s")), "\(lead) that time; kith list s tells what can be restored")
    expect(
      .invalidRequest(.tokensNeedRules(2)),
      "tokens need rules 2 of the log; update all hosts, then: kith replica upgrade")
    expect(
      .limitExceeded(.generations(limit: 6)),
      "the limit of 6 generations of a store is reached; `kith restore` makes a new one of its newest state")
    expect(
      .limitExceeded(.estimatedMemory(path: "s", byteLimit: 5, byteCount: 6)),
      "the graph of s would take about 6 bytes of memory; the limit is 5; if the file can be trusted, allow more by "
        + "--memory BYTES or Options.maximumByteCount")
    expect(.unavailable(.missing), "no log is there; make one: kith replica init --log URL")
    expect(
      .unavailable(.unfinished),
      "kith replica init has not put the first graph into the log; if it was interrupted, repeat it")
  }

  @Test("Errors of the protocol have the codes of the library, and say the limit")
  func ofTheProtocol() {
    func expect(_ error: RequestError, _ code: String, _ sentence: String, index: Int? = nil) {
      #expect(error.code == code && error.sentence == sentence && error.index == index)
    }
    expect(.malformed("the line is not JSON"), "invalidRequest", "the line is not JSON")
    expect(
      .tooManyClients(limit: 64), "limitExceeded", "the limit of 64 clients at once is reached; connect again later")
    expect(
      .tooManyWatches(limit: 4), "limitExceeded", "the limit of 4 watched queries is reached; end one of them")
    expect(
      .watchesTooMuch(byteLimit: 9), "limitExceeded",
      "the limit of 9 bytes for what watched queries depend on is reached; end one of them, or ask for shorter pages")
    expect(
      .inBatch(index: 3, .malformed("op, the name of an operation, is missing")), "invalidRequest",
      "change 3 of the batch: op, the name of an operation, is missing", index: 3)
    expect(.graph(.unknownUser(4)), "unknownUser", "no user 4")
    expect(
      .graph(.inBatch(index: 1, .unknownUser(4))), "unknownUser", "change 1 of the batch: no user 4", index: 1)
  }
}
