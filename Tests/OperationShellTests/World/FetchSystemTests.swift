import Foundation
import OpshNetworking
import Operations
import PracticeServer
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession

/// The networking layers of answers and of questions: the rows about fetching.
@Suite("Answers and questions", .timeLimit(.minutes(15)))
struct FetchSystemTests {
  @Test("An answers operation is named Answers-Retrieval and uses the paths 2.2 and 2.3")
  func answersRetrieval() throws {
    let shell = try ShellFixture()
    try shell.run("fetch answers --version 2.2 --name Answers-Retrieval; fetch answers; wait")
    let named = try #require(try shell.operation("Answers-Retrieval") as? AnswersFetchOperation)
    #expect(named.requestURL.hasSuffix("/2.2/answers?site=stackoverflow"))
    #expect(named.name == "Answers-Retrieval" && named.isAsynchronous)
    let other = try #require(try shell.operation("answers-1") as? AnswersFetchOperation)
    #expect(other.requestURL.hasSuffix("/2.3/answers?site=stackoverflow"))
    let page = try #require(named.resultValue as? AnswersPage)
    #expect(page.items.count == 30 && page.items.allSatisfy { $0.answerID > 0 })
  }

  @Test("Readiness includes dependencies; an operation finishes once and reports each flag once")
  func flags() throws {
    let shell = try ShellFixture("queue pause; delay 10ms; fetch answers --after delay-1")
    let operation = try shell.operation("answers-1")
    #expect(!operation.isReady && operation.state == .pending)
    try shell.run(
      "observe answers-1 isReady isExecuting isFinished; queue resume; wait")
    let entries = shell.session.jobs.engine.log.entries(from: 0, limit: 1_000).entries
      .filter { $0.operation.id == operation.id }.map { "\($0.to)" }
    #expect(entries == ["pending", "ready", "executing", "finished"])
    #expect(throws: Diagnostic.self) { try shell.run("start answers-1") }
    #expect(operation.state == .finished)
  }

  @Test("A questions operation uses its path and has a decoded result")
  func questions() throws {
    let shell = try ShellFixture("fetch questions --pagesize 5; wait")
    let operation = try #require(try shell.operation("questions-1") as? QuestionsFetchOperation)
    #expect(operation.requestURL.hasSuffix("/2.3/questions?site=stackoverflow&pagesize=5"))
    #expect(try shell.output(of: "result questions-1").count == 6)
    #expect((operation.resultValue as? QuestionsPage)?.items.count == 5)
  }

  @Test("Cancelling an executing operation first cancels its request")
  func cancelled() throws {
    let shell = try ShellFixture("fetch questions --pagesize 0; wait; server latency 20s")
    try shell.run("fetch questions --name slow; expect (slow.state == executing) within 20s")
    #expect(try shell.pump { shell.server.statistics.waiting == 1 })
    try shell.run("cancel slow; wait --any-outcome")
    #expect(try shell.outcome(of: "slow") == "cancelled")
    let stamps = try shell.operation("slow").timestamps
    let (began, ended) = (try #require(stamps.executing), try #require(stamps.finished))
    #expect(ended - began < .seconds(15), "long before the answer would have come")
  }

  @Test(
    "Transport, status, empty body and decoding errors are checked in this order",
    arguments: [
      ("drop-before-headers", "connection-lost"), ("status-503", "invalid-status-code(503)"),
      ("empty-body", "missing-data"), ("malformed-json", "serialization"),
      ("wrong-types", "serialization"), ("truncated-gzip", "bad-response"),
    ])
  func errors(fault: String, code: String) throws {
    let shell = try ShellFixture()
    try shell.setFault(fault)
    try shell.run("fetch questions; fetch answers; wait --any-outcome")
    #expect(try shell.outcome(of: "questions-1") == code)
    #expect(try shell.outcome(of: "answers-1") == code)
  }

  @Test("If cancelling and completing race, each operation ends once")
  func race() throws {
    let shell = try ShellFixture("queue width 8")
    let count = TestScale.count(100)
    try shell.run("fetch questions --pagesize 1 --count \(count) --name q")
    for number in stride(from: 1, through: count, by: 2) {
      try shell.run("cancel q-\(number)")
    }
    try shell.run("wait --any-outcome")
    let ends = shell.session.jobs.engine.log.entries(from: 0, limit: 1_000_000).entries
      .filter { $0.to == .finished && $0.from != .finished }
    #expect(ends.count == count && Set(ends.map(\.operation.id)).count == count)
  }
}
