import OpshCompression
import Foundation
import OpshLocking
import OpshNetworking
import Operations
import TestSupport
import Testing
import OpshWebAPIs

@Suite("Data managers", .timeLimit(.minutes(15)))
struct DataManagerTests {
  private func server(
    _ status: String = "200 OK", headers: [String] = [], body: [UInt8]
  ) throws -> (server: LoopbackServer, targets: Locked<[String]>) {
    let targets = Locked<[String]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        targets.withLock { $0.append(request.target) }
        connection.respond(status, headers, body: body)
      }
    }
    return (server, targets)
  }

  private func manager(
    _ server: LoopbackServer, _ workplace: Workplace, pacer: RequestPacer = RequestPacer()
  ) throws -> QuestionsDataManager {
    QuestionsDataManager(
      queue: workplace.queue, transport: workplace.transport,
      endpoint: try Endpoint(url: server.url + "/", key: "SECRET"), pacer: pacer)
  }

  private func fetch(
    _ status: String = "200 OK", headers: [String] = [], body: [UInt8]
  ) async throws -> QuestionsFetchOperation {
    let (server, _) = try server(status, headers: headers, body: body)
    defer { server.stop() }
    let workplace = Workplace()
    let operation = try manager(server, workplace).fetch()
    try await workplace.finish(operation)
    return operation
  }

  @Test("Questions are decoded, the handler runs before the end, and the key is masked")
  func questions() async throws {
    let body = try Gzip.compress(Array(StackExchangeTests.page.utf8))
    let (server, targets) = try server(headers: ["Content-Encoding: gzip"], body: body)
    defer { server.stop() }
    let workplace = Workplace()
    let wasFinished = Locked<Bool?>(nil)
    let handled = Promise<Int>()
    let itself = Locked<QuestionsFetchOperation?>(nil)
    var query = QuestionsQuery()
    query[Questions.tagged] = ["c++"]
    let pacer = RequestPacer()
    let manager = try manager(server, workplace, pacer: pacer)
    let operation = manager.makeOperation(query: query, name: "mine") { result in
      wasFinished.withLock { $0 = itself.withLock { $0?.isFinished } }
      handled.fulfil((try? result.get().items.count) ?? -1)
    }
    itself.withLock { $0 = operation }
    #expect(operation.state == .created)
    try workplace.queue.addOperation(operation)
    #expect(try await handled.value() == 2)
    try await workplace.finish(operation)
    itself.withLock { $0 = nil }
    #expect(wasFinished.withLock { $0 } == false)
    #expect(operation.kind == "fetch questions" && operation.name == "mine")
    #expect(operation.itemCount == 2)
    #expect(operation.bytesReceived == body.count)
    let reason = try #require(workplace.entries(of: operation).last?.reason)
    #expect(reason.hasPrefix("2 questions, \(ByteCount(body.count)), "))
    #expect(
      targets.withLock { $0 } == ["/2.3/questions?site=stackoverflow&tagged=c%2B%2B&key=SECRET"])
    #expect(operation.requestURL.hasSuffix("&key=***"))
    // The page asked for a backoff of 280 seconds; a slow machine may have used up some of it.
    let pause = try #require(pacer.pause(of: "\(server.url) questions")).end - .now
    #expect(pause > .seconds(60) && pause <= .seconds(280))
  }

  @Test("A compressed body is expanded even without a Content-Encoding header")
  func unnamedCompression() async throws {
    let body = try Gzip.compress(Array(#"{"items":[],"has_more":false}"#.utf8))
    let operation = try await fetch(body: body)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(operation.itemCount == 0)
  }

  struct FailureCase: Sendable, CustomTestStringConvertible {
    var status: String
    var body: String
    var code: String
    var testDescription: String { "\(status) \(body)" }
  }

  static let error =
    #"{"error_id":502,"error_message":"too &quot;many&quot;","error_name":"throttle_violation"}"#

  static let failures: [FailureCase] = [
    FailureCase(status: "400 Bad", body: error, code: "api(502, throttle_violation, too \"many\")"),
    FailureCase(status: "400 Bad", body: "{}", code: "invalid-status-code(400)"),
    FailureCase(status: "400 Bad", body: "", code: "invalid-status-code(400)"),
    FailureCase(status: "503 No", body: error, code: "invalid-status-code(503)"),
    FailureCase(status: "404 No", body: "<html>", code: "invalid-status-code(404)"),
    FailureCase(status: "304 Same", body: "", code: "invalid-status-code(304)"),
    FailureCase(status: "200 OK", body: "", code: "missing-data"),
    FailureCase(status: "204 None", body: "", code: "missing-data"),
    FailureCase(status: "200 OK", body: "<html>", code: "serialization"),
    FailureCase(status: "200 OK", body: "{\"items\":3}", code: "serialization"),
    FailureCase(status: "200 OK", body: "{", code: "serialization"),
  ]

  @Test("Status, body and decoding are checked in this order", arguments: failures)
  func failure(testCase: FailureCase) async throws {
    let operation = try await fetch(testCase.status, body: Array(testCase.body.utf8))
    #expect(outcomeCode(operation) == testCase.code)
    #expect(operation.statusCode == Int(testCase.status.prefix(3)))
  }

  @Test("A backoff that the service requested delays the next request")
  func backoff() async throws {
    let (server, targets) = try server(body: Array(#"{"items":[]}"#.utf8))
    defer { server.stop() }
    let workplace = Workplace()
    let pacer = RequestPacer()
    let started = ContinuousClock.now
    pacer.pause("\(server.url) questions", for: .seconds(6))
    let manager = try manager(server, workplace, pacer: pacer)
    let operation = try manager.fetch()
    // Other methods of the service are not delayed.
    var single = QuestionsQuery()
    single[Questions.ids] = [1]
    let other = try manager.fetch(query: single)
    try await workplace.finish(other)
    #expect(outcomeCode(other) == "succeeded")
    // A request whose deadline is before the end of the backoff fails.
    let busy = RequestPacer()
    busy.pause("\(server.url) questions", for: .seconds(3_600))
    var options = RequestOptions()
    options.timeout = .milliseconds(20)
    let late = try self.manager(server, workplace, pacer: busy).fetch(options: options)
    try await workplace.finish(late)
    #expect(outcomeCode(late) == "timed-out")
    try await workplace.finish(operation)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(ContinuousClock.now - started >= .seconds(6))
    #expect(targets.withLock { $0.first }?.hasPrefix("/2.3/questions/1?") == true)
  }

  @Test("Answers are requested by their own manager")
  func answers() async throws {
    let (server, targets) = try server(body: Array(#"{"items":[],"has_more":true}"#.utf8))
    defer { server.stop() }
    let workplace = Workplace()
    let manager = AnswersDataManager(
      queue: workplace.queue, transport: workplace.transport,
      endpoint: try Endpoint(url: server.url), pacer: RequestPacer())
    var query = AnswersQuery()
    query[StackExchange.version] = .version22
    let operation = try manager.fetch(query: query, name: "Answers-Retrieval")
    #expect(try await operation.value.hasMore)
    #expect(operation.kind == "fetch answers")
    #expect(targets.withLock { $0 } == ["/2.2/answers?site=stackoverflow"])
  }
}
