import TestSupport
import Testing

/// System 2: the Swift networking layer, with questions.
@Suite("Questions", .timeLimit(.minutes(15)))
struct QuestionsLayerTests {
  private let system: SystemScript

  init() throws {
    system = try SystemScript()
  }

  @Test("An operation has one result: its value or its error")
  func result() throws {
    let lines = try system.lines(
      """
      fetch questions --pagesize 2 --name good; wait
      server fail 100% --status 500; fetch questions --name bad; wait --any-outcome
      expect (good.error == null and good.result.items[1].question_id > 0)
      expect (bad.result == null and bad.error.code == 'invalid-status-code(500)')
      result good; result bad
      """)
    #expect(lines.contains { $0.type == "result" && $0.operationName == "good" })
    #expect(lines.contains { $0.type == "result" && $0.operationName == "bad" }, "the refusal")
  }

  @Test("State key paths are observed before and after a change, with old and new values")
  func observed() throws {
    let lines = try system.lines(
      """
      fetch questions --pagesize 1 --hold
      observe questions-1 isExecuting isFinished --options prior,old,new
      start questions-1; wait
      """)
    let changes = lines.changes(of: "questions-1")
    #expect(
      changes == [
        "isExecuting will change", "isExecuting false → true",
        // The old state's key and the new one's change together.
        "isExecuting will change", "isFinished will change",
        "isExecuting true → false", "isFinished false → true",
      ])
  }

  @Test("A race of cancel and completion has exactly one result")
  func race() throws {
    let count = TestScale.count(60)
    let lines = try system.lines(
      """
      queue width 8
      fetch questions --pagesize 1 --count \(count) --name q
      for number in (1..\(count)) { if ($number % 2 == 0) { cancel "q-$number" } }
      wait --any-outcome
      """)
    let ends = lines.filter {
      $0.type == "transition" && $0.string("to") == "finished" && $0.string("from") != "finished"
    }
    #expect(ends.count == count && Set(ends.map(\.operationName)).count == count)
    for end in ends {
      let number = try #require(Int(end.operationName.dropFirst(2)))
      // Those with an even number race with their cancel.
      let possible = number.isMultiple(of: 2) ? ["succeeded", "cancelled"] : ["succeeded"]
      #expect(possible.contains(end.string("outcome") ?? "none"), "\(end.operationName)")
    }
  }

  @Test("Errors are detected in this order: transport, not HTTP, status, empty body, decoding")
  func errors() throws {
    let rude = try CannedServer("SSH-2.0-OpenSSH_9.2\r\n")
    let faults = [
      ("drop-before-headers", "connection-lost"), ("status-404", "invalid-status-code(404)"),
      ("empty-body", "missing-data"), ("malformed-json", "serialization"),
      ("wrong-types", "serialization"),
    ]
    var script = ""
    for (number, fault) in faults.enumerated() {
      script += """
        server reset; server fault \(fault.0); fetch questions --name q\(number)
        wait --any-outcome; expect (q\(number).error.code == '\(fault.1)')

        """
    }
    script += """
      endpoint \(rude.url); fetch questions --name other; wait --any-outcome
      expect (other.error.code == bad-response)
      queue pause; fetch questions --name gone; cancel gone; queue resume; wait --any-outcome
      expect (gone.outcome == cancelled)
      """
    try system.text(script)
  }

  @Test("System 2, row 5: /2.3/questions as a page of items; cancelling cancels the request first")
  func questions() throws {
    let outcome = try system.text(
      """
      fetch questions --pagesize 3; wait
      expect (questions-1.url matches '*/2.3/questions?site=stackoverflow*')
      expect (questions-1.items == 3 and questions-1.result.has_more)
      result questions-1
      server latency 30s; fetch questions --name slow
      expect (slow.state == executing) within 10s
      cancel slow; wait slow --any-outcome
      expect (slow.outcome == cancelled and slow.finished - slow.started < 20)
      """)
    #expect(outcome.outputLines.first?.hasPrefix("score  answers  title") == true)
  }

  @Test("The manager schedules operations on the given queue")
  func injectedQueue() throws {
    try system.text(
      """
      queue new mine --width 1
      fetch questions --pagesize 1 --queue mine
      queue route questions mine; fetch questions --pagesize 1
      wait
      expect (questions-1.queue == mine and questions-2.queue == mine)
      expect (questions-1.finished <= questions-2.started)
      """)
  }

  @Test("Handlers run on the interpreter's thread")
  func callbackQueue() throws {
    // A handler can assign the script's own variables because it runs on the script's thread.
    let outcome = try system.text(
      """
      let seen = 0
      fetch questions --pagesize 4 --hold
      on questions-1 finished { let seen = ($self.items) }
      start questions-1; wait
      echo "seen $seen"
      """)
    #expect(outcome.output == "seen 4\n")
  }

  @Test("Blocking requests use a thread each, asynchronous ones none")
  func threads() throws {
    let outcome = try system.text(
      """
      server latency 2s; queue width unlimited
      fetch questions --pagesize 1 --count 5 --blocking --name blocking
      fetch questions --pagesize 1 --count 5 --name usual
      expect (blocking-5.state == executing and usual-5.state == executing) within 10s
      stats threads
      wait
      expect (blocking-1.items == usual-1.items)
      """)
    #expect(
      outcome.output.contains(
        /5  hold a thread each: blocking-1, blocking-2, blocking-3 and 2 more/))
    #expect(outcome.output.contains(/5  hold none: usual-1, usual-2, usual-3 and 2 more/))
  }

  @Test("Another service can be used through the same protocols")
  func doubles() throws {
    let double = try CannedServer(
      "HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n{\"items\":[],\"total\":0}   ")
    try system.text(
      """
      endpoint questions \(double.url)
      fetch questions; fetch answers --pagesize 1; wait
      expect (questions-1.items == 0 and answers-1.items == 1)
      """)
  }
}
